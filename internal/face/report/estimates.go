package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
)

// estimateText says from what a point is estimated, and how sure its time is.
func estimateText(e *results.Estimate) string {
	var of []string
	if e.Rails > 0 {
		of = append(of, fmt.Sprintf("one of %d alike rails", e.Rails))
	}
	if e.Pieces < e.Of {
		of = append(of, fmt.Sprintf("%s of %s %s", doc.Integer(int64(e.Pieces)), doc.Integer(int64(e.Of)), e.What))
	}
	if e.Error() == 0 {
		return "simulated on " + of[0]
	}
	return fmt.Sprintf("estimated from %s, ±%.2g %%", strings.Join(of, " and "), 100*e.Error())
}

// estimateNotes lists the points of a run that are estimated, and says what of them is the part's.
func estimateNotes(r *results.Results) (out []string) {
	for i := range r.Fabrics {
		for _, p := range r.Fabrics[i].Points {
			if p.Estimate != nil && p.Failure == "" {
				out = append(out, fmt.Sprintf("%s at %s is %s.", r.Fabrics[i].Name, sizeText(p.Bytes), estimateText(p.Estimate)))
			}
		}
	}
	if len(out) > 0 {
		out = append(out, "weft extrapolates times and counters to the whole size. The times of messages and the links are from the simulated part. --error none simulates every packet.")
	}
	return out
}
