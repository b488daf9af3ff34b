package scenario

import (
	"errors"
	"strings"
	"testing"

	"weft/units"
)

func refusal(t *testing.T, text string) string {
	t.Helper()
	f, err := Decode("x", []byte(text))
	if err == nil {
		_, err = f.Resolve()
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// The error of a refused rate names rates that are accepted.
func TestTheErrorOfARefusedRateNamesRatesThatAreAccepted(t *testing.T) {
	for _, c := range []struct{ before, rate, after, want string }{
		{"fabrics: [{preset: infiniband-ndr, slow-links: [{nics: node0/nic0, rate: ", "100432692307bps", "}]}]", "slow-links[0].rate: at 100432692307bps"},
		{"fabrics: [{preset: infiniband-ndr, link: {lanes: 1, code: 1, lane-rate: ", "100432692307bps", "}}]", "link.lane-rate: on 1 lanes of 100432692307bps"},
	} {
		got := refusal(t, c.before+c.rate+c.after)
		if !strings.Contains(got, c.want) {
			t.Fatalf("%s: %q, want %q", c.rate, got, c.want)
		}
		near := strings.TrimSpace(got[strings.LastIndex(got, " ")+1:])
		if again := refusal(t, c.before+near+c.after); again != "" {
			t.Errorf("the error names %s, which is refused: %s", near, again)
		}
		if r, err := units.ParseRate(near); err != nil || r < 100*units.Gbps || r > 101*units.Gbps {
			t.Errorf("a rate near to %s is %s", c.rate, near)
		}
	}
}

func TestSmallSharesAreRead(t *testing.T) {
	for text, parts := range map[string]uint64{
		"1/1000000000": 18446744073, "0.000000000001": 18446744, "1/4": 1 << 62, "0": 0, "1": 1<<64 - 1, "0.1%": 18446744073709551,
		"1e-12": 18446744, "1E-9": 18446744073, "2.5e-1": 1 << 62, "0.025e+1": 1 << 62, "25e-2%": 46116860184273879, "1e-3/4e-3": 1 << 62, "0e-15": 0,
	} {
		r, err := ParseRatio(text)
		if err != nil || r.Share() != parts {
			t.Errorf("%s: %v, %d of 2^64, want %d", text, err, r.Share(), parts)
		}
	}
	for _, text := range []string{"1/1000000000000000000000", "0.0000000000000000001", "1e-19", "1e19", "1e-99999999999999999999", "1.5e-18%"} {
		if _, err := ParseRatio(text); err == nil || !strings.Contains(err.Error(), "more digits") {
			t.Errorf("%s: %v, want that it needs more digits", text, err)
		}
	}
	for _, text := range []string{"1e", "e-3", "1e-", "1e1.5", "1e-3e-4", "-1e-3", "1e - 3"} {
		if _, err := ParseRatio(text); !errors.Is(err, units.ErrRatio) {
			t.Errorf("%s: %v, want %v", text, err, units.ErrRatio)
		}
	}
	for _, text := range []string{"1/1000000000", "1e-12"} {
		if got := refusal(t, "fabrics: [{preset: infiniband-ndr, link: {error-rate: "+text+"}}]"); got != "" {
			t.Error(got)
		}
	}
}

// An outage is longer than a packet is on the longest cable.
func TestOutagesAreLongerThanAPacketsWay(t *testing.T) {
	const text = "topology: {shape: fat-tree, levels: 2, radix: 16, spines: 8, cables: {leaf-spine: LENGTH}}\nfabrics: [infiniband-ndr]\nfaults: [{at: 1ms, link: leaf0 port 9, until: 1020us}]"
	for length, want := range map[string]string{"50m": "", "10km": "a shorter outage than that is no fault"} {
		if got := refusal(t, strings.Replace(text, "LENGTH", length, 1)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("20 us on %s: %q, want %q", length, got, want)
		}
	}
}
