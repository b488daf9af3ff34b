package units

import (
	"testing"

	"pgregory.net/rapid"
)

// The data rates are the generations' nominal rates; signalling rates and codes
// come from IBA vol. 2 and IEEE 802.3.
func TestTheTimeOfAByteIsExactForEveryGeneration(t *testing.T) {
	for _, c := range []struct {
		name                string
		lanes               int
		signalling          Rate
		codeNum, codeDenom  int64
		wantNum, wantDenom  int64
		dataRate            Rate // 0: no whole number of bits per second
		picosecondsOf4096By Time // rounded down
	}{
		{"SDR", 4, 2500 * Mbps, 8, 10, 1000, 1, 8 * Gbps, 4_096_000},
		{"DDR", 4, 5000 * Mbps, 8, 10, 500, 1, 16 * Gbps, 2_048_000},
		{"QDR", 4, 10 * Gbps, 8, 10, 250, 1, 32 * Gbps, 1_024_000},
		{"FDR10", 4, 10_312_500 * Kbps, 64, 66, 200, 1, 40 * Gbps, 819_200},
		{"FDR", 4, 14_062_500 * Kbps, 64, 66, 440, 3, 0, 600_746},
		{"EDR", 4, 25_781_250 * Kbps, 64, 66, 80, 1, 100 * Gbps, 327_680},
		{"HDR", 4, 53_125 * Mbps, 514 * 256, 544 * 257, 40, 1, 200 * Gbps, 163_840},
		{"NDR", 4, 106_250 * Mbps, 16, 17, 20, 1, 400 * Gbps, 81_920},
		{"XDR", 4, 212_500 * Mbps, 16, 17, 10, 1, 800 * Gbps, 40_960},
	} {
		got := NewPerByte(c.lanes, c.signalling, c.codeNum, c.codeDenom)
		if want := (PerByte{c.wantNum, c.wantDenom}); got != want {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
		if c.dataRate != 0 && c.dataRate.PerByte() != got {
			t.Errorf("%s: %v by lanes, but %v at %v", c.name, got, c.dataRate.PerByte(), c.dataRate)
		}
		if took := Time(4096 * got.Num / got.Den); took != c.picosecondsOf4096By {
			t.Errorf("%s: 4096 bytes take %d ps, want %d", c.name, int64(took), int64(c.picosecondsOf4096By))
		}
	}
}

func TestTheTimeOfAByteTimesTheRateIsEightBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate(rapid.Int64Range(1, int64(2*Tbps)).Draw(t, "rate"))
		p := r.PerByte()
		// Num/Den = 8e12/r, reduced: r = k·Den and 8e12 = k·Num.
		k := int64(r) / p.Den
		if k*p.Den != int64(r) || k*p.Num != picosecondsPerByteAtOneBps {
			t.Fatalf("%d bit/s: %v", int64(r), p)
		}
		if gcd(p.Num, p.Den) != 1 {
			t.Fatalf("%v is not reduced", p)
		}
	})
}

func TestARateOfZeroHasNoTimeOfAByte(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a rate of 0 has a time of a byte")
		}
	}()
	Rate(0).PerByte()
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
