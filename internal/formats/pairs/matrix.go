package pairs

import (
	"path"
	"regexp"
	"strings"
)

// ranked reads clusterkit's matrix (bandwidth.txt, latency.txt): a heading "Rank: 0 1 …", and a row for each rank, with its
// host in brackets. Its columns have a fixed width that a large number fills, so that numbers may touch: 0.0332928.0.
type ranked struct {
	r     *reader
	unit  unit
	hosts []string
	rows  [][]float64
	at    []int // lines of the rows
	size  int   // ranks of the heading
}

// rankedRow matches a row: the rank, the host, the values.
var rankedRow = regexp.MustCompile(`^\s*(\d{1,7})\s*\(([^)\s]+)\)\s*:?\s+(.*)$`)

func (m *ranked) line(n int, text string) {
	if fields := strings.Fields(text); len(fields) > 1 && fields[0] == "Rank:" {
		m.done()
		m.size, m.unit = len(fields)-1, m.unitOf()
		return
	}
	if m.size == 0 {
		return
	}
	row := rankedRow.FindStringSubmatch(text)
	if row == nil {
		if len(m.rows) > 0 || strings.TrimSpace(text) != "" {
			m.done()
		}
		return
	}
	if m.size > maxHosts {
		m.r.note(m.r.name, n, "the matrix has %d ranks, and at most %d are read: left out", m.size, maxHosts)
		m.size = 0
		return
	}
	values := touching(row[3], m.size)
	if len(values) != m.size {
		m.r.note(m.r.name, n, "the row of rank %s (%s) has %d values, want %d: left out", row[1], row[2], len(values), m.size)
		values = nil
	}
	m.hosts, m.rows, m.at = append(m.hosts, row[2]), append(m.rows, values), append(m.at, n)
	if len(m.rows) == m.size {
		m.done()
	}
}

// unitOf is the unit of the matrix: as a line above says it, or clusterkit's own by the name of the file.
func (m *ranked) unitOf() unit {
	if m.r.unit.scale > 0 {
		return m.r.unit
	}
	if strings.Contains(strings.ToLower(path.Base(m.r.name)), "lat") {
		return unit{true, 1}
	}
	return unit{false, 8e-3}
}

// done makes pairs of the rows.
func (m *ranked) done() {
	for i, row := range m.rows {
		for j, value := range row {
			if j < len(m.hosts) && value != 0 {
				m.r.add(m.at[i], m.hosts[i], m.hosts[j], value, m.unit, !m.unit.latency)
			}
		}
	}
	if len(m.rows) > 0 && len(m.rows) < m.size {
		m.r.note(m.r.name, m.at[len(m.at)-1], "the matrix ends after %d of %d rows", len(m.rows), m.size)
	}
	*m = ranked{r: m.r}
}

// decimal matches a number with a point.
var decimal = regexp.MustCompile(`^\d+\.(\d+)$`)

// touching are the values of a row. Where numbers touch, all have as many decimals as the last one.
func touching(text string, want int) (values []float64) {
	fields := strings.Fields(text)
	if len(fields) < want && len(fields) > 0 {
		if _, tail, ok := cutLast(fields[len(fields)-1]); ok && len(tail) > 0 && len(tail) < 8 {
			fields = apart(fields, len(tail))
		}
	}
	for _, f := range fields {
		x, ok := number(f)
		if !ok || x < 0 || len(values) > want {
			return values
		}
		values = append(values, x)
	}
	return values
}

func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// apart parts fields of several numbers, each with so many decimals.
func apart(fields []string, decimals int) (out []string) {
	for _, f := range fields {
		for {
			point := strings.IndexByte(f, '.')
			if point < 0 || point+decimals+1 >= len(f) || decimal.MatchString(f) {
				break
			}
			out = append(out, f[:point+decimals+1])
			f = f[point+decimals+1:]
		}
		out = append(out, f)
	}
	return out
}

// squared reads a matrix with hosts as rows and columns, parted by commas, tabs, bars or blanks. Its unit stands in the corner,
// or in a line above.
type squared struct {
	r     *reader
	hosts []string
	mark  string
	unit  unit
	rows  int
}

func (m *squared) line(n int, text string) {
	if m.hosts != nil {
		if m.row(n, text) {
			return
		}
		m.hosts = nil
	}
	for _, mark := range []string{",", "\t", "|", ""} {
		if mark == "" || strings.Contains(text, mark) {
			if cells := cellsOf(text, mark); m.heading(cells) {
				m.mark, m.rows = mark, 0
				return
			}
		}
	}
}

// cellsOf are the cells of a line.
func cellsOf(text, mark string) (out []string) {
	if mark == "" {
		return strings.Fields(text)
	}
	if mark == "|" {
		text = strings.Trim(strings.TrimSpace(text), "|")
	}
	for part := range strings.SplitSeq(text, mark) {
		out = append(out, strings.Trim(part, " \"'"))
	}
	return out
}

// heading reports whether cells are the heading of a matrix: a corner and the hosts.
func (m *squared) heading(cells []string) bool {
	if len(cells) < 3 || len(cells) > maxHosts+1 {
		return false
	}
	seen := map[string]bool{}
	for _, c := range cells[1:] {
		if _, isNumber := number(c); c == "" || isNumber || seen[c] || len(c) > maxName {
			return false
		}
		seen[c] = true
	}
	m.unit = m.r.unit
	if u, ok := unitIn(cells[0]); ok {
		m.unit = u
	}
	m.hosts = cells[1:]
	return true
}

// row reads a row. The first one must have one of the hosts, so that a heading of another table is none.
func (m *squared) row(n int, text string) bool {
	cells := cellsOf(text, m.mark)
	if m.mark == "|" && !strings.ContainsAny(text, "0123456789") {
		return true // the rule of Markdown
	}
	at := -1
	for i, h := range m.hosts {
		if len(cells) > 0 && cells[0] == h {
			at = i
		}
	}
	switch {
	case at < 0:
		return false
	case len(cells) != len(m.hosts)+1:
		m.r.note(m.r.name, n, "the row of %s has %d values, want one for each of the %d hosts: left out", cells[0], len(cells)-1, len(m.hosts))
		return true
	case m.unit.scale == 0:
		m.r.note(m.r.name, n, "the matrix says no unit: want it in the corner, such as Gb/s, MB/s or us")
		return true
	}
	for i, c := range cells[1:] {
		if i == at || c == "" || c == "-" || c == "N/A" || c == "x" || c == "X" {
			continue
		}
		x, ok := number(c)
		if !ok {
			m.r.note(m.r.name, n, "%q is no number: %s to %s is left out", short(c), m.hosts[at], m.hosts[i])
			continue
		}
		m.r.add(n, m.hosts[at], m.hosts[i], x, m.unit, false)
	}
	m.rows++
	return true
}

// short is a text shortened for a message.
func short(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
