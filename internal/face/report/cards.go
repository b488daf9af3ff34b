package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// comparison is results with their sizes, the smallest first.
type comparison struct {
	r     *results.Results
	sizes []int64
}

func newComparison(r *results.Results) *comparison {
	v := &comparison{r, sizes(r)}
	slices.Sort(v.sizes)
	return v
}

// sameAgain is the footer of a page about a simulation, and scenarioTitle the title of its last
// section.
const (
	sameAgain     = "Made by weft. The same scenario, seed and version make the same page."
	scenarioTitle = "The scenario, every value resolved"
)

// simulation is the brand of a page about simulated networks.
const simulation = "packet-level simulation"

func subtitle(r *results.Results, sc *scenario.Resolved) string {
	parts := []string{r.Workload, plural(r.Ranks, "rank", "ranks") + " on " + plural(r.Nodes, "node", "nodes")}
	if sc != nil {
		n, nodes := sc.Cluster.Node, "nodes"
		if r.Nodes == 1 {
			nodes = "node"
		}
		parts[1] = fmt.Sprintf("%s %s of %d %s", doc.Integer(int64(r.Nodes)), nodes, n.GPUs, title(catalog.GPU, n.GPU.Model))
		parts = append(parts, shapes(sc))
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), " · ")
}

// shapes is the common topology of the fabrics, or a note that they differ.
func shapes(sc *scenario.Resolved) string {
	text := ""
	for i := range sc.Fabrics {
		switch own := shapeText(&sc.Fabrics[i]); text {
		case "", own:
			text = own
		default:
			return "topologies as listed below"
		}
	}
	return text
}

// title is the catalog's name of an entry.
func title(kind catalog.Kind, name string) string {
	if e, err := catalog.Lookup(kind, name); err == nil && e.Title != "" {
		return e.Title
	}
	return name
}

// cards are the summaries of the fabrics.
func (v *comparison) cards() doc.Section {
	var cards doc.Cards
	for _, f := range v.r.Fabrics {
		cards = append(cards, v.card(f))
	}
	return doc.Section{In: doc.Page, Blocks: []doc.Block{cards}}
}

// card is the key figures of a fabric.
func (v *comparison) card(f results.FabricResult) doc.Card {
	c := doc.Card{Title: f.Name, Subtitle: protocolTitle(f.Protocol)}
	if f.Rate > 0 {
		c.Subtitle += ", " + f.Rate.String() + " a port"
	}
	if f.Engine != "" {
		c.Subtitle += ", routed by " + f.Engine
	}
	add := func(label, value, note string) {
		c.Figures = append(c.Figures, doc.CardFigure{Label: label, Value: value, Note: note})
	}
	var points []results.Point
	for _, size := range v.sizes {
		if p, ok := point(f, size); ok && p.Measured() {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		add("result", "none", "every size failed or was not reached")
		return c
	}
	first, last := points[0], points[len(points)-1]
	add("time", shortTime(first.Time), figureAt("", first.Bytes))
	best := slices.MaxFunc(points, func(a, b results.Point) int { return cmp.Compare(a.BusBW, b.BusBW) })
	if what := "best"; best.BusBW > 0 {
		if len(points) == 1 {
			what = ""
		}
		add("bus bandwidth", bandwidth(best.BusBW)+" GB/s", figureAt(what, best.Bytes))
	}
	if last.Flows.N > 0 && last.Flows.P50 > 0 {
		ratio := float64(last.Flows.Max) / float64(last.Flows.P50)
		add("slowest flow", times(ratio)+"×", figureAt("the median", last.Bytes))
	}
	var stalls, pauses, drops int64
	for _, p := range points {
		stalls, pauses, drops = stalls+p.Counts.CreditStalls, pauses+p.Counts.Pauses, drops+p.Counts.Drops()
	}
	over := "over the sweep"
	if len(points) == 1 {
		over = figureAt("", last.Bytes)
	}
	p := protocol.Of(f.Protocol)
	if !p.Ethernet() {
		add("credit stalls", count(stalls), over)
	}
	if p.NeedsPauses() || pauses > 0 {
		add("PFC pauses", count(pauses), over)
	}
	add("drops", count(drops), over)
	return c
}

// figureAt is the note on a figure's size, if the pattern has sizes.
func figureAt(what string, bytes int64) string {
	switch {
	case bytes <= 0:
		return what
	case what == "":
		return "at " + sizeText(bytes)
	}
	return what + ", at " + sizeText(bytes)
}

func protocolTitle(name string) string {
	p := protocol.Of(name)
	if p.TCP == protocol.KernelTCP {
		return "kernel TCP"
	}
	return cmp.Or(p.Title, name)
}

// bars compares the fabrics' times of a single size.
func (v *comparison) bars() doc.Section {
	if len(v.sizes) != 1 || len(v.r.Fabrics) < 2 {
		return doc.Section{}
	}
	most := 0.0
	for _, f := range v.r.Fabrics {
		p, _ := point(f, v.sizes[0])
		most = max(most, float64(p.Time))
	}
	t := doc.NewTable("fabric", "time", "less is better")
	for i, f := range v.r.Fabrics {
		if p, ok := point(f, v.sizes[0]); ok && p.Measured() {
			t.Add(doc.Text(f.Name).In(doc.Series(i)), doc.Time(p.Time), doc.Cell{Tone: doc.Series(i), Bar: float64(p.Time) / most})
		}
	}
	return doc.Section{Title: "Time " + figureAt("", v.sizes[0]), In: doc.Page, Blocks: []doc.Block{t}}
}

// hotLinks is the number of a fabric's links on the page: enough to see an outlier.
const hotLinks = 4

// hot is the busiest links of the largest size, a number of them for each fabric.
func (v *comparison) hot(links int) doc.Section {
	t := doc.NewTable("fabric", "link", "busy", "carried", "over the mean of its tier", "whose bytes")
	last := int64(0)
	if len(v.sizes) > 0 {
		last = v.sizes[len(v.sizes)-1]
	}
	for i, f := range v.r.Fabrics {
		p, _ := point(f, last)
		for _, h := range p.Hottest[:min(links, len(p.Hottest))] {
			busy := doc.Share(h.Busy).In(doc.Series(i))
			busy.Bar = max(0, h.Busy)
			t.Add(doc.Text(f.Name).In(doc.Series(i)), doc.Text(h.Name), busy, doc.Bytes(units.Bytes(h.Bytes)), doc.Text(spreadText(h)), doc.Text(shared(h)))
		}
	}
	return doc.Section{Title: "Busiest links " + figureAt("", last), In: doc.Page, Blocks: []doc.Block{t.Filled()}}
}

// spreadText is the ratio of a link's load to the mean of its tier.
func spreadText(h results.HotLink) string {
	if h.Mean <= 0 {
		return none
	}
	return times(h.Spread()) + "× (" + h.Tier + ")"
}
