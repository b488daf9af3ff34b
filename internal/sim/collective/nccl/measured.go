package nccl

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// figures.csv has the figures of each generation, with their 95 % intervals. The test
// TestCrossValidation of package validate fits them to published tables and writes the file;
// docs/VALIDATION.md shows them.
//
//go:embed figures.csv
var figuresFile []byte

// FiguresColumns are the columns of a file of estimates.
const FiguresColumns = "of,figure,value,low,high,origin"

// Estimate is a figure of a generation, or of a fit with its own name, with its 95 % interval; the
// interval is 0 if the figure is not fitted, and Origin then says where it comes from.
type Estimate struct {
	Of               string
	Figure           Figure
	Value, Low, High float64
	Origin           string
}

// Measured are the figures in use, by generation.
var Measured = sync.OnceValue(func() []Estimate {
	e, err := ReadFigures("figures.csv", bytes.NewReader(figuresFile))
	if err != nil {
		panic(err)
	}
	return e
})

// MeasuredOf are the figures in use of a generation, nil if it was not measured.
func MeasuredOf(g GPU) *Figures {
	if f, ok := measuredFigures()[g.String()]; ok {
		return &f
	}
	return nil
}

var measuredFigures = sync.OnceValue(func() map[string]Figures { return FiguresOf(Measured()) })

// FiguresOf are the values of estimates, by their Of.
func FiguresOf(estimates []Estimate) map[string]Figures {
	out := map[string]Figures{}
	for i := range estimates {
		e := &estimates[i]
		f := out[e.Of]
		f[e.Figure] = e.Value
		out[e.Of] = f
	}
	return out
}

// ReadFigures reads a file of estimates; name is for errors.
func ReadFigures(name string, from io.Reader) ([]Estimate, error) {
	lines, err := csv.NewReader(from).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(lines) == 0 || strings.Join(lines[0], ",") != FiguresColumns {
		return nil, fmt.Errorf("%s: the columns must be %s", name, FiguresColumns)
	}
	var out []Estimate
	for i, l := range lines[1:] {
		e := Estimate{Of: l[0], Figure: Figure(slices.Index(figureNames[:], l[1])), Origin: l[5]}
		if e.Figure < 0 {
			return nil, fmt.Errorf("%s: line %d: there is no figure %q", name, i+2, l[1])
		}
		for j, to := range []*float64{&e.Value, &e.Low, &e.High} {
			if l[2+j] == "" && j > 0 {
				continue
			}
			if *to, err = strconv.ParseFloat(l[2+j], 64); err != nil || !(*to > 0) {
				return nil, fmt.Errorf("%s: line %d: %q is no number above 0", name, i+2, l[2+j])
			}
		}
		out = append(out, e)
	}
	return out, nil
}
