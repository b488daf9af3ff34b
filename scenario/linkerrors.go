package scenario

import "math"

// fecSymbol is the number of bits of a Reed-Solomon symbol of IEEE 802.3 and of the 25G
// consortium's code.
const fecSymbol = 10

// reedSolomon are the symbols of each code: all, and those with data.
var reedSolomon = map[FEC]struct{ n, k int }{RS272: {272, 258}, RS528: {528, 514}, RS544: {544, 514}}

// leastBurstGap is the least mean distance of two bursts of errors in bytes: with more errors a
// link does not come up.
const leastBurstGap = 64 << 10

// ErrorBursts are the errors that the link's FEC leaves: their mean distance and the length of each
// in bytes of the link. A link without errors has a distance of 0.
func (l *Link) ErrorBursts() (gap float64, length int64) {
	code, corrects := reedSolomon[l.FEC]
	wrong := 1 // bits of a burst, at least
	if corrects {
		length = int64(l.FECCodewords*code.k*fecSymbol+7) / 8
		wrong = (code.n-code.k)/2 + 1
	}
	switch {
	case l.EffectiveBER.Num > 0:
		gap = float64(wrong) / 8 * float64(l.EffectiveBER.Den) / float64(l.EffectiveBER.Num)
	case l.RawBER.Num > 0 && !corrects:
		gap = float64(l.RawBER.Den) / float64(l.RawBER.Num) / 8
	case l.RawBER.Num > 0:
		gap = float64(code.k*fecSymbol) / 8 / uncorrectable(code.n, wrong, float64(l.RawBER.Num)/float64(l.RawBER.Den))
	}
	return gap, length
}

// uncorrectable is the probability that a codeword of n symbols has at least wrong symbols with an
// error, if bits have errors independently of each other.
func uncorrectable(n, wrong int, ber float64) (sum float64) {
	symbol := -math.Expm1(fecSymbol * math.Log1p(-ber))
	for i := wrong; i <= n; i++ {
		sum += math.Exp(lnChoose(n, i) + float64(i)*math.Log(symbol) + float64(n-i)*math.Log1p(-symbol))
	}
	return sum
}

// lnChoose is the logarithm of the number of ways to choose k of n.
func lnChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return all - in - out
}

// checkErrors checks the link's errors.
func (r *fabricRules) checkErrors() {
	l := &r.Link
	if l.ErrorRate.Cmp(1, 1) > 0 {
		r.complain("link.error-rate", "%s is more than 1", l.ErrorRate)
	}
	at, ber := "link.raw-ber", l.RawBER
	if l.EffectiveBER.Num > 0 {
		at, ber = "link.effective-ber", l.EffectiveBER
	}
	switch gap, _ := l.ErrorBursts(); {
	case l.RawBER.Num > 0 && l.EffectiveBER.Num > 0:
		r.complain(at, "raw-ber is the rate before FEC and effective-ber the rate after it: give one of them")
	case ber.Num > 0 && ber.Cmp(1, 2) >= 0:
		r.complain(at, "%s of the bits wrong is noise: want less than 0.5", ber)
	case gap > 0 && gap < leastBurstGap:
		r.complain(at, "%s leaves errors every %.0f bytes after FEC (%s): such a link does not come up; want one in %d bytes or fewer", ber, gap, l.FEC, leastBurstGap)
	}
}
