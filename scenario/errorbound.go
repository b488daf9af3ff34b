package scenario

import (
	"fmt"
	"strconv"

	"weft/units"
)

// ErrorBound is the error to which weft may estimate the time of a long collective from a part of
// it: half of the interval in which the time lies, over the time. It is written as 1% or 0.01, or as
// none if every packet is to be simulated. The zero value is [DefaultError].
type ErrorBound float64

// DefaultError is the bound of a scenario that names none.
const DefaultError ErrorBound = 0.01

// NoEstimate is the bound of a scenario of which every packet is simulated.
const NoEstimate ErrorBound = -1

// Bounds of an ErrorBound. A narrower interval takes as long as the whole simulation; a wider one
// says nothing.
const (
	leastError = 0.001
	mostError  = 0.5
)

// Fraction is the bound; 0 if nothing may be estimated.
func (b ErrorBound) Fraction() float64 {
	switch b {
	case 0:
		return float64(DefaultError)
	case NoEstimate:
		return 0
	}
	return float64(b)
}

// Exact is the bound in a form that reads as the same bound.
func (b ErrorBound) Exact() string {
	if b == NoEstimate {
		return "none"
	}
	return strconv.FormatFloat(100*b.Fraction(), 'g', 10, 64) + "%"
}

// parseErrorBound reads a bound.
func parseErrorBound(text string) (ErrorBound, error) {
	if text == "none" {
		return NoEstimate, nil
	}
	r, err := units.ParseRatio(text)
	if x := r.Float(); err != nil || x < leastError || x > mostError {
		return 0, fmt.Errorf("%q is no bound of an estimate's error: want 0.1%% to 50%%, or none to simulate every packet", abridged(text))
	}
	return ErrorBound(r.Float()), nil
}
