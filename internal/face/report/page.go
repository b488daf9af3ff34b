package report

import (
	"embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
)

//go:embed *.html.tmpl
var templates embed.FS

var pages = template.Must(doc.Templates().ParseFS(templates, "*.html.tmpl"))

// Page writes the self-contained HTML page of a run: no script, no resource
// from anywhere else. resolved is the scenario's text, shown at its end.
func Page(w io.Writer, r *runstore.Results, sc *scenario.Resolved, resolved []byte) error {
	return pages.ExecuteTemplate(w, "page.html.tmpl", newView(r, sc, resolved))
}

// view is what the page's template shows.
type view struct {
	heading
	r     *runstore.Results
	sc    *scenario.Resolved
	sizes []int64

	Partial    bool
	Contest    bool
	Failures   []string
	Where, Why []template.HTML
	Notes      []string
	Fabrics    []fabricCard
	Plots      []doc.Plot
	Rows       []sizeRows
	Faults     *faultSection
	Facts      []factRow
	Hot        []hotRow
	Streams    *pageTable // nil where none ran beside the workload
	Intervals  *pageTable // nil of one run
	HotSize    string
	Bars       []barRow // of a run of one size, which has no plots
	Pauses     []pausePlot
	LeftOut    []string
	Soft       []softFact
	Scenario   string
}

// fabricCard is a fabric's figures in short.
type fabricCard struct {
	Index                  int
	Name, Protocol, Engine string
	Rate                   string
	Marker                 template.HTML
	Figures                []figure
}

type figure struct{ Label, Value, Note string }

// sizeRows is the rows of a size in the table of everything.
type sizeRows struct {
	Size string
	Rows []pointRow
}

type pointRow struct {
	Index                                                                            int
	Fabric, Algorithm, Time, AlgBW, BusBW, P50, P99, Max, Stalls, Pauses, Marks, CNP string
	Resent, Drops, Link, Busy, Packets                                               string
	Best                                                                             bool
	Failure                                                                          string
}

// factRow is one property of every fabric.
type factRow struct {
	Label  string
	Values []string
}

type hotRow struct {
	Index        int
	Fabric, Name string
	Busy         string
	Width        string // of its bar
	Bytes        string
	Spread       string
	Shared       string // whose bytes, where streams ran
}

// barRow is a fabric's time among the others'.
type barRow struct {
	Index                     int
	Fabric, Width, Time, Rate string
}

// softFact is a number of the catalog that nobody has measured.
type softFact struct{ Of, Field, Value, Source string }

func newView(r *runstore.Results, sc *scenario.Resolved, resolved []byte) *view {
	v := &view{
		r: r, sc: sc, sizes: sizes(r), heading: heading{simulation, r.Scenario, subtitle(r, sc)}, Partial: r.Partial, Contest: len(r.Fabrics) > 1,
		Failures: failures(r), Scenario: string(resolved), LeftOut: leftOut(sc),
	}
	slices.Sort(v.sizes)
	judged := Judge(r, sc)
	for _, s := range judged.Where {
		v.Where = append(v.Where, v.named(s))
	}
	for _, s := range judged.Why {
		v.Why = append(v.Why, v.named(s))
	}
	v.Notes = slices.Concat(judged.Notes, judged.Setting)
	for i, f := range r.Fabrics {
		v.Fabrics = append(v.Fabrics, v.card(i, f))
	}
	v.Plots = v.plots()
	for _, size := range v.sizes {
		v.Rows = append(v.Rows, v.rows(size))
	}
	v.Faults = faultsOf(r)
	v.facts()
	v.bars()
	v.hot()
	v.Intervals = intervalPage(r)
	if t := streamTable(r); t != nil {
		streams := pageOf(t, streamTitle+" ("+streamCaption+")")
		v.Streams = &streams
	}
	v.pausePlots()
	v.soft()
	return v
}

// heading is what the top of every page asks for.
type heading struct {
	Brand, Title, Subtitle string
}

// sameAgain is the footer of a page about a simulation, and scenarioTitle its last section.
const (
	sameAgain     = "Made by weft. The same scenario, seed and version make the same page."
	scenarioTitle = "The scenario, every value resolved"
)

// simulation is the brand of a page about simulated networks.
const simulation = "packet-level simulation"

// legendEntry is a line of a page's plots by its name.
type legendEntry struct {
	Marker template.HTML
	Name   string
}

// Colours are the indices of the palette, for the style sheet.
func (heading) Colours() []int {
	out := make([]int, doc.Palette)
	for i := range out {
		out[i] = i
	}
	return out
}

func subtitle(r *runstore.Results, sc *scenario.Resolved) string {
	parts := []string{r.Workload, plural(int64(r.Ranks), "rank", "ranks") + " on " + plural(int64(r.Nodes), "node", "nodes")}
	if sc != nil {
		n, nodes := sc.Cluster.Node, "nodes"
		if r.Nodes == 1 {
			nodes = "node"
		}
		parts[1] = fmt.Sprintf("%s %s of %d %s", Integer(int64(r.Nodes)), nodes, n.GPUs, title(catalog.GPU, n.GPU.Model))
		parts = append(parts, shapes(sc))
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), " · ")
}

// shapes is the topology that all fabrics have, or that they differ.
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

// title is what the catalog calls an entry.
func title(kind catalog.Kind, name string) string {
	if e, err := catalog.Lookup(kind, name); err == nil && e.Title != "" {
		return e.Title
	}
	return name
}

// named is a sentence with the fabrics' names in their colours. Of two names
// of which one begins the other, the longer is found first.
func (v *view) named(sentence string) template.HTML {
	index := map[string]int{}
	var names []string
	for i, f := range v.r.Fabrics {
		index[f.Name] = i % doc.Palette
		names = append(names, regexp.QuoteMeta(f.Name))
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	var b strings.Builder
	at := 0
	for _, m := range regexp.MustCompile(strings.Join(names, "|")).FindAllStringIndex(sentence, -1) {
		if inWord(sentence, m[0]-1) || inWord(sentence, m[1]) {
			continue
		}
		name := sentence[m[0]:m[1]]
		fmt.Fprintf(&b, `%s<b class="t%d">%s</b>`, html.EscapeString(sentence[at:m[0]]), index[name], html.EscapeString(name))
		at = m[1]
	}
	b.WriteString(html.EscapeString(sentence[at:]))
	return template.HTML(b.String()) // escaped piece by piece
}

// inWord reports whether there is a letter, digit or hyphen at a place.
func inWord(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// card is the figures that a board asks for first.
func (v *view) card(i int, f runstore.FabricResult) fabricCard {
	c := fabricCard{Index: i % doc.Palette, Name: f.Name, Protocol: protocolTitle(f.Protocol), Engine: f.Engine, Marker: legendMarker(i)}
	if f.Rate > 0 {
		c.Rate = f.Rate.String()
	}
	var points []runstore.Point
	for _, size := range v.sizes {
		if p, ok := point(f, size); ok && p.Measured() {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		c.Figures = []figure{{"result", "none", "every size failed or was not reached"}}
		return c
	}
	first, last := points[0], points[len(points)-1]
	c.Figures = append(c.Figures, figure{"time", shortTime(first.Time), figureAt("", first.Bytes)})
	best := slices.MaxFunc(points, func(a, b runstore.Point) int {
		switch {
		case a.BusBW < b.BusBW:
			return -1
		case a.BusBW > b.BusBW:
			return 1
		}
		return 0
	})
	if what := "best"; best.BusBW > 0 {
		if len(points) == 1 {
			what = ""
		}
		c.Figures = append(c.Figures, figure{"bus bandwidth", bandwidth(best.BusBW) + " GB/s", figureAt(what, best.Bytes)})
	}
	if last.Flows.N > 0 && last.Flows.P50 > 0 {
		ratio := float64(last.Flows.Max) / float64(last.Flows.P50)
		c.Figures = append(c.Figures, figure{"slowest flow", times(ratio) + "×", figureAt("the median", last.Bytes)})
	}
	var stalls, pauses, drops int64
	for _, p := range points {
		stalls, pauses, drops = stalls+p.Counts.CreditStalls, pauses+p.Counts.Pauses, drops+p.Counts.Drops()
	}
	over := "over the sweep"
	if len(points) == 1 {
		over = figureAt("", last.Bytes)
	}
	if f.Protocol == infiniband {
		c.Figures = append(c.Figures, figure{"credit stalls", count(stalls), over})
	}
	if f.Protocol == roce || f.Protocol == roceV1 || pauses > 0 {
		c.Figures = append(c.Figures, figure{"PFC pauses", count(pauses), over})
	}
	c.Figures = append(c.Figures, figure{"drops", count(drops), over})
	return c
}

// figureAt is what is said of a figure, and of which size it is, where the pattern has one.
func figureAt(what string, bytes int64) string {
	switch {
	case bytes <= 0:
		return what
	case what == "":
		return "at " + sizeText(bytes)
	}
	return what + ", at " + sizeText(bytes)
}

func protocolTitle(p string) string {
	switch p {
	case infiniband:
		return "InfiniBand"
	case roce:
		return "RoCE v2"
	case roceV1:
		return "RoCE v1"
	case iwarp:
		return "iWARP"
	case ultraEthernet:
		return "Ultra Ethernet"
	case tcp:
		return "kernel TCP"
	}
	return p
}

// legendMarker is a fabric's line and marker, for legends.
func legendMarker(i int) template.HTML {
	s := strconv.Itoa(i % doc.Palette)
	return template.HTML(`<svg class="key" viewBox="0 0 28 12" aria-hidden="true"><path class="line s` + s +
		`" d="M0 6H28"/><path class="mark s` + s + `" d="` + doc.Marker(i, 14, 6) + `"/></svg>`)
}

func (v *view) rows(size int64) sizeRows {
	out := sizeRows{Size: sizeText(size)}
	s := standingAt(v.r, size)
	for i, f := range v.r.Fabrics {
		p, ok := point(f, size)
		if !ok {
			continue
		}
		row := pointRow{Index: i % doc.Palette, Fabric: f.Name, Failure: p.Failure, Best: s.first(i)}
		if p.Measured() {
			v.fill(&row, f, p)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (v *view) fill(row *pointRow, f runstore.FabricResult, p runstore.Point) {
	c := p.Counts
	row.Algorithm = strings.TrimSpace(p.Algorithm + " " + p.Wire)
	if p.Channels > 0 {
		row.Algorithm += fmt.Sprintf(" ×%d", p.Channels)
	}
	row.Time, row.AlgBW, row.BusBW = timeCell(p.Time), bandwidth(p.AlgBW), bandwidth(p.BusBW)
	if p.Partial {
		row.Time = "~" + row.Time
	}
	if p.Seeds != nil {
		row.Time += " ±" + plusMinus(&p)
	}
	row.P50, row.P99, row.Max = none, none, none
	if p.Flows.N > 0 {
		row.P50, row.P99, row.Max = timeCell(p.Flows.P50), timeCell(p.Flows.P99), timeCell(p.Flows.Max)
	}
	row.Stalls, row.Pauses, row.Marks, row.CNP = stallsText(f.Protocol, c), pausesText(f.Protocol, c), marksText(f.Protocol, c), count(c.CNPs)
	if f.Protocol != roce && c.CNPs == 0 {
		row.CNP = none
	}
	row.Resent, row.Drops, row.Packets = count(c.Retransmissions), count(c.Drops()), count(c.Packets)
	row.Link, row.Busy = none, none
	if h, ok := hottest(p); ok {
		row.Link, row.Busy = h.Name, percent(h.Busy)
	}
}

// bars lays the fabrics' times of a single size side by side.
func (v *view) bars() {
	if len(v.sizes) != 1 || !v.Contest {
		return
	}
	most := 0.0
	for _, f := range v.r.Fabrics {
		p, _ := point(f, v.sizes[0])
		most = max(most, float64(p.Time))
	}
	for i, f := range v.r.Fabrics {
		if p, ok := point(f, v.sizes[0]); ok && p.Measured() {
			v.Bars = append(v.Bars, barRow{i % doc.Palette, f.Name, doc.Num(100 * float64(p.Time) / most), timeCell(p.Time), bandwidth(p.BusBW) + " GB/s"})
		}
	}
}

// hotLinks is how many links of a fabric the page shows: enough to see whether
// one stands out.
const hotLinks = 4

// hot is the busiest links of the largest size.
func (v *view) hot() {
	if len(v.sizes) == 0 {
		return
	}
	last := v.sizes[len(v.sizes)-1]
	v.HotSize = sizeText(last)
	for i, f := range v.r.Fabrics {
		p, _ := point(f, last)
		for _, h := range p.Hottest[:min(hotLinks, len(p.Hottest))] {
			v.Hot = append(v.Hot, hotRow{
				Index: i % doc.Palette, Fabric: f.Name, Name: h.Name, Busy: percent(h.Busy),
				Width: doc.Num(100 * min(1, max(0, h.Busy))), Bytes: bytesText(h.Bytes),
				Spread: spreadText(h), Shared: shared(h),
			})
		}
	}
}

// spreadText is a link's share of the load among the links of its tier.
func spreadText(h runstore.HotLink) string {
	if h.Mean <= 0 {
		return none
	}
	return times(h.Spread()) + "× (" + h.Tier + ")"
}
