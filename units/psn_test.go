package units

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPSNsWrapAt24Bits(t *testing.T) {
	for _, c := range []struct {
		p    PSN
		n    int32
		want PSN
	}{
		{0, 1, 1},
		{0xffffff, 1, 0},
		{0, -1, 0xffffff},
		{0xfffff0, 0x20, 0x10},
		{5, 1 << 24, 5},
		{5, -(1 << 24), 5},
	} {
		if got := c.p.Add(c.n); got != c.want {
			t.Errorf("%#x + %d = %#x, want %#x", c.p, c.n, got, c.want)
		}
	}
}

func TestPSNsAreOrderedAcrossTheWrap(t *testing.T) {
	for _, c := range []struct {
		p, q   PSN
		sub    int32
		before bool
	}{
		{1, 0, 1, false},
		{0, 0, 0, false},
		{0, 0xffffff, 1, false},
		{0xffffff, 0, -1, true},
		{0x7fffff, 0, 1<<23 - 1, false},
		{0x800000, 0, -(1 << 23), true}, // half the circle: IBA calls it invalid
	} {
		if got := c.p.Sub(c.q); got != c.sub {
			t.Errorf("%#x - %#x = %d, want %d", c.p, c.q, got, c.sub)
		}
		if got := c.p.Before(c.q); got != c.before {
			t.Errorf("%#x before %#x: %v, want %v", c.p, c.q, got, c.before)
		}
	}
}

// The twin keeps an unwrapped 64-bit count beside the PSN.
func TestPSNArithmeticAgreesWithUnwrappedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Int64Range(1<<24, 1<<40).Draw(t, "base")
		n := rapid.Int32Range(-(1<<23), 1<<23-1).Draw(t, "n")
		p, q := PSN(base&PSNMask), PSN((base+int64(n))&PSNMask)
		if got := p.Add(n); got != q {
			t.Fatalf("%#x + %d = %#x, want %#x", p, n, got, q)
		}
		if got := q.Sub(p); got != n {
			t.Fatalf("%#x - %#x = %d, want %d", q, p, got, n)
		}
		if got := q.Before(p); got != (n < 0) {
			t.Fatalf("%#x before %#x is %v, but the distance is %d", q, p, got, n)
		}
	})
}
