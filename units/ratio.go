package units

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Ratio is an exact fraction in lowest terms: a threshold's alpha, a
// probability, an oversubscription. It is written as 1/8, 0.125, 12.5%, 3:1 or 1e-12.
type Ratio struct{ Num, Den int64 }

// ErrRatio is the error of a text that is no ratio.
var ErrRatio = errors.New("want a ratio such as 0.2, 20%, 1/8, 3:1 or 1e-12")

// ParseRatio reads a ratio. It is never negative.
func ParseRatio(s string) (Ratio, error) {
	t := strings.TrimSpace(s)
	scale := int64(1)
	if p, ok := strings.CutSuffix(t, "%"); ok {
		t, scale = strings.TrimSpace(p), 100
	}
	num, den, split := strings.Cut(strings.Replace(t, ":", "/", 1), "/")
	n, err := parseDecimal(strings.TrimSpace(num))
	if err != nil {
		return Ratio{}, err
	}
	d := Ratio{1, 1}
	if split {
		if d, err = parseDecimal(strings.TrimSpace(den)); err != nil {
			return Ratio{}, err
		}
		if d.Num == 0 {
			return Ratio{}, ErrRatio
		}
	}
	r := n.Mul(Ratio{d.Den, d.Num}).Mul(Ratio{1, scale})
	if r.Den == 0 {
		return Ratio{}, errDigits
	}
	return r, nil
}

// maxDigits is the most digits of a number of a ratio: bit error rates are quoted down to
// 1e-15.
const maxDigits = 18

// errDigits is the error of a ratio that is finer than weft keeps.
var errDigits = errors.New("the ratio needs more digits than weft keeps")

// parseDecimal reads digits with or without a point, and with or without an exponent.
func parseDecimal(s string) (Ratio, error) {
	s, exponent, scientific := strings.Cut(strings.ToLower(s), "e")
	power := 0
	if scientific {
		var err error
		if power, err = strconv.Atoi(exponent); errors.Is(err, strconv.ErrRange) || err == nil && (power > maxDigits || power < -maxDigits) {
			return Ratio{}, errDigits
		} else if err != nil {
			return Ratio{}, ErrRatio
		}
	}
	whole, frac, _ := strings.Cut(s, ".")
	if len(whole)+len(frac) == 0 || strings.Trim(whole+frac, "0123456789") != "" {
		return Ratio{}, ErrRatio
	}
	if len(whole)+len(frac) > maxDigits {
		return Ratio{}, errDigits
	}
	n, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return Ratio{}, ErrRatio
	}
	r := Ratio{n, 1}.Mul(Ratio{1, tenTo(len(frac))}).Mul(Ratio{tenTo(max(0, power)), tenTo(max(0, -power))})
	if r.Den == 0 {
		return Ratio{}, errDigits
	}
	return r, nil
}

// tenTo is a power of ten, of at most maxDigits.
func tenTo(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// Mul is the product in lowest terms, or 0/0 when it does not fit.
func (r Ratio) Mul(q Ratio) Ratio {
	a, b := Ratio{r.Num, q.Den}.Reduced(), Ratio{q.Num, r.Den}.Reduced()
	num, ok1 := mulFits(a.Num, b.Num)
	den, ok2 := mulFits(a.Den, b.Den)
	if !ok1 || !ok2 {
		return Ratio{}
	}
	return Ratio{num, den}.Reduced()
}

func mulFits(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo < 1<<63
}

// Of is the ratio of x, rounded down.
func (r Ratio) Of(x int64) int64 {
	if r.Den == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(x), uint64(r.Num))
	q, _ := bits.Div64(hi%uint64(r.Den), lo, uint64(r.Den))
	return int64(q)
}

// Share is a ratio of at most 1 in parts of 2^64, rounded down; the most that fits is 1.
func (r Ratio) Share() uint64 {
	if r.Den == 0 || r.Num >= r.Den {
		if r.Num == 0 {
			return 0
		}
		return math.MaxUint64
	}
	q, _ := bits.Div64(uint64(r.Num), 0, uint64(r.Den))
	return q
}

// Cmp compares r with a/b: -1, 0 or 1.
func (r Ratio) Cmp(a, b int64) int {
	h1, l1 := bits.Mul64(uint64(r.Num), uint64(b))
	h2, l2 := bits.Mul64(uint64(a), uint64(r.Den))
	switch {
	case h1 < h2 || h1 == h2 && l1 < l2:
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

// Float is the ratio as a floating-point number, for reports only.
func (r Ratio) Float() float64 {
	if r.Den == 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// Exact prints the ratio so that ParseRatio reads the same one.
func (r Ratio) Exact() string {
	if r.Den == 1 || r.Den == 0 {
		return strconv.FormatInt(r.Num, 10)
	}
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

func (r Ratio) String() string { return r.Exact() }

// Reduced is the ratio in lowest terms.
func (r Ratio) Reduced() Ratio {
	a, b := r.Num, r.Den
	for b != 0 {
		a, b = b, a%b
	}
	if a == 0 {
		return r
	}
	return Ratio{r.Num / a, r.Den / a}
}
