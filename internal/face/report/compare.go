package report

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
)

// Terminal writes what compare and run print: both tables and the sentences.
// The scenario may be nil; with it the sentences know more causes.
func Terminal(w io.Writer, r *runstore.Results, sc *scenario.Resolved, s Style) error {
	if _, err := fmt.Fprintf(w, "%s\n", s.Bold(Heading(r))); err != nil {
		return err
	}
	if r.Partial {
		fmt.Fprintln(w, s.Bold("partial: the run was stopped; sizes that were not finished are missing or marked with ~"))
	}
	time := "Time"
	if r.Workload == string(scenario.Uniform) {
		time = "Mean time of a message,"
	}
	fmt.Fprintf(w, "\n%s and bandwidth (algbw and busbw in GB/s)\n\n", time)
	if err := writeSpeed(w, r, s); err != nil {
		return err
	}
	if err := writeSeeds(w, r, s); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n\n", wrap("Tail and network (flows: messages between nodes; stalls: waits for credits; pauses: PFC frames)", s.width()))
	network := networkTable(r, linkWidth)
	if over := network.total() - s.width(); over > 0 {
		network = networkTable(r, max(12, linkWidth-over))
	}
	if err := network.write(w, s); err != nil {
		return err
	}
	if err := writeStreams(w, r, s); err != nil {
		return err
	}
	if err := writeFaults(w, r, s); err != nil {
		return err
	}
	for _, line := range failures(r) {
		fmt.Fprintf(w, "\n%s\n", line) // may have lines of its own: what waits for what
	}
	for _, lines := range [][]string{levels(r), violations(r)} {
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s\n", strings.Join(lines, "\n"))
		}
	}
	fmt.Fprintln(w)
	v := Judge(r, sc)
	for _, sentences := range [][]string{v.Where, v.Why, v.Notes} {
		for _, sentence := range sentences {
			fmt.Fprintln(w, wrap(sentence, s.width()))
		}
	}
	return nil
}

// writeSpeed writes the fabrics' times side by side.
func writeSpeed(w io.Writer, r *runstore.Results, s Style) error {
	return writeSideBySide(w, r, s, speedTable)
}

// writeSideBySide writes a table of all fabrics, as many in a part as fit.
func writeSideBySide(w io.Writer, r *runstore.Results, s Style, of func(r *runstore.Results, from, to int) *table) error {
	per := len(r.Fabrics)
	for per > 1 && of(r, 0, per).total() > s.width() {
		per--
	}
	for from := 0; from < len(r.Fabrics); from += per {
		if from > 0 {
			fmt.Fprintln(w)
		}
		if err := of(r, from, min(from+per, len(r.Fabrics))).write(w, s); err != nil {
			return err
		}
	}
	return nil
}

// total is the width of the table.
func (t *table) total() int {
	n := 0
	for j, w := range t.widths() {
		n += t.gap(j) + w
	}
	return n
}

// speedTable is time and bandwidth of some fabrics. The last of all columns
// names the fastest fabric of all.
func speedTable(r *runstore.Results, from, to int) *table {
	t := &table{columns: []column{{}}}
	head := []cell{{text: "size"}}
	for i, f := range r.Fabrics[from:to] {
		t.groups = append(t.groups, group{1 + 3*i, 4 + 3*i, cell{f.Name, ansi[(from+i)%len(ansi)]}})
		t.columns = append(t.columns, column{gap: 3}, column{gap: 2}, column{gap: 2})
		head = append(head, cell{text: "time"}, cell{text: "algbw"}, cell{text: "busbw"})
	}
	contest := len(r.Fabrics) > 1
	if contest {
		t.columns = append(t.columns, column{left: true, gap: 3})
		heading := "fastest"
		if !repeated(r) {
			heading = "least, in this run"
		}
		head = append(head, cell{text: heading})
	}
	t.add(head...)
	for _, size := range sizes(r) {
		row := []cell{{text: sizeText(size)}}
		s := standingAt(r, size)
		for i, f := range r.Fabrics[from:to] {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, cell{text: missing(ok, p)}, cell{text: none}, cell{text: none})
				continue
			}
			attr, mark := "", ""
			if contest && s.first(from+i) {
				attr = bold
			}
			if p.Partial {
				mark = "~"
			}
			row = append(row, cell{mark + timeCell(p.Time), attr}, cell{bandwidth(p.AlgBW), attr}, cell{bandwidth(p.BusBW), attr})
		}
		if contest {
			row = append(row, cell{text: s.text(r)})
		}
		t.add(row...)
	}
	return t
}

func missing(stated bool, p runstore.Point) string {
	if stated && p.Failure != "" {
		return "failed"
	}
	return none
}

// standing is how the fabrics stand at a size.
type standing struct {
	best   int          // the least time; -1 where fewer than two fabrics can be compared
	tied   map[int]bool // no difference that matters to the best
	open   map[int]bool // the seeds do not tell it from the best
	once   bool         // one run of results that are over seeds
	ratios []contrast   // by fabric: to the best
	lead   float64      // how many times as long the next takes that is behind; 0 where none is
}

// standingAt is how fabrics with results stand at a size. Where they did not deliver the
// same messages none is the best.
func standingAt(r *runstore.Results, size int64) standing {
	s := standing{best: -1, tied: map[int]bool{}, open: map[int]bool{}, ratios: make([]contrast, len(r.Fabrics))}
	if unequalLoss(r, size) {
		return s
	}
	measured := make(map[int]runstore.Point)
	for i, f := range r.Fabrics {
		if p, ok := point(f, size); ok && p.Measured() {
			measured[i] = p
			if s.best < 0 || p.Time < measured[s.best].Time {
				s.best = i
			}
		}
	}
	if len(measured) < 2 {
		s.best = -1
		return s
	}
	over := repeated(r)
	for i := range r.Fabrics {
		p, ok := measured[i]
		if !ok || i == s.best {
			continue
		}
		c := contrastOf([][2]runstore.Point{{p, measured[s.best]}})
		s.ratios[i], s.once = c, s.once || over && c.once()
		switch {
		case c.alike(over):
			s.tied[i] = true
		case !c.behind(over):
			s.open[i] = true
		case s.lead == 0 || c.mean < s.lead:
			s.lead = c.mean
		}
	}
	return s
}

// first reports whether no fabric is ahead of one.
func (s *standing) first(i int) bool { return i == s.best || s.tied[i] || s.open[i] }

// text names the fastest and its lead over the next that is behind it.
func (s *standing) text(r *runstore.Results) string {
	by := ""
	if s.lead > 0 {
		by = ", by " + times(s.lead) + "×"
	}
	switch n := 1 + len(s.tied) + len(s.open); {
	case s.best < 0:
		return none
	case s.once:
		return "one run"
	case len(s.open) > 0:
		return fmt.Sprintf("%d not told apart%s", n, by)
	case len(s.tied) == len(r.Fabrics)-1:
		return "all within 2 %"
	case len(s.tied) > 0:
		return fmt.Sprintf("%d within 2 %%%s", n, by)
	}
	return fit(r.Fabrics[s.best].Name, 20) + by
}

// linkWidth is the most characters of a link's name: more is rarely its
// distinguishing part.
const linkWidth = 36

// networkTable is what the flows and the links saw, a row per size and fabric.
func networkTable(r *runstore.Results, linkWidth int) *table {
	t := &table{keys: 2, columns: []column{{}, {left: true}, {}, {}, {}, {}, {}, {}, {}, {left: true}, {}}}
	head := []cell{
		{text: "size"},
		{text: "fabric"},
		{text: "flow p99"},
		{text: "flow max"},
		{text: "stalls"},
		{text: "pauses"},
		{text: "ECN marks"},
		{text: "resent"},
		{text: "drops"},
		{text: "hottest link"},
		{text: "busy"},
	}
	t.add(head...)
	for _, size := range sizes(r) {
		label := sizeText(size)
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				continue
			}
			link, busy := none, none
			if h, ok := hottest(p); ok {
				link, busy = fit(h.Name, linkWidth), percent(h.Busy)
			}
			p99, most := none, none
			if p.Flows.N > 0 {
				p99, most = timeCell(p.Flows.P99), timeCell(p.Flows.Max)
			}
			t.add(cell{text: label}, cell{fit(f.Name, 22), ansi[i%len(ansi)]}, cell{text: p99}, cell{text: most},
				cell{text: stallsText(f.Protocol, p.Counts)}, cell{text: pausesText(f.Protocol, p.Counts)}, cell{text: marksText(f.Protocol, p.Counts)},
				cell{text: count(p.Counts.Retransmissions)}, cell{text: count(p.Counts.Drops())},
				cell{text: link}, cell{text: busy})
			label = ""
		}
	}
	return t
}

// failures are the points without a result, and those whose messages did not all
// arrive at once, a line each.
func failures(r *runstore.Results) []string {
	var lines []string
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			if p.Failure != "" {
				lines = append(lines, fmt.Sprintf("%s failed at %s: %s", f.Name, sizeText(p.Bytes), p.Failure))
				continue
			}
			if text := refused(&p); text != "" {
				lines = append(lines, fmt.Sprintf("%s at %s %s", f.Name, sizeText(p.Bytes), text))
			}
		}
	}
	return lines
}

// unequalLoss reports whether fabrics lost different numbers of messages of a size, or
// kept different numbers apart: the time of a part of the work is not to be held against
// that of more.
func unequalLoss(r *runstore.Results, size int64) bool {
	first := int64(-1)
	for _, f := range r.Fabrics {
		p, ok := point(f, size)
		if !ok || !p.Measured() {
			continue
		}
		missing := p.Counts.MessagesLost + p.Counts.MessagesBarred
		if first < 0 {
			first = missing
		}
		if missing != first {
			return true
		}
	}
	return false
}

// refused says how many messages were lost and why, or had to come again for
// want of a receive; empty where all went well.
func refused(p *runstore.Point) string {
	c := &p.Counts
	if c.RNRNAKs > 0 {
		return "drew " + plural(c.RNRNAKs, "RNR NAK", "RNR NAKs") + ": messages found no receive posted and came again"
	}
	if c.MessagesLost == 0 {
		return ""
	}
	var why []string
	for _, x := range []struct {
		n         int64
		one, many string
	}{
		{c.Drops(), "packet was dropped in the network", "packets were dropped in the network"},
		{c.DroppedNoReceive, "message found no receive posted", "messages found no receive posted"},
		{c.DroppedOutOfTurn, "packet of a torn or overtaken message was refused", "packets of torn or overtaken messages were refused"},
	} {
		if x.n > 0 {
			why = append(why, plural(x.n, x.one, x.many))
		}
	}
	return fmt.Sprintf("lost %s of %s messages: %s", count(c.MessagesLost), count(c.MessagesLost+p.Flows.N), list(why))
}

// Wrapped is a paragraph in lines that fit the terminal.
func Wrapped(text string, s Style) string { return wrap(text, s.width()) }

// wrap breaks a paragraph into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	col := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case col == 0:
		case col+1+n > width && !strings.HasPrefix(word, "%"): // 2 % stays together
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}
