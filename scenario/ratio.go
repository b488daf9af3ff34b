package scenario

import "weft/units"

// Ratio is an exact fraction.
type Ratio = units.Ratio

// ParseRatio reads a ratio.
func ParseRatio(text string) (Ratio, error) { return units.ParseRatio(text) }
