package scenario

import (
	"math"
	"testing"
)

// TestFECLeavesWhatItsCodeCannotCorrect compares the residue with a sum over the binomial
// distribution, term by term, and with the targets of IEEE 802.3: RS(544,514) brings 2.4e-4 below
// 1e-13 (bits, 16 or more wrong in a block), RS(528,514) brings 5e-5 below 1e-12.
func TestFECLeavesWhatItsCodeCannotCorrect(t *testing.T) {
	for _, c := range []struct {
		fec        FEC
		n, k       int
		ber, below float64
	}{{RS544, 544, 514, 2.4e-4, 1e-13}, {RS528, 528, 514, 5e-5, 1e-12}, {RS272, 272, 258, 5e-5, 1e-12}} {
		l := Link{FEC: c.fec, FECCodewords: 1, RawBER: Ratio{Num: int64(math.Round(c.ber * 1e9)), Den: 1e9}}
		gap, length := l.ErrorBursts()
		if want := int64(math.Ceil(float64(c.k) * 10 / 8)); length != want {
			t.Errorf("%s: a block is %d bytes, want %d", c.fec, length, want)
		}
		ps := 1 - math.Pow(1-c.ber, 10)
		term, fails := math.Pow(1-ps, float64(c.n)), 0.0
		for i := 1; i <= c.n; i++ {
			term *= float64(c.n-i+1) / float64(i) * ps / (1 - ps)
			if i > (c.n-c.k)/2 {
				fails += term
			}
		}
		if got := float64(c.k) * 10 / 8 / gap; math.Abs(got/fails-1) > 1e-6 {
			t.Errorf("%s at %g: a codeword fails with %g, the sum of the binomial terms is %g", c.fec, c.ber, got, fails)
		}
		if after := float64((c.n-c.k)/2+1) / 8 / gap; after > c.below {
			t.Errorf("%s at %g: %g of the bits are wrong after it, want below %g", c.fec, c.ber, after, c.below)
		}
	}
}

// TestAnEffectiveRateCountsTheBitsOfABlock compares links with and without FEC at one rate of wrong
// bits: with RS(544,514) 16 of them come at once.
func TestAnEffectiveRateCountsTheBitsOfABlock(t *testing.T) {
	bare := Link{FEC: NoFEC, FECCodewords: 1, EffectiveBER: Ratio{Num: 1, Den: 1e12}}
	coded := Link{FEC: RS544, FECCodewords: 2, EffectiveBER: Ratio{Num: 1, Den: 1e12}}
	one, alone := bare.ErrorBursts()
	many, block := coded.ErrorBursts()
	if one != 1e12/8 || alone != 0 || many != 16*one || block != 1285 {
		t.Errorf("errors come every %g and %g bytes, in %d and %d bytes; want %g, %g, 0 and 1285", one, many, alone, block, 1e12/8, 16e12/8)
	}
}
