package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// Explanation is what a run shows beyond its times: who paused whom, and who used the busiest links. It begins with
// sentences; the tables are in short for the largest size, and in full for each simulation. again is the command that
// simulates the run once more with its pauses recorded; empty if they are recorded.
func Explanation(r *results.Results, again string) *doc.Document {
	v := newComparison(r)
	d := &doc.Document{Brand: simulation, Title: r.Scenario, Subtitle: "busiest links and pauses", Heading: Heading(r), Series: names(r), Footer: sameAgain}
	first := pauseStories(r)
	if r.Partial {
		first = append([]doc.Block{partial}, first...)
	}
	first = append(first, doc.Paragraphs(append(v.dropped(), v.busiest()...)...)...)
	if again != "" && stopped(r) {
		first = append(first, doc.Notes(fmt.Sprintf("PFC frames stopped ports in this run, and who paused whom was not recorded: %s simulates it again and says so.", again))...)
	}
	d.Add(doc.Section{Verdict: true, Blocks: first})
	d.Add(doc.Section{Title: "Why one fabric leads", Caption: waterfallCaption, In: doc.Details, Blocks: waterfallTable(r)})
	busiest := v.hot(max(1, 12/max(1, len(r.Fabrics))))
	busiest.In = doc.Everywhere
	d.Add(busiest)
	for _, f := range r.Fabrics {
		for i := range f.Points {
			p := &f.Points[i]
			s := doc.Section{Title: heading(f.Name, p.Bytes), In: doc.Asked, Blocks: explainedPoint(p)}
			if p.Bytes == v.sizes[len(v.sizes)-1] {
				s.In = doc.Details
			}
			d.Add(s)
		}
	}
	d.Add(v.pauses())
	return d
}

// stopped reports whether PFC stopped ports in a simulation that did not record which.
func stopped(r *results.Results) bool {
	return anyPoint(r, func(p *results.Point) bool { return p.Pauses == nil && p.Counts.Pauses > 0 })
}

func anyPoint(r *results.Results, is func(*results.Point) bool) bool {
	for _, f := range r.Fabrics {
		for i := range f.Points {
			if is(&f.Points[i]) {
				return true
			}
		}
	}
	return false
}

// Explained adds the line that names weft explain to a report, after its verdict.
func Explained(d *doc.Document, line string) *doc.Document {
	for i := len(d.Sections) - 1; i >= 0 && line != ""; i-- {
		if s := &d.Sections[i]; s.Verdict {
			s.Blocks = append(s.Blocks, doc.Notes(line)...)
			break
		}
	}
	return d
}

// Explains is what weft explain has to say of a run beyond the report, in a few words; empty if nothing.
func Explains(r *results.Results) string {
	var out []string
	if anyPoint(r, func(p *results.Point) bool { return p.Counts.Pauses > 0 }) {
		out = append(out, "who paused whom")
	}
	if anyPoint(r, func(p *results.Point) bool { return p.Counts.Drops() > 0 }) {
		out = append(out, "why packets were dropped")
	}
	if anyPoint(r, func(p *results.Point) bool {
		h, known := hottest(*p)
		uneven := h.Choice() && h.Busy >= idleLink && h.Spread() >= crowded
		return known && (h.Busy >= busyLink || uneven || p.Counts.Marks > 0 || p.Counts.Drops() > 0)
	}) {
		out = append(out, "who used the busiest links")
	}
	return list(out)
}

// dropped are sentences about the packets that each fabric dropped at the largest size, by reason.
func (v *comparison) dropped() (out []string) {
	for _, f := range v.r.Fabrics {
		p, _ := point(f, v.last())
		c := &p.Counts
		if c.Drops() == 0 {
			continue
		}
		var why []string
		for _, x := range dropReasons {
			if n := x.of(c); n > 0 {
				why = append(why, fmt.Sprintf("%s (%s)", x.text, count(n)))
			}
		}
		text := fmt.Sprintf("%s packets were dropped because of %s", v.on(f), list(why))
		if c.Retransmissions > 0 {
			text += fmt.Sprintf("; %s sent again", plural(c.Retransmissions, "packet was", "packets were"))
		}
		if each := float64(c.Retransmissions) / float64(c.Drops()); each >= 2 {
			text += fmt.Sprintf(", %s for each of them", times(each))
		}
		out = append(out, text+".")
	}
	return out
}

// dropReasons are the counts of dropped packets, and the reasons.
var dropReasons = []struct {
	of   func(*results.Counts) int64
	text string
}{
	{func(c *results.Counts) int64 { return c.DroppedBuffer }, "lossy queues over their share of the buffer"},
	{func(c *results.Counts) int64 { return c.DroppedHeadroom }, "headroom that was full"},
	{func(c *results.Counts) int64 { return c.DroppedCorrupt }, "errors on links"},
	{func(c *results.Counts) int64 { return c.DroppedWatchdog }, "the PFC watchdog"},
	{func(c *results.Counts) int64 { return c.DroppedReceiver }, "the full buffer of a slow NIC"},
	{func(c *results.Counts) int64 { return c.DroppedLifetime }, "the lifetime at the head of a queue"},
	{func(c *results.Counts) int64 { return c.DroppedStalled }, "lanes that stalled after such drops"},
	{func(c *results.Counts) int64 { return c.DroppedFault }, "failed cables"},
	{func(c *results.Counts) int64 { return c.DroppedNoRoute }, "switches without a route"},
	{func(c *results.Counts) int64 { return c.DroppedMTU }, "a length above switch.mtu"},
	{func(c *results.Counts) int64 { return c.DroppedPKey }, "P_Keys of other partitions"},
	{func(c *results.Counts) int64 { return c.DroppedSegment }, "VRFs without a route between them"},
}

// last is the largest size; 0 without sizes.
func (v *comparison) last() int64 {
	if len(v.sizes) == 0 {
		return 0
	}
	return v.sizes[len(v.sizes)-1]
}

// on begins a sentence about a fabric at the largest size.
func (v *comparison) on(f results.FabricResult) string {
	return "On " + quoted(f.Name) + atSize(v.last())
}

// busiest are sentences about the busiest link of each fabric at the largest size. Where pauses stopped ports, idle
// links are no news.
func (v *comparison) busiest() (out []string) {
	for _, f := range v.r.Fabrics {
		p, _ := point(f, v.last())
		h, known := hottest(p)
		if !known || !p.Measured() {
			continue
		}
		if h.Busy < idleLink {
			if p.Pauses == nil {
				out = append(out, fmt.Sprintf("%s no link was busy for more than %s of the time.", v.on(f), percent(busyBound(h.Busy))))
			}
			continue
		}
		text := fmt.Sprintf("%s the busiest link, %s, was busy %s of the time", v.on(f), h.Name, percent(h.Busy))
		if h.Choice() {
			even := "even"
			if h.Spread() >= crowded {
				even = "uneven"
			}
			text += fmt.Sprintf("; the links from %s were busy %s on average, so the load is %s", h.Tier, percent(h.Busy/max(1, h.Spread())), even)
		}
		text += "."
		if who := whose(h); who != none {
			text += " It carried data of " + who + "."
		}
		out = append(out, text)
	}
	return out
}

// explainedPoint is a simulation in full.
func explainedPoint(p *results.Point) (out []doc.Block) {
	if p.Failure != "" {
		return []doc.Block{doc.Alarm("failed: " + p.Failure)}
	}
	if len(p.Hottest) > 0 {
		t := doc.Wrapped("busiest links", "busy", "carried", "over the mean of its tier", "whose data")
		for _, h := range p.Hottest {
			t.Add(doc.Text(h.Name), doc.Share(h.Busy), doc.Bytes(units.Bytes(h.Bytes)), doc.Text(spreadText(h)), doc.Text(whose(h)))
		}
		out = append(out, t)
	}
	if len(p.Beside) > 0 {
		t := doc.NewTable("beside it", "", "class", "messages", "GB/s", "mean", "p99", "slowest")
		for _, x := range p.Beside {
			t.Add(doc.Text(x.Name), doc.Text(x.Operation), doc.Instead(fmt.Sprint(x.Class)), doc.Count(x.Messages), doc.Bandwidth(x.GBps),
				doc.Time(units.Time(x.MeanPs)), doc.Time(units.Time(x.P99Ps)), doc.Time(units.Time(x.MaxPs)))
		}
		out = append(out, t)
	}
	return append(out, explainedPauses(p)...)
}

// explainedPauses describe the pauses, their causes, and the watchdog's actions.
func explainedPauses(p *results.Point) (out []doc.Block) {
	c := &p.Counts
	if c.PFCStorms > 0 {
		out = append(out, doc.Paragraph{Text: fmt.Sprintf("The PFC watchdog found %s and dropped %s.",
			plural(c.PFCStorms, "queue in a storm", "queues in a storm"), plural(c.DroppedWatchdog, "packet", "packets"))})
	}
	switch {
	case p.Pauses != nil:
		out = append(out, pauseTable(p.Pauses))
	case c.Pauses > 0:
		out = append(out, doc.Paragraph{Text: plural(c.Pauses, "PFC frame", "PFC frames") + " stopped ports."})
	}
	return out
}

// whose names the senders of the data on a link: streams and the workload, the flows of a pattern, or the ranks of a
// collective, the largest share first.
func whose(h results.HotLink) string {
	switch {
	case shared(h) != "":
		return shared(h)
	case len(h.Flows) > 0:
		return few(h.Flows)
	case len(h.Transfers) > 0:
		return transfersText(h)
	case h.Sprayed:
		return "connections that choose their path packet by packet"
	}
	return none
}

// namedTransfers is the number of a link's transfers that a sentence names, and namedShare the least share of its data
// that the largest one has then.
const (
	namedTransfers = 4
	namedShare     = 0.05
)

// transfersText names the transfers with the most bytes, each with its share of the data on the link.
func transfersText(h results.HotLink) string {
	all := h.Transferred()
	if largest := float64(h.Transfers[0].Bytes) / float64(max(1, all)); largest < namedShare {
		return fmt.Sprintf("%d pairs of ranks (%d senders, %d receivers), each with at most %s", len(h.Transfers)+h.More, h.Senders, h.Receivers, percent(largest))
	}
	var out []string
	rest := all
	for _, t := range h.Transfers[:min(len(h.Transfers), namedTransfers)] {
		rest -= t.Bytes
		of := percent(float64(t.Bytes) / float64(max(1, all)))
		if t.Group != "" {
			of = quoted(t.Group) + ", " + of
		}
		if n := len(t.Channels); n > 0 {
			of = channelsText(t.Channels) + ", " + of
		}
		out = append(out, fmt.Sprintf("rank %d to rank %d (%s)", t.From, t.To, of))
	}
	if n := len(h.Transfers) + h.More - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more pairs of ranks (%s)", n, percent(float64(rest)/float64(max(1, all)))))
	}
	return list(out)
}

// channelsText names some channels of a collective.
func channelsText(channels []int32) string {
	if len(channels) == 1 {
		return fmt.Sprintf("channel %d", channels[0])
	}
	var out []string
	for _, c := range channels {
		out = append(out, fmt.Sprint(c))
	}
	return "channels " + few(out)
}
