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

// estimateNotes names the estimated points of each fabric. Some figures of such a point count the simulated part alone:
// the notes name these figures.
func estimateNotes(r *results.Results) (out []string) {
	exact := true
	for i := range r.Fabrics {
		var texts []string
		sizes := map[string][]string{} // by text
		for _, p := range r.Fabrics[i].Points {
			if p.Estimate == nil || p.Failure != "" {
				continue
			}
			text := estimateText(p.Estimate)
			if sizes[text] == nil {
				texts = append(texts, text)
			}
			sizes[text] = append(sizes[text], sizeText(p.Bytes))
			exact = exact && p.Estimate.Error() == 0
		}
		for _, text := range texts {
			out = append(out, fmt.Sprintf("%s at %s: %s.", r.Fabrics[i].Name, list(sizes[text]), text))
		}
	}
	switch {
	case len(out) == 0:
	case exact:
		out = append(out, "In a part of this run every GPU took every step at the same time as the other GPUs of its node. So the time of one rail is the time of all. Counters are multiplied by the number of rails; messages and links are those of the simulated rail. --error none simulates every packet.")
	default:
		out = append(out, "weft extrapolates times and counters to the whole size. The times of messages and the links are from the simulated part. --error none simulates every packet.")
	}
	return out
}
