package pairs

import (
	"regexp"
	"slices"
	"strings"
)

// listed reads a list of pairs: a table with named columns, one for each end and one for the measurement; or lines that name
// the quantity, both ends and the value, as many scripts around perftest print them.
type listed struct {
	r       *reader
	columns []column
	mark    string
}

// column is the meaning of a column.
type column struct {
	what string // from, to, value; "" for others
	unit unit
}

// ends are the usual names of the columns of the two ends, without case and signs.
var ends = map[string]string{
	"from": "from", "src": "from", "source": "from", "client": "from", "host1": "from", "node1": "from", "hosta": "from", "nodea": "from", "sender": "from",
	"srchost": "from", "sourcehost": "from", "srcnode": "from", "initiator": "from", "a": "from", "sourcenode": "from", "clienthost": "from",
	"to": "to", "dst": "to", "dest": "to", "destination": "to", "server": "to", "host2": "to", "node2": "to", "hostb": "to", "nodeb": "to", "receiver": "to",
	"dsthost": "to", "desthost": "to", "dstnode": "to", "target": "to", "b": "to", "targetnode": "to", "serverhost": "to", "targethost": "to", "peer": "to",
}

// quantities are words of a column that measures.
var quantities = regexp.MustCompile(`(?i)^(?:avg|average|mean|min|bus)?[_ ]?(?:bw|bandwidth|throughput|rate|lat|latency|busbw|algbw)`)

// statement matches a line of a script.
var statement = regexp.MustCompile(`(?i)\b(bandwidth|bw|latency|lat)\b[: ]+(\S+) *(?:-+>?|<->|to) *(\S+) *[:=] *([0-9.]+) *([A-Za-zµμ/]+)`)

var signs = regexp.MustCompile(`[^a-z0-9]+`)

func (l *listed) line(n int, text string) {
	if m := statement.FindStringSubmatch(text); m != nil {
		l.statement(n, m)
		return
	}
	if l.columns != nil {
		if l.row(n, cellsOf(text, l.mark)) {
			return
		}
		l.columns = nil
	}
	for _, mark := range []string{",", "\t", "|", ""} {
		if (mark == "" || strings.Contains(text, mark)) && l.heading(cellsOf(text, mark)) {
			l.mark = mark
			return
		}
	}
}

// statement reads a line that names the pair.
func (l *listed) statement(n int, m []string) {
	u, ok := unitOf(m[5])
	x, isNumber := number(m[4])
	if !ok || !isNumber || u.latency != strings.HasPrefix(strings.ToLower(m[1]), "lat") {
		l.r.note(l.r.name, n, "%s %s of %s and %s is no %s: left out", short(m[4]), short(m[5]), short(m[2]), short(m[3]), m[1])
		return
	}
	l.r.add(n, m[2], m[3], x, u, false)
}

// heading reports whether cells are the heading of a list.
func (l *listed) heading(cells []string) bool {
	columns := make([]column, len(cells))
	has := map[string]bool{}
	for i, c := range cells {
		if _, isNumber := number(c); isNumber {
			return false
		}
		what := ends[signs.ReplaceAllString(strings.ToLower(c), "")]
		if has[what] {
			what = ""
		}
		columns[i].what = what
		_, isUnit := unitOf(strings.TrimSpace(c)) // as in from,to,gbps
		if u, ok := unitIn(c); what == "" && (isUnit || quantities.MatchString(strings.TrimSpace(c))) {
			columns[i] = column{what: "value", unit: u}
			if !ok {
				columns[i].unit = l.r.unit
			}
		}
		has[columns[i].what] = true
	}
	if !has["from"] || !has["to"] || !has["value"] {
		return false
	}
	l.columns = columns
	return true
}

// row reads a row of a list.
func (l *listed) row(n int, cells []string) bool {
	if len(cells) < 2 {
		return false
	}
	if l.mark == "|" && !strings.ContainsAny(strings.Join(cells, ""), "0123456789") {
		return true
	}
	if len(cells) != len(l.columns) {
		l.r.note(l.r.name, n, "this row has %d cells, and the table %d columns: left out", len(cells), len(l.columns))
		return true
	}
	end := func(what string) string {
		return cells[slices.IndexFunc(l.columns, func(c column) bool { return c.what == what })]
	}
	for i, c := range l.columns {
		if c.what != "value" || cells[i] == "" {
			continue
		}
		x, ok := number(cells[i])
		switch {
		case !ok:
			l.r.note(l.r.name, n, "%q is no number: %s to %s is left out", short(cells[i]), short(end("from")), short(end("to")))
		case c.unit.scale == 0:
			l.r.note(l.r.name, n, "the column of the value says no unit: want a name such as bandwidth (Gb/s), bw_gbps or latency (us)")
		default:
			l.r.add(n, end("from"), end("to"), x, c.unit, false)
		}
	}
	return true
}
