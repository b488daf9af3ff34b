package report

import (
	"fmt"
	"strconv"

	"weft/internal/face/doc"
	"weft/results"
)

// estimateHead is the heading of the shares of points that were estimated, each with its bound.
const estimateHead = "estimated, bound"

// estimates reports whether parts of points may be estimated (--skip).
func estimates(r *results.Results) bool {
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			if p.Estimate != nil {
				return true
			}
		}
	}
	return false
}

// estimateCell is which part of a point was estimated, and within which bound.
func estimateCell(p *results.Point) doc.Cell {
	if p.Estimate == nil {
		return doc.None
	}
	share := doc.Share(p.Estimate.Share)
	return share.As(share.Text + ", " + boundText(p.Estimate))
}

// boundText is the bound of an estimate.
func boundText(e *results.Estimate) string {
	return strconv.FormatFloat(e.Bound*100, 'g', 6, 64) + " %"
}

// ofEstimates explains the column of estimates.
func ofEstimates(r *results.Results) string {
	if !estimates(r) {
		return ""
	}
	return "; estimated: share of the time, and the bound of the rates before it"
}

// ofSimulated says what an estimate does not have.
func ofSimulated(r *results.Results) string {
	if !estimates(r) {
		return ""
	}
	return "; flows, stalls, pauses, marks, resent and drops are of the simulated part alone"
}

// Estimated says how much of a run was estimated; "" if nothing might be.
func Estimated(r *results.Results) string {
	var most *results.Estimate
	of, points := 0, 0
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			if p.Estimate == nil {
				continue
			}
			points++
			if p.Estimate.Leaps > 0 {
				of++
			}
			most = most.Or(p.Estimate)
		}
	}
	switch {
	case most == nil:
		return ""
	case of == 0:
		return fmt.Sprintf("nothing was estimated: no rates were steady enough for a bound of %s", boundText(most))
	}
	return fmt.Sprintf("%d of %s in part estimated (--skip), up to %s of the time, with a bound of %s that the rates before each part set. Flow times, stalls, pauses, marks, resent packets and drops are of the simulated part alone",
		of, plural(int64(points), "result is", "results are"), doc.Share(most.Share).Text, boundText(most))
}

// estimateNotes is Estimated for a page.
func estimateNotes(r *results.Results) []doc.Block {
	if text := Estimated(r); text != "" {
		return doc.Notes(text)
	}
	return nil
}
