package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
)

// Picture writes bus bandwidth over message size as a separate drawing, and beside it how far each
// fabric is behind the fastest, or the time if there is one fabric: equal results give equal bytes.
func Picture(w io.Writer, r *results.Results) error {
	v := newComparison(r)
	plots := drawn(v.plots()...)
	if len(plots) < 2 || plots[0].Title != bandwidthTitle || plots[1].Title != behindTitle && plots[1].Title != timeTitle {
		return fmt.Errorf("there is nothing to draw: a drawing needs results of two sizes or more")
	}
	return sheet(w, names(r), plots[:2])
}

// sheet writes diagrams in two columns, under the names of their lines, as a drawing that needs no page.
func sheet(w io.Writer, legend []string, plots []doc.Plot) error {
	const gap, top, head = 24.0, 36.0, 38.0
	columns := min(2, len(plots))
	rows := (len(plots) + columns - 1) / columns
	width, height := gap+float64(columns)*(plotWidth+gap), top+float64(rows)*(head+plotHeight)+gap
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="system-ui, sans-serif">`, width, height, width, height)
	fmt.Fprintf(&b, "\n<style>%s</style>\n", pictureStyle())
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="#fff"/>`, width, height)
	x := gap
	for i, name := range legend {
		s := i % doc.Palette
		fmt.Fprintf(&b, "\n"+`<g transform="translate(%g 24)"><path class="line s%d" d="M0 0H28"/><path class="mark s%d" d="%s"/><text class="name" x="36" y="5">%s</text></g>`,
			x, s, s, doc.Marker(i, 14, 0), html.EscapeString(name))
		x += 60 + 9*float64(len([]rune(name)))
	}
	for i, p := range plots {
		x, y := gap+float64(i%columns)*(plotWidth+gap), top+float64(i/columns)*(head+plotHeight)
		fmt.Fprintf(&b, "\n"+`<text class="title" x="%g" y="%g">%s</text><text class="note" x="%g" y="%g">%s</text>`,
			x+10, y+24, html.EscapeString(p.Title), x+30+9*float64(len(p.Title)), y+24, html.EscapeString(p.Note))
		inner := strings.Replace(string(p.SVG), "<svg ", fmt.Sprintf(`<svg x="%g" y="%g" width="%g" height="%g" `, x, y+head, plotWidth, plotHeight), 1)
		fmt.Fprintf(&b, "\n%s", inner)
	}
	b.WriteString("\n</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// pictureColours are the colours of the page's light theme.
var pictureColours = [doc.Palette]string{"#0072b2", "#b84f00", "#7458a5", "#00805d", "#8a6500", "#b0437f"}

func pictureStyle() string {
	var b strings.Builder
	b.WriteString(".grid path{stroke:#e9edf1}.base,.tick path{stroke:#5b6878;opacity:.7;fill:none}.tick text{fill:#5b6878;font-size:11.5px}" +
		".line{fill:none;stroke-width:2.2;stroke-linejoin:round}.mark{stroke:#fff;stroke-width:1}.band{opacity:.15}" +
		".name{fill:#16202c;font-size:14px}.title{fill:#16202c;font-size:15px;font-weight:bold}.note{fill:#5b6878;font-size:13px}")
	for i, c := range pictureColours {
		fmt.Fprintf(&b, ".line.s%d{stroke:%s}.mark.s%d,.band.s%d{fill:%s}", i, c, i, i, c)
	}
	return b.String()
}
