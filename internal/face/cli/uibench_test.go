package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// thousand is a permutation among 1,024 NICs.
const thousand = `
name: 1024 NICs
cluster: {nodes: 128, node: dgx-h100}
topology: {shape: rail-optimised, radix: 64, spines: 16, cables: {node-leaf: 5m, leaf-spine: 30m}}
fabrics: [infiniband-ndr]
workload: {pattern: permutation, sizes: [1MiB]}
`

// BenchmarkFirstView is the time from the request for the page to the drawn map, of a network of 1,024 NICs, or of the
// run folder in WEFT_UI_RUN.
func BenchmarkFirstView(b *testing.B) {
	dir := os.Getenv("WEFT_UI_RUN")
	if dir == "" {
		name := filepath.Join(b.TempDir(), "thousand.yaml")
		if err := os.WriteFile(name, []byte(thousand), 0o600); err != nil {
			b.Fatal(err)
		}
		dir = recorded(b, "run", name)
	}
	page := newBrowser(b)
	base := uiServed(b, dir)
	page.screen(1400, "light")
	sum := 0.0
	for b.Loop() {
		page.open(base, "", "map")
		ms, err := strconv.ParseFloat(page.text(`document.getElementById('weft').dataset.drawn`), 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += ms
		if os.Getenv("WEFT_SCREENSHOTS") != "" {
			page.shoot("first-view")
			page.do(chromedp.Evaluate(`location.hash = 'view=heat'`, nil))
			page.wait(`document.getElementById('weft').dataset.ready.startsWith('heat')`)
			page.shoot("first-view-heat")
		}
	}
	b.ReportMetric(sum/float64(b.N), "ms/view")
}
