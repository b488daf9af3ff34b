package doc

import (
	"fmt"
	"strconv"
	"strings"
)

// markerSize is half of a marker's width, in the units of a plot.
const markerSize = 3.6

// Marker is the outline of a series' marker: circle, square, triangle,
// diamond, cross, triangle down. Series that share a colour have different ones.
func Marker(series int, x, y float64) string {
	r := markerSize
	switch (series + series/Palette) % Palette {
	case 0:
		return fmt.Sprintf("M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 -%s 0Z", Num(x-r), Num(y), Num(r), Num(r), Num(2*r), Num(r), Num(r), Num(2*r))
	case 1:
		return fmt.Sprintf("M%s %sh%sv%sh-%sZ", Num(x-r*0.9), Num(y-r*0.9), Num(1.8*r), Num(1.8*r), Num(1.8*r))
	case 2:
		return fmt.Sprintf("M%s %sL%s %sL%s %sZ", Num(x), Num(y-1.2*r), Num(x+1.15*r), Num(y+0.9*r), Num(x-1.15*r), Num(y+0.9*r))
	case 3:
		return fmt.Sprintf("M%s %sl%s %sl-%s %sl-%s -%sZ", Num(x), Num(y-1.25*r), Num(1.25*r), Num(1.25*r), Num(1.25*r), Num(1.25*r), Num(1.25*r), Num(1.25*r))
	case 4:
		return fmt.Sprintf("M%s %sh%sv%sh-%sZM%s %sh%sv%sh-%sZ", Num(x-r), Num(y-r/3), Num(2*r), Num(r*0.66), Num(2*r), Num(x-r/3), Num(y-r), Num(r*0.66), Num(2*r), Num(r*0.66))
	}
	return fmt.Sprintf("M%s %sL%s %sL%s %sZ", Num(x), Num(y+1.2*r), Num(x+1.15*r), Num(y-0.9*r), Num(x-1.15*r), Num(y-0.9*r))
}

// Num is a coordinate with at most one decimal.
func Num(x float64) string {
	s := strconv.FormatFloat(x, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}
