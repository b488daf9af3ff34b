package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/results"
	"weft/units"
)

// Skip is what a simulation may estimate in place of simulating it. The zero value is nothing.
type Skip struct {
	// Rate lets a collective leave out parts of itself as far as the rates before them say that its time stays
	// within this bound, above 0 and at most 1/MaxSkipRate. Such results are estimates: Point.Estimate says of which part.
	Rate units.Ratio
}

// MaxSkipRate is one over the widest bound of Skip.Rate.
const MaxSkipRate = 10

// skipRate begins the text of a Skip.
const skipRate = "rate="

var errSkip = errors.New("want rate=BOUND with a bound above 0 and at most 10%, such as rate=1%")

// On reports whether anything may be estimated.
func (s Skip) On() bool { return s.Rate.Num > 0 }

// check refuses bounds that say nothing.
func (s Skip) check() error {
	if s.Rate.Num < 0 || s.On() && s.Rate.Cmp(1, MaxSkipRate) > 0 {
		return fmt.Errorf("the bound %v of rates is out of range: %w", s.Rate, errSkip)
	}
	return nil
}

// String is rate=BOUND, or nothing.
func (s Skip) String() string {
	text, _ := s.MarshalText() // which has no errors
	return string(text)
}

// MarshalText is rate=BOUND, or nothing.
func (s Skip) MarshalText() ([]byte, error) {
	if !s.On() {
		return nil, nil
	}
	percent := strconv.FormatFloat(100*s.Rate.Float(), 'g', 6, 64) + "%"
	if r, err := units.ParseRatio(percent); err == nil && r == s.Rate {
		return []byte(skipRate + percent), nil
	}
	return []byte(skipRate + s.Rate.Exact()), nil
}

// UnmarshalText reads rate=BOUND.
func (s *Skip) UnmarshalText(text []byte) error {
	bound, is := strings.CutPrefix(string(text), skipRate)
	if !is {
		return errSkip
	}
	r, err := units.ParseRatio(bound)
	if err != nil || r.Num == 0 {
		return errSkip
	}
	own := Skip{r}
	if err := own.check(); err != nil {
		return errSkip
	}
	*s = own
	return nil
}

// bound is the bound of rates as a number.
func (s Skip) bound() float64 {
	if !s.On() {
		return 0
	}
	return s.Rate.Float()
}

// estimated says of a point of a run with Skip that nothing of it was estimated, if it does not say more.
func (s Skip) estimated(p *results.Point) {
	if s.On() && p.Estimate == nil && p.Measured() {
		p.Estimate = &results.Estimate{Bound: s.bound()}
	}
}
