package logfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// flows refuses the table of a traffic generator, as the tests of sonic-net/sonic-mgmt print it (tests/snappi_tests): flows
// with counts of frames, without sizes and times. Its note says which flows lost frames, since that is what such a table
// tells.
type flows struct {
	b     *builder
	names []string // of the columns of the open table
	at    int      // its line
	lost  []string
	rows  int
}

var (
	flowColumn = regexp.MustCompile(`(?i)^flow(?:[ _]?name)?$`)
	lossColumn = regexp.MustCompile(`(?i)fail|loss|lost|delta|drop`)
)

// mostFlows bounds the flows that the note names.
const mostFlows = 4

func (r *flows) line(n int, text string) {
	if !strings.Contains(text, "|") {
		if r.names != nil && !strings.HasPrefix(strings.TrimSpace(text), "+") {
			r.done()
		}
		return
	}
	cells := split(text, "|")
	if r.names == nil {
		flow, loss := false, false
		for _, c := range cells {
			flow, loss = flow || flowColumn.MatchString(c), loss || lossColumn.MatchString(c)
		}
		if flow && loss {
			r.names, r.at = cells, n
		}
		return
	}
	r.row(cells)
}

// row keeps a flow that lost frames. A table of tabulate has no name for the column of numbers, which is the first one.
func (r *flows) row(cells []string) {
	if extra := len(cells) - len(r.names); extra > 0 {
		cells = cells[extra:]
	}
	if len(cells) != len(r.names) || !strings.ContainsAny(strings.Join(cells, ""), "0123456789") {
		return
	}
	r.rows++
	flow, class, lost := "", "", ""
	for i, name := range r.names {
		switch x, err := strconv.ParseFloat(cells[i], 64); {
		case flowColumn.MatchString(name):
			flow = cells[i]
		case strings.Contains(strings.ToLower(name), "dscp") || strings.Contains(strings.ToLower(name), "prio"):
			class = fmt.Sprintf(" (%s %s)", name, abridged(cells[i]))
		case lossColumn.MatchString(name) && err == nil && x > 0 && lost == "":
			lost = fmt.Sprintf(": %s %s", name, abridged(cells[i]))
		}
	}
	if lost != "" && len(r.lost) <= mostFlows {
		r.lost = append(r.lost, abridged(flow)+class+lost)
	}
}

// done notes the table.
func (r *flows) done() {
	if r.names != nil {
		what := "none of them lost frames"
		if len(r.lost) > mostFlows {
			r.lost[mostFlows] = "others"
		}
		if len(r.lost) > 0 {
			what = strings.Join(r.lost, "; ")
		}
		r.b.note(r.at, "this table lists %d flows of a traffic generator by counts of frames, without a size and a time or a bandwidth: it is not compared; what it says: %s", r.rows, what)
	}
	*r = flows{b: r.b}
}

func (r *flows) end(bool) { r.done() }
