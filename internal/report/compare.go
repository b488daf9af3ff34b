package report

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/runstore"
	"weft/scenario"
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
	fmt.Fprintf(w, "\nTime and bandwidth (algbw and busbw in GB/s)\n\n")
	if err := writeSpeed(w, r, s); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nTail and network (flows: messages between nodes; stalls: waits for credits; pauses: PFC frames)\n\n")
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

// writeSpeed writes the fabrics side by side, as many in a table as fit.
func writeSpeed(w io.Writer, r *runstore.Results, s Style) error {
	per := len(r.Fabrics)
	for per > 1 && speedTable(r, 0, per).total() > s.width() {
		per--
	}
	for from := 0; from < len(r.Fabrics); from += per {
		if from > 0 {
			fmt.Fprintln(w)
		}
		if err := speedTable(r, from, min(from+per, len(r.Fabrics))).write(w, s); err != nil {
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
		head = append(head, cell{text: "fastest"})
	}
	t.add(head...)
	for _, size := range sizes(r) {
		row := []cell{{text: sizeText(size)}}
		best, tied, lead := fastest(r, size)
		for i, f := range r.Fabrics[from:to] {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, cell{text: missing(ok, p)}, cell{text: none}, cell{text: none})
				continue
			}
			attr, mark := "", ""
			if contest && (from+i == best || tied[from+i]) {
				attr = bold
			}
			if p.Partial {
				mark = "~"
			}
			row = append(row, cell{mark + timeCell(p.Time), attr}, cell{bandwidth(p.AlgBW), attr}, cell{bandwidth(p.BusBW), attr})
		}
		if contest {
			row = append(row, cell{text: winnerText(r, best, tied, lead)})
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

// fastest is the fabric with the least time at a size, who is within [tie] of
// it, and the next one's time over its own. best is -1 when fewer than two
// fabrics have a result, or some lost messages and others did not.
func fastest(r *runstore.Results, size int64) (best int, tied map[int]bool, lead float64) {
	best, tied = -1, map[int]bool{}
	if unequalLoss(r, size) {
		return best, tied, 0
	}
	measured := 0
	var least float64
	for i, f := range r.Fabrics {
		if p, ok := point(f, size); ok && p.Measured() {
			measured++
			if t := float64(p.Time); best < 0 || t < least {
				best, least = i, t
			}
		}
	}
	if measured < 2 {
		return -1, tied, 0
	}
	for i, f := range r.Fabrics {
		p, ok := point(f, size)
		if !ok || !p.Measured() || i == best {
			continue
		}
		ratio := float64(p.Time) / least
		if ratio <= 1+tie {
			tied[i] = true
		} else if lead == 0 || ratio < lead {
			lead = ratio
		}
	}
	return best, tied, lead
}

// winnerText names the fastest and its lead over the next that is not tied.
func winnerText(r *runstore.Results, best int, tied map[int]bool, lead float64) string {
	switch {
	case best < 0:
		return none
	case len(tied) == len(r.Fabrics)-1:
		return "all within 2 %"
	case len(tied) > 0 && lead == 0: // the others have no result
		return fmt.Sprintf("%d within 2 %%", 1+len(tied))
	case lead == 0:
		return fit(r.Fabrics[best].Name, 20)
	case len(tied) > 0:
		return fmt.Sprintf("%d within 2 %%, by %s×", 1+len(tied), times(lead))
	}
	return fmt.Sprintf("%s, by %s×", fit(r.Fabrics[best].Name, 20), times(lead))
}

// linkWidth is the most characters of a link's name: more is rarely its
// distinguishing part.
const linkWidth = 36

// networkTable is what the flows and the links saw, a row per size and fabric.
func networkTable(r *runstore.Results, linkWidth int) *table {
	t := &table{columns: []column{{}, {left: true}, {}, {}, {}, {}, {}, {}, {}, {left: true}, {}}}
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
