package units

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseTimeIsExact(t *testing.T) {
	for text, want := range map[string]Time{
		"0ps":                   0,
		"1ps":                   1,
		"0.001ns":               1,
		"1.2us":                 1_200_000,
		"1.2 us":                1_200_000,
		"1.2µs":                 1_200_000,
		"1.2μs":                 1_200_000,
		"0.1ns":                 100,
		"146.667ns":             146_667,
		"4.096us":               4_096_000,
		"1.07s":                 1_070_000_000_000,
		"655.36ms":              655_360_000_000,
		"007ns":                 7000,
		"1.000000000000000ps":   1,
		"9223372036854775807ps": Forever,
	} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("ParseTime(%q) = %d ps, %v; want %d ps", text, int64(got), err, int64(want))
		}
	}
}

func TestParseBytesKeepsPowersOf1000And1024Apart(t *testing.T) {
	for text, want := range map[string]Bytes{
		"0B":      0,
		"64B":     64,
		"1KB":     1000,
		"1kB":     1000,
		"4KiB":    4096,
		"1.5MiB":  1_572_864,
		"1MB":     1_000_000,
		"10GB":    10_000_000_000,
		"1TiB":    1 << 40,
		"2TB":     2_000_000_000_000,
		"0.5KiB":  512,
		"9.216KB": 9216,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

// TestAmountsAreReadAsEveryToolWritesThem: one parser reads files and flags.
func TestAmountsAreReadAsEveryToolWritesThem(t *testing.T) {
	for text, want := range map[string]Bytes{
		"8":       8,
		"8K":      8 << 10,
		"8k":      8 << 10,
		"8M":      8 << 20,
		"8m":      8 << 20,
		"8G":      8 << 30,
		"8T":      8 << 40,
		"1.5M":    3 << 19,
		"8KiB":    8 << 10,
		"1 KiB":   1 << 10,
		"64KB":    64000,
		"9216":    9216,
		"1.5 MiB": 3 << 19,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"8Kb", "8kib", "8P", "", "-8", "0.3", "K"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("ParseBytes(%q) = %d; want an error", text, got)
		}
	}
}

func TestParseRateTellsBitsFromBytes(t *testing.T) {
	for text, want := range map[string]Rate{
		"1bps":        1,
		"5Mbps":       5 * Mbps,
		"400Gbps":     400 * Gbps,
		"400G":        400 * Gbps,
		"1.6T":        1600 * Gbps,
		"200Gb/s":     200 * Gbps,
		"100Gbit/s":   100 * Gbps,
		"48.9GB/s":    391_200 * Mbps,
		"1.6Tbps":     1600 * Gbps,
		"14.0625Gbps": 14_062_500 * Kbps,
		"1kb/s":       1000,
		"1KB/s":       8000,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v; want %d", text, int64(got), err, int64(want))
		}
	}
}

func TestParseLengthIsInMillimetres(t *testing.T) {
	for text, want := range map[string]Length{
		"30m":   30 * Metre,
		"150cm": 1500,
		"0.5m":  500,
		"2km":   2_000_000,
		"7mm":   7,
		"0.1cm": 1,
	} {
		if got, err := ParseLength(text); err != nil || got != want {
			t.Errorf("ParseLength(%q) = %d, %v; want %d", text, int64(got), err, int64(want))
		}
	}
}

func TestParsePowerIsInMilliwatts(t *testing.T) {
	for text, want := range map[string]Power{"747W": 747_000, "24.9W": 24_900, "120kW": 120_000_000, "1.5MW": 1_500_000_000, "3mW": 3} {
		if got, err := ParsePower(text); err != nil || got != want {
			t.Errorf("ParsePower(%q) = %d, %v; want %d", text, int64(got), err, int64(want))
		}
	}
	for value, want := range map[Power]string{24_900: "24.9 W", 92_074_600: "92.07 kW", 1_500_000_000: "1.5 MW"} {
		if got := value.String(); got != want {
			t.Errorf("%d mW prints as %q, want %q", int64(value), got, want)
		}
	}
}

func TestTextThatIsNoQuantityIsRefusedWithItsReason(t *testing.T) {
	for text, reason := range map[string]string{
		"":                                "is empty",
		"-1us":                            "is negative",
		"1.2":                             "has no unit",
		"0":                               "has no unit",
		"1.2parsec":                       `has the unknown unit "parsec"`,
		"1.2US":                           `has the unknown unit "US" (did you mean us?)`,
		"1e3ns":                           `has the unknown unit "e3ns"`,
		"1us ":                            `has the unknown unit "us "`,
		"1  us":                           `has the unknown unit " us"`,
		"0.0001ps":                        "is not a whole number of picoseconds",
		"1.0000000001ms":                  "is not a whole number of picoseconds",
		"9223372036854775808ps":           "is too large",
		"9223372.036854775808s":           "is too large",
		"us":                              "does not start with a decimal number",
		".5us":                            "does not start with a decimal number",
		"5.us":                            "does not start with a decimal number",
		"1.2.3us":                         "does not start with a decimal number",
		"+1us":                            "does not start with a decimal number",
		strings.Repeat("1", 65):           "is longer than 64 characters",
		strings.Repeat("1", 65000) + "us": "is longer than 64 characters",
	} {
		got, err := ParseTime(text)
		var parseErr *ParseError
		if !errors.As(err, &parseErr) || parseErr.Reason != reason {
			t.Errorf("ParseTime(%.70q) = %d, %v; want an error because it %s", text, int64(got), err, reason)
		}
		if err != nil && len(err.Error()) > 200 {
			t.Errorf("the error about %.20q... has %d characters", text, len(err.Error()))
		}
	}
}

func TestAParseErrorIsASentenceWithTheValueAndTheWayOut(t *testing.T) {
	_, err := ParseTime("1.2")
	const want = `"1.2" has no unit: a time is written like 1.2us, in ps, ns, us, ms or s`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestExactTextLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, math.MaxInt64).Draw(t, "value")
		if got, err := ParseTime(Time(v).Exact()); err != nil || got != Time(v) {
			t.Fatalf("time %d → %s → %d, %v", v, Time(v).Exact(), int64(got), err)
		}
		if got, err := ParseBytes(Bytes(v).Exact()); err != nil || got != Bytes(v) {
			t.Fatalf("bytes %d → %s → %d, %v", v, Bytes(v).Exact(), int64(got), err)
		}
		if got, err := ParseRate(Rate(v).Exact()); err != nil || got != Rate(v) {
			t.Fatalf("rate %d → %s → %d, %v", v, Rate(v).Exact(), int64(got), err)
		}
		if got, err := ParseLength(Length(v).Exact()); err != nil || got != Length(v) {
			t.Fatalf("length %d → %s → %d, %v", v, Length(v).Exact(), int64(got), err)
		}
	})
}

func TestTheTextOfStringCanBeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Up to 2^62, so that rounding up stays an int64.
		v := rapid.Int64Range(0, 1<<62).Draw(t, "value")
		got, err := ParseTime(Time(v).String())
		if err != nil {
			t.Fatalf("%s: %v", Time(v), err)
		}
		if off := got - Time(v); off > Time(v/2000+1) || -off > Time(v/2000+1) {
			t.Fatalf("%d ps prints as %s, off by %d", v, Time(v), int64(off))
		}
	})
}

// A parser never panics, and an accepted value survives Exact.
func fuzzParser[T interface{ Exact() string }](f *testing.F, parse func(string) (T, error), seeds ...string) {
	for _, s := range append(seeds, "", "-1", "0", ".", "1..2", "99999999999999999999") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parse(text)
		if err != nil {
			return
		}
		again, err := parse(v.Exact())
		if err != nil || any(again) != any(v) {
			t.Errorf("%q is %s, which reads as %s, %v", text, v.Exact(), again.Exact(), err)
		}
	})
}

func FuzzParseTime(f *testing.F) {
	fuzzParser(f, ParseTime, "1.2us", "0.0001ps", "9223372036854775807ps", "1 ms", "1µs")
}

func FuzzParseBytes(f *testing.F) {
	fuzzParser(f, ParseBytes, "4KiB", "1MB", "0.3B", "8388607TiB", "8", "8K", "1.5g", "8589934592G")
}

func FuzzParseRate(f *testing.F) {
	fuzzParser(f, ParseRate, "400Gbps", "200Gb/s", "48.9GB/s", "0.0625bps")
}

func FuzzParseLength(f *testing.F) {
	fuzzParser(f, ParseLength, "30m", "150cm", "0.01cm", "1km")
}
