package units

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

func TestStringIsForPeople(t *testing.T) {
	for want, v := range map[string]fmt.Stringer{
		"0 ps":       Time(0),
		"1 ps":       Picosecond,
		"830 ns":     830 * Nanosecond,
		"1.23 ms":    1230 * Microsecond,
		"1.235 us":   Time(1_234_567),
		"-1.235 us":  -Time(1_234_567),
		"1 us":       Time(999_960),
		"1.07 s":     1070 * Millisecond,
		"12346 s":    Time(12_345_600_000_000_000),
		"forever":    Forever,
		"0 B":        Bytes(0),
		"1023 B":     Bytes(1023),
		"4 KiB":      4 * KiB,
		"1.5 MiB":    1536 * KiB,
		"1 MiB":      1*MiB - 1,
		"976.6 KiB":  1 * MB,
		"2048 TiB":   2048 * 1024 * GiB,
		"392 Gb/s":   392 * Gbps,
		"391.2 Gb/s": 391_200 * Mbps,
		"54.55 Gb/s": Rate(54_545_454_545),
		"1.6 Tb/s":   1600 * Gbps,
		"7 b/s":      Rate(7),
		"30 m":       30 * Metre,
		"1.5 m":      1500 * Millimetre,
		"2 km":       2000 * Metre,
		"440/3 ps/B": PerByte{440, 3},
		"80 ps/B":    PerByte{80, 1},
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestExactIsTheShortestTextThatLosesNothing(t *testing.T) {
	for want, v := range map[string]interface{ Exact() string }{
		"0ps":                    Time(0),
		"1.2us":                  Time(1_200_000),
		"500ps":                  Time(500),
		"1234ns":                 1234 * Nanosecond,
		"-1.2us":                 -Time(1_200_000),
		"9223372036854775807ps":  Forever,
		"-9223372036854775808ps": Time(math.MinInt64),
		"4KiB":                   4 * KiB,
		"1MB":                    1 * MB,
		"1.5MiB":                 1536 * KiB,
		"9KB":                    Bytes(9000),
		"9KiB":                   Bytes(9216),
		"400Gbps":                400 * Gbps,
		"14.0625Gbps":            14_062_500 * Kbps,
		"30m":                    30 * Metre,
		"1.5m":                   1500 * Millimetre,
	} {
		if got := v.Exact(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestQuantitiesAreTextInJSON(t *testing.T) {
	type all struct {
		Delay  Time
		Buffer Bytes
		Link   Rate
		Cable  Length
	}
	in := all{Time(1_200_000), 4 * KiB, 400 * Gbps, 30 * Metre}
	text, err := json.Marshal(in)
	const want = `{"Delay":"1.2us","Buffer":"4KiB","Link":"400Gbps","Cable":"30m"}`
	if err != nil || string(text) != want {
		t.Fatalf("got %s, %v; want %s", text, err, want)
	}
	var out all
	if err := json.Unmarshal(text, &out); err != nil || out != in {
		t.Errorf("%s reads as %+v, %v", text, out, err)
	}
	for _, wrong := range []string{`{"Delay":"1.2"}`, `{"Buffer":"1us"}`, `{"Link":"1m"}`, `{"Cable":"1us"}`} {
		if err := json.Unmarshal([]byte(wrong), &out); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
