package draw

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"

	"weft/internal/base/topology"
)

// Graph draws a graph as one self-contained SVG document, the same bytes for the same graph. The
// title stands above the drawing; empty names the shape and its size. Trees are drawn level by
// level, dragonflies as a circle of groups, tori as a grid. Too many nodes for single boxes are
// drawn as stacks of equal nodes, with their number; if there are still too many, the middle of a
// row is left out, with a note. Every element has a tooltip. The background is transparent and the
// colours are of middle lightness, so that the drawing fits light and dark pages.
func Graph(g *topology.Graph, title string) []byte {
	c := &canvas{width: 1200}
	switch {
	case g.Family == topology.FamilyTorus && len(g.Dims) > 0:
		drawGrid(c, g)
	case g.Family == topology.FamilyDragonfly || g.Family == topology.FamilyDragonflyPlus:
		drawGroups(c, g)
	default:
		drawTree(c, g)
	}
	if title == "" {
		title = defaultTitle(g)
	}
	return c.document(title, subtitle(g))
}

// headRoom is the height of the title and the line under it.
const headRoom = 84.0

// canvas collects the elements of a drawing.
type canvas struct {
	body          bytes.Buffer
	width, height float64
}

const style = `text{font-family:Inter,"Segoe UI","Helvetica Neue",Helvetica,Arial,sans-serif;fill:#6b7b91}` +
	`.t{font-size:20px;font-weight:600}.s{font-size:13px}.r{font-size:13px;font-weight:600}.m{font-size:11px}` +
	`.n{font-size:11px;font-weight:600;text-anchor:middle}.k{font-size:9.5px;text-anchor:middle}.c{text-anchor:middle}` +
	`.g{fill:#94a3b8;fill-opacity:.10;stroke:#94a3b8;stroke-opacity:.45}` +
	`.d{stroke-dasharray:4 3}.e{fill:none;stroke-linecap:round}` +
	`.host{fill:#eef1f5;stroke:#8492a6}.leaf{fill:#d5efe8;stroke:#2a9d8f}.spine{fill:#e0e5fb;stroke:#5c6bc0}` +
	`.core{fill:#fbe6d4;stroke:#d07c3a}.host,.leaf,.spine,.core{stroke-width:1.2}` +
	`.on{fill:#334155}`

// Colours of cables by kind, and of rails if they are distinguished.
var (
	cableColours = [...]string{"#6fa79f", "#7c89d0", "#d69057", "#7c89d0", "#d69057"}
	railColours  = []string{"#3f8fd2", "#d9803f", "#3aa17e", "#b667b0", "#c9a227", "#d0566a", "#5b74c8", "#7d9a3c"}
)

func (c *canvas) document(title, subtitle string) []byte {
	var b bytes.Buffer
	w, h := num(c.width), num(c.height)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img">`, w, h, w, h)
	fmt.Fprintf(&b, "\n<title>%s</title>\n<style>%s</style>\n", html.EscapeString(title), style)
	fmt.Fprintf(&b, `<text class="t" x="24" y="38">%s</text>`+"\n", html.EscapeString(title))
	fmt.Fprintf(&b, `<text class="s" x="24" y="60">%s</text>`+"\n", html.EscapeString(subtitle))
	b.Write(c.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// num is a coordinate, to a tenth.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func (c *canvas) text(class string, x, y float64, s string) {
	fmt.Fprintf(&c.body, `<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, num(x), num(y), html.EscapeString(s))
}

// box is a rounded rectangle around a centre, with a tooltip.
func (c *canvas) box(class string, x, y, w, h float64, tip string) {
	fmt.Fprintf(&c.body, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="%s">`,
		class, num(x-w/2), num(y-h/2), num(w), num(h), num(min(5, w/4, h/4)))
	c.tip("rect", tip)
}

func (c *canvas) dot(class string, x, y, r float64, tip string) {
	fmt.Fprintf(&c.body, `<circle class="%s" cx="%s" cy="%s" r="%s">`, class, num(x), num(y), num(r))
	c.tip("circle", tip)
}

func (c *canvas) tip(element, tip string) {
	if tip != "" {
		fmt.Fprintf(&c.body, "<title>%s</title>", html.EscapeString(tip))
	}
	fmt.Fprintf(&c.body, "</%s>\n", element)
}

// open and close put the elements between them into one group with a common stroke.
func (c *canvas) open(colour string, opacity float64) {
	fmt.Fprintf(&c.body, `<g class="e" stroke="%s" stroke-opacity="%s">`+"\n", colour, strconv.FormatFloat(opacity, 'f', 2, 64))
}

func (c *canvas) close() { c.body.WriteString("</g>\n") }

func (c *canvas) line(x1, y1, x2, y2, width float64, tip string) {
	fmt.Fprintf(&c.body, `<path d="M%s %sL%s %s" stroke-width="%s">`, num(x1), num(y1), num(x2), num(y2), num(width))
	c.tip("path", tip)
}

// bow is a curve through a control point.
func (c *canvas) bow(x1, y1, cx, cy, x2, y2, width float64, tip string) {
	fmt.Fprintf(&c.body, `<path d="M%s %sQ%s %s %s %s" stroke-width="%s">`,
		num(x1), num(y1), num(cx), num(cy), num(x2), num(y2), num(width))
	c.tip("path", tip)
}

// textWidth is the approximate width of a text, slightly overestimated.
func textWidth(s string, size float64) float64 { return 0.62 * size * float64(len([]rune(s))) }

// faint is the opacity of each of n lines that cross the same space.
func faint(n int) float64 {
	switch {
	case n <= 60:
		return 0.8
	case n <= 300:
		return 0.5
	case n <= 1000:
		return 0.32
	}
	return 0.2
}

// number is a number with thousands separated.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

func defaultTitle(g *topology.Graph) string {
	t := topology.Tally(g)
	size := counted(t.Endpoints, "endpoint", "endpoints")
	if t.Nodes > 0 && t.Nodes != t.Endpoints {
		size = fmt.Sprintf("%s, %s", counted(t.Nodes, "node", "nodes"), size)
	}
	return shapeName(g) + ": " + size
}

func shapeName(g *topology.Graph) string {
	var name string
	switch t := topology.Tally(g); {
	case g.Family == topology.FamilyDragonfly:
		return "Dragonfly"
	case g.Family == topology.FamilyDragonflyPlus:
		return "Dragonfly+"
	case g.Family == topology.FamilyListed:
		return "Fabric as listed"
	case g.Family == topology.FamilyTorus && len(g.Dims) == 1 && g.Ring:
		return "Ring"
	case g.Family == topology.FamilyTorus && len(g.Dims) == 1:
		return "Chain"
	case g.Family == topology.FamilyTorus && g.Ring:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(g.Dims), "[]"), " ", "×") + " torus"
	case g.Family == topology.FamilyTorus:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(g.Dims), "[]"), " ", "×") + " mesh"
	case t.Switches[2] > 0:
		name = "three-level fat tree"
	case t.Switches[1] > 0:
		name = "two-level fat tree"
	case t.TotalSwitches() == max(1, g.Planes):
		name = "single switch"
	default:
		name = "fabric"
	}
	if g.Nodes[0].Rail >= 0 {
		name = "rail-optimised " + name
	}
	if g.Planes > 1 {
		name = fmt.Sprintf("%d planes, each a %s", g.Planes, name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func subtitle(g *topology.Graph) string {
	t := topology.Tally(g)
	parts := []string{counted(t.TotalSwitches(), "switch", "switches"), counted(t.TotalCables(), "cable", "cables")}
	if down, up := fullestLeaf(g); up > 0 {
		parts = append(parts, fmt.Sprintf("%d down and %d up at a leaf (%s:1)", down, up,
			strings.TrimSuffix(strings.TrimSuffix(strconv.FormatFloat(float64(down)/float64(up), 'f', 2, 64), "0"), ".0")))
	}
	parts = append(parts, counted(t.PortsFree, "port free", "ports free"))
	return strings.Join(parts, " · ")
}

// fullestLeaf is the cables down and up of the leaf with most endpoints.
func fullestLeaf(g *topology.Graph) (down, up int) {
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		if g.Nodes[i].Level != 1 || g.Family == topology.FamilyDragonfly || g.Family == topology.FamilyTorus {
			continue
		}
		d, u := 0, 0
		for p := range g.Nodes[i].Cables {
			switch far, _, ok := g.Peer(topology.End{Node: topology.NodeID(i), Port: int32(p)}); {
			case !ok:
			case int(far.Node) < g.Endpoints:
				d++
			default:
				u++
			}
		}
		if d > down {
			down, up = d, u
		}
	}
	return down, up
}

// lengthText is the text for a cable's length behind a number of cables; empty if it is unknown.
func lengthText(c topology.Cable) string {
	if c.Length == 0 {
		return ""
	}
	return " of " + c.Length.String()
}
