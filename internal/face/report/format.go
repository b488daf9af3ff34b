package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// none is the text for what a fabric cannot have.
const none = "–"

// sizeText is a message size for people; patterns without one have 0.
func sizeText(bytes int64) string { return sizeCell(bytes).Text }

// sizeCell is a message size in a table: as a user writes it, or with four digits if it is no round number, as the bytes
// of an exchange.
func sizeCell(bytes int64) doc.Cell {
	if bytes == 0 {
		return doc.Instead("all")
	}
	cell, exact := doc.Bytes(units.Bytes(bytes)), written(units.Bytes(bytes))
	if len(exact) > longestSize {
		return cell
	}
	return cell.As(exact)
}

// longestSize is the length of a size that is written in full: 1000 KiB, 65537 B.
const longestSize = len("65537 B") + 1

// written is a configured amount of data in the unit that loses nothing, as a scenario has it:
// 100 KB, not 97.66 KiB. Measured amounts are in KiB.
func written(b units.Bytes) string {
	text := b.Exact()
	end := strings.IndexAny(text, "TGMKB")
	return text[:end] + " " + text[end:]
}

// The texts of quantities, for sentences. shortTime has three digits; the others have the format of
// a table's cell.
func shortTime(t units.Time) string   { return doc.TimeText(t, 3) }
func fullTime(t units.Time) string    { return doc.Time(t).Text }
func bandwidth(gbytes float64) string { return doc.Bandwidth(gbytes).Text }
func count(n int64) string            { return doc.Count(n).Text }
func percent(x float64) string        { return doc.Share(x).Text }
func signedPercent(x float64) string  { return doc.Tenths(x).Text }

// shortBandwidth is GB/s to three digits, for sentences.
func shortBandwidth(gbytes float64) string {
	if gbytes >= 99.95 {
		return strconv.FormatFloat(gbytes, 'f', 0, 64)
	}
	return bandwidth(gbytes)
}

// times is a ratio: 1.23, 8.3, 120.
func times(x float64) string {
	switch {
	case x < 1.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 9.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(math.Round(x), 'f', 0, 64)
}

// plural is a count with its noun.
func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return doc.Count(n).Text + " " + many
}

// exactly is a number with all its digits and its noun.
func exactly[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return doc.Integer(int64(n)) + " " + many
}

// namesOf are the names of things.
func namesOf[T any](things []T, name func(T) string) []string {
	out := make([]string, len(things))
	for i, x := range things {
		out[i] = name(x)
	}
	return out
}

// leastOf is the first of n things with the least known value; -1 if no value is known.
func leastOf(n int, value func(i int) (x int64, known bool)) int {
	best, least := -1, int64(0)
	for i := range n {
		if x, known := value(i); known && (best < 0 || x < least) {
			best, least = i, x
		}
	}
	return best
}

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// point finds a size in a fabric's results.
func point(f results.FabricResult, bytes int64) (results.Point, bool) {
	for _, p := range f.Points {
		if p.Bytes == bytes {
			return p, true
		}
	}
	return results.Point{}, false
}

// sizes are the sizes of all fabrics, in the order in which they first appear.
func sizes(r *results.Results) []int64 {
	var all []int64
	seen := map[int64]bool{}
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			if !seen[p.Bytes] {
				seen[p.Bytes] = true
				all = append(all, p.Bytes)
			}
		}
	}
	return all
}

// hottest is the busiest link of a point.
func hottest(p results.Point) (results.HotLink, bool) {
	if len(p.Hottest) == 0 {
		return results.HotLink{}, false
	}
	return p.Hottest[0], true
}

// Heading is a line that describes the run.
func Heading(r *results.Results) string {
	what := r.Workload
	if len(r.Fabrics) > 1 {
		what += fmt.Sprintf(" on %d fabrics", len(r.Fabrics))
	}
	return fmt.Sprintf("%s: %s, %s, %s, seed %d", r.Scenario, what,
		plural(r.Ranks, "rank", "ranks"), plural(r.Nodes, "node", "nodes"), r.Seed)
}
