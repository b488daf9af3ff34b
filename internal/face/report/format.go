package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/internal/sim/protocol"
	"weft/internal/sim/runstore"
	"weft/units"
)

// none is the cell for a number that a fabric cannot have.
const none = "–"

// sizeText is a message size for people; patterns without one have 0.
func sizeText(bytes int64) string {
	if bytes == 0 {
		return "all"
	}
	return units.Bytes(bytes).String()
}

// timeCell is a time to four digits, with trailing zeros, so that a column is aligned.
func timeCell(t units.Time) string { return digits(t, 4) }

// shortTime is a time to three digits, for sentences.
func shortTime(t units.Time) string { return digits(t, 3) }

// digits is a time in its usual unit.
func digits(t units.Time, n int) string {
	if t == 0 {
		return "0"
	}
	for _, u := range []struct {
		size units.Time
		name string
	}{{units.Second, "s"}, {units.Millisecond, "ms"}, {units.Microsecond, "us"}, {units.Nanosecond, "ns"}, {1, "ps"}} {
		v := float64(t) / float64(u.size)
		if v < 1 && u.size > 1 {
			continue
		}
		decimals := n - len(strconv.FormatInt(int64(v), 10))
		if u.size == 1 {
			decimals = 0 // no smaller unit
		}
		text := strconv.FormatFloat(v, 'f', max(0, decimals), 64)
		if decimals > 0 && len(text) > n+1 { // 9.9996 is 10.00
			text = strings.TrimSuffix(text[:len(text)-1], ".")
		}
		return text + " " + u.name
	}
	return t.String()
}

// bandwidth is GB/s to about three digits, never as an exponent.
func bandwidth(gbytes float64) string {
	switch {
	case gbytes == 0:
		return "0"
	case gbytes < 0.0995:
		return strconv.FormatFloat(gbytes, 'f', 4, 64)
	case gbytes < 0.995:
		return strconv.FormatFloat(gbytes, 'f', 3, 64)
	case gbytes < 9.995:
		return strconv.FormatFloat(gbytes, 'f', 2, 64)
	case gbytes < 999.5:
		return strconv.FormatFloat(gbytes, 'f', 1, 64)
	}
	return strconv.FormatFloat(gbytes, 'f', 0, 64)
}

// shortBandwidth is GB/s to three digits, for sentences.
func shortBandwidth(gbytes float64) string {
	if gbytes >= 99.95 {
		return strconv.FormatFloat(gbytes, 'f', 0, 64)
	}
	return bandwidth(gbytes)
}

// count is an integer with thousands separated, and with its magnitude from a million on.
func count(n int64) string {
	if n >= 10_000_000 {
		for _, u := range []struct {
			div  float64
			name string
		}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
			if v := float64(n) / u.div; v >= 1 {
				return strconv.FormatFloat(v, 'g', 4, 64) + " " + u.name
			}
		}
	}
	return Integer(n)
}

// Integer is n with thousands separated: 12,345.
func Integer(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent is a fraction of 1 as a percentage.
func percent(x float64) string {
	if x > 0 && x < 0.0005 {
		return "<0.1 %"
	}
	if x != 0 && x < 0.0995 {
		return strconv.FormatFloat(100*x, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + " %"
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
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// stallsText and pausesText are the number of times that the link layer held a sender back: for
// lack of credits on InfiniBand, by PFC on Ethernet. A stall is one lane of one port that begins to
// wait, a pause one frame that stops a port: the two cannot be compared. TCP's classes are lossy
// and have neither.
func stallsText(p *protocol.Protocol, c runstore.Counts) string {
	if p.Ethernet() && c.CreditStalls == 0 {
		return none
	}
	return count(c.CreditStalls)
}

func pausesText(p *protocol.Protocol, c runstore.Counts) string {
	if !p.NeedsPauses() && c.Pauses == 0 {
		return none
	}
	return count(c.Pauses)
}

// marksText is the number of ECN marks; InfiniBand has its own congestion control, which is counted
// elsewhere.
func marksText(p *protocol.Protocol, c runstore.Counts) string {
	if c.Marks == 0 && !p.Ethernet() {
		return none
	}
	return count(c.Marks)
}

// notificationsText is the number of CNPs; none on a fabric without them, and within one segment
// without marking.
func notificationsText(p *protocol.Protocol, c runstore.Counts) string {
	if (!p.CNPs || p.OneSegment) && c.CNPs == 0 {
		return none
	}
	return count(c.CNPs)
}

// point finds a size in a fabric's results.
func point(f runstore.FabricResult, bytes int64) (runstore.Point, bool) {
	for _, p := range f.Points {
		if p.Bytes == bytes {
			return p, true
		}
	}
	return runstore.Point{}, false
}

// sizes are the sizes of all fabrics, in the order in which they first appear.
func sizes(r *runstore.Results) []int64 {
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
func hottest(p runstore.Point) (runstore.HotLink, bool) {
	if len(p.Hottest) == 0 {
		return runstore.HotLink{}, false
	}
	return p.Hottest[0], true
}

// Heading is a line that describes the run.
func Heading(r *runstore.Results) string {
	what := r.Workload
	if len(r.Fabrics) > 1 {
		what += fmt.Sprintf(" on %d fabrics", len(r.Fabrics))
	}
	return fmt.Sprintf("%s: %s, %s, %s, seed %d", r.Scenario, what,
		plural(int64(r.Ranks), "rank", "ranks"), plural(int64(r.Nodes), "node", "nodes"), r.Seed)
}
