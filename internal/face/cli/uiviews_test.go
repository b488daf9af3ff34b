package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The page says which run it shows. Its heading, its controls and its cards have one left edge, the cells of a row one
// line, charts stay in their cards, the chosen tab is seen, and parallel cables are counted.
func TestThePageIsInLine(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=map&links=1", "map")
	if got := b.text(`document.querySelector('h1').textContent + ' | ' + document.querySelector('header .sub').textContent + ' | ' + document.title`); !strings.HasPrefix(got, "PFC storm of a broken NIC | 2 nodes of 8 NVIDIA H100 SXM5 80 GB · no watchdog · folder ") || !strings.HasSuffix(got, "&amp; · weft") {
		t.Errorf("the page says %q", got)
	}
	for _, width := range []int64{390, 1400, 1900} {
		b.screen(width, "light")
		edges := b.text(`['h1', '.tabs', '.controls', '.whole .card', 'section:not([hidden]) .card'].map(q => Math.round(document.querySelector(q).getBoundingClientRect().left)).join()`)
		if first, _, _ := strings.Cut(edges, ","); edges != strings.Join([]string{first, first, first, first, first}, ",") {
			t.Errorf("at %d the left edges are %s, want one", width, edges)
		}
		// The chart is drawn again after the window has its width, and then ends where its legend does.
		b.wait(`(c => c.querySelector('.uplot').getBoundingClientRect().right === c.querySelector('.lines').getBoundingClientRect().right)(document.querySelector('.series .card'))`)
	}
	const bottoms = `[...document.querySelectorAll('section:not([hidden]) tbody tr')].map(r => [...r.cells].map(c => {
		const range = document.createRange();
		range.selectNodeContents(c.querySelector('button') ?? c);
		return Math.round(range.getClientRects()[0].bottom);
	})).every(b => b.every(v => Math.abs(v - b[0]) <= 1))`
	for _, width := range []int64{390, 1400} {
		b.screen(width, "light")
		if line := b.text(`String(` + bottoms + `)`); line != "true" {
			t.Errorf("at %d the first lines of the cells of a row of the table stand at different heights", width)
		}
	}
	if cables := b.text(`document.querySelector('canvas.map').dataset.cables`); cables != "leaf0 spine0 8; spine0 leaf1 8" && cables != "leaf0 spine0 8; leaf1 spine0 8" {
		t.Errorf("the parallel cables are counted as %q", cables)
	}
	b.screen(390, "light")
	b.do(chromedp.Evaluate(`document.getElementById('tab-training').click()`, nil))
	b.wait(`document.getElementById('weft').dataset.ready.startsWith('training ')`)
	if over := b.text(`String(document.getElementById('tab-training').getBoundingClientRect().right - document.querySelector('.tabs').getBoundingClientRect().right <= 0.5)`); over != "true" {
		t.Error("the chosen tab is cut off")
	}
	if said := b.text(`document.querySelector('section:not([hidden])').innerText.trim()`); said != "The run is no training step: weft train makes one." {
		t.Errorf("of a run without a training step the view says %q", said)
	}
}

// Numbers of an axis are as far apart as its lines, and a name without room keeps both its ends.
func TestWhatIsWrittenInPictures(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=track&links=1", "track")
	b.do(chromedp.Evaluate(`{const write = CanvasRenderingContext2D.prototype.fillText; window.written = [];
		CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { if (this.canvas.closest('.uplot, .zoomable')) window.written.push(text); return write.call(this, text, ...at); };}`, nil))
	b.screen(390, "light")
	b.wait(`window.written.some(t => t.includes('…'))`)
	if names := b.text(`window.written.filter(t => t.includes('…')).join('; ')`); !strings.Contains(names, " stopped") || !strings.HasPrefix(names, "node0/") {
		t.Errorf("names without room are %q", names)
	}
	b.screen(1400, "light")
	b.do(chromedp.Evaluate(`window.written = []; location.hash = 'view=map&links=1&from=0&to=3421000000'`, nil))
	b.wait(`window.written.includes('1.00 ms')`)
	if axis := b.text(`window.written.filter(t => t.endsWith('0 ms') || t.endsWith('5 ms')).join(' ')`); !strings.Contains(axis, "0.00 ms 0.25 ms 0.50 ms 0.75 ms 1.00 ms 1.25 ms") {
		t.Errorf("the axis has %s, want steps of 0.25 ms", axis)
	}
}

// The first screen of a run that compares fabrics is its verdict, in at most ten lines, with the waterfall of the lead.
func TestTheVerdictComesFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t, recorded(t, "run", "../../../examples/infiniband-congestion.yaml"))
	b.screen(1400, "light")
	b.open(base, "", "verdict")
	b.accessible("first-screen")
	if n := b.text(`String(document.querySelectorAll('.card.verdict p').length)`); n != "3" {
		t.Errorf("the verdict has %s lines, want 3", n)
	}
	if line := b.text(`document.querySelector('.card.verdict').textContent`); !strings.Contains(line, `"as on QDR" takes 4.0 times as long. Reason: congestion control`) {
		t.Errorf("the verdict says %q", line)
	}
	if bars := b.text(`document.querySelector('canvas.waterfall').dataset.bars`); bars != "as on QDR 27.08 ms; congestion control −20.32 ms; none 6.755 ms" {
		t.Errorf("the waterfall is %q", bars)
	}
	if spans := b.text(`document.querySelector('canvas.waterfall').dataset.spans`); spans != "0 ps to 27.08 ms; 27.08 ms to 6.755 ms; 0 ps to 6.755 ms" {
		t.Errorf("the bars of the waterfall are %q", spans)
	}
	b.keepFiles()
	b.clickText("SVG")
	svg := b.saved()
	for _, want := range []string{"<svg xmlns=", ": where the time goes</text>", ">congestion control</text>", ">27.08 ms</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the saved waterfall has no %q", want)
		}
	}
	b.clickText("CSV")
	if csv := b.saved(); !strings.Contains(csv, "none,as on QDR,0,") || !strings.Contains(csv, ",congestion control,20320171040") {
		t.Errorf("the saved values are %q", csv)
	}
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// Simulations that are compared have a colour each, and no two lines have the same colour and dash.
func TestSeveralSimulationsAreCompared(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t, recorded(t, "run", "../../../examples/pfc-storm.yaml"))
	b.screen(1400, "light")
	b.open(base, "#view=compare", "compare")
	b.do(chromedp.Evaluate(`document.querySelectorAll('.with input')[1].click()`, nil))
	b.wait(`document.querySelectorAll('section:not([hidden]) table')[0].rows.length === 4`)
	if hash := b.text(`new URLSearchParams(location.hash.slice(1)).get('other')`); hash != "0.1,0.2" {
		t.Errorf("the address holds the simulations %q, want 0.1,0.2", hash)
	}
	looks := strings.Split(b.text(`document.querySelector('[data-looks]').dataset.looks`), ", ")
	colours, both := map[string]bool{}, map[string]bool{}
	for _, look := range looks {
		colour, _, _ := strings.Cut(look, " ")
		colours[colour], both[look] = true, true
	}
	if len(colours) != 3 || len(both) != len(looks) || len(looks) != 12 {
		t.Errorf("the lines look as %v: want 12, in 3 colours, none twice", looks)
	}
	b.accessible("compare-three")
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// What a switch did with PFC over time is a chart of its own, and so are its queue and its drops.
func TestASwitchOverTime(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=switches&switch=17", "switches")
	name := b.text(`document.getElementById('switch').selectedOptions[0].textContent`)
	charts := b.text(`[...document.querySelectorAll('[data-what]')].map(e => e.dataset.what).join('; ')`)
	if want := "its ports are paused by PFC; PFC of the switch pauses those who send to it; its longest queue"; name != "leaf1" || charts != want {
		t.Errorf("%s has the charts %q, want leaf1 with %q", name, charts, want)
	}
	row := b.text(`[...document.querySelectorAll('section:not([hidden]) tr.chosen td')].map(c => c.textContent).join('; ')`)
	if !strings.HasPrefix(row, "leaf1; ") || strings.Contains(row, "; 0 %") {
		t.Errorf("the row of leaf1 is %q", row)
	}
}

// Tables show names for numbers of links and nodes, filters know both, and the CSV has what is shown.
func TestTablesShowNames(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=tables&table=pauses.parquet", "tables")
	b.keepFiles()
	write := func(text string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`{const f = document.getElementById('table-filter'); f.value = %q; f.dispatchEvent(new Event('input'));}`, text), nil))
	}
	write("link = leaf1 port 1 to node1/nic0")
	b.wait(`document.querySelectorAll('section:not([hidden]) tbody tr').length === 1`)
	if row := b.text(`[...document.querySelectorAll('section:not([hidden]) tbody td')].map(c => c.textContent).join('; ')`); !strings.HasPrefix(row, "no watchdog; leaf1 port 1 to node1/nic0; ") || !strings.Contains(row, "; none; ") {
		t.Errorf("the row is %q, want names", row)
	}
	b.clickText("Download CSV")
	if text := b.saved(); !strings.Contains(text, "\nno watchdog,leaf1 port 1 to node1/nic0,") || strings.Count(text, "\n") != 2 {
		t.Errorf("the file is %q", text)
	}
	b.do(chromedp.Evaluate(`document.getElementById('table-numbers').click()`, nil))
	b.wait(`document.querySelector('section:not([hidden]) tbody td').textContent === '0'`)
}

// keepFiles keeps what the page saves, in place of a download.
func (b *browser) keepFiles() {
	b.t.Helper()
	b.do(chromedp.Evaluate(`{const make = URL.createObjectURL; URL.createObjectURL = blob => { window.kept = blob; return make.call(URL, blob); };
		HTMLAnchorElement.prototype.click = function () { window.named = this.download; };}`, nil))
}

// saved is the text of the file that the page has saved last.
func (b *browser) saved() (text string) {
	b.t.Helper()
	b.wait(`window.kept`)
	b.do(chromedp.Evaluate(`window.kept.text()`, &text, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	b.do(chromedp.Evaluate(`delete window.kept`, nil))
	return text
}

// What is seen is saved as a picture, in pixels or as shapes, and as values, of the time that is shown.
func TestWhatIsSeenIsSaved(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=heat&quantity=stopped&links=1&from=1000000000&to=1010000000", "heat")
	b.keepFiles()
	b.clickText("SVG")
	svg := b.saved()
	for _, want := range []string{"<svg xmlns=", "PFC storm of a broken NIC · ", "1 ms to 1.01 ms", ">leaf1 port 1 to node1/nic0</text>", ">1.005 ms</text>", "stroke-width=\"2\""} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture has no %q", want)
		}
	}
	if bad := b.text(`String(new DOMParser().parseFromString(` + fmt.Sprintf("%q", svg) + `, 'image/svg+xml').querySelectorAll('parsererror').length)`); bad != "0" {
		t.Error("the picture is no SVG")
	}
	b.clickText("PNG")
	b.wait(`window.kept?.type === 'image/png' && window.kept.size > 5000 && window.named.endsWith('no_watchdog-heat.png')`)
	b.do(chromedp.Evaluate(`delete window.kept`, nil))
	b.clickText("CSV")
	lines := strings.Split(b.saved(), "\n")
	if !strings.HasPrefix(lines[0], "link,tier,998244352 ps,1000341504 ps,") || strings.Count(lines[0], ",") != 7 {
		t.Errorf("the values begin with %q, want the six intervals from 1 ms to 1.01 ms", lines[0])
	}
	if seen := b.text(`String(document.querySelector('canvas.heat').width > 100)`); seen != "true" {
		t.Error("after it was saved the picture is gone")
	}
}
