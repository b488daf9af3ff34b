package cli

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"weft/internal/face/cli/exit"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
)

// uiViews are the views that each run has.
var uiViews = []string{"verdict", "map", "heat", "flows", "track", "switches", "why", "compare", "training", "tables", "report"}

// fileViews are those of report.html, which is the verdict and the report itself.
var fileViews = uiViews[1 : len(uiViews)-1]

// Every view of an InfiniBand, a RoCE and a training run opens, wide and on a phone, light and dark, without an
// error, a request to another host, or a breach of WCAG 2.1 AA.
func TestEveryViewOpensInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t,
		recorded(t, "run", "../../../examples/infiniband-congestion.yaml"),
		recorded(t, "run", "../../../examples/pfc-storm.yaml"),
		recorded(t, "train", "../../../examples/llama3-8b-64.yaml", "--fabric", "roce-v2-400g"))
	for run, name := range []string{"infiniband", "roce", "training"} {
		for _, width := range []int64{1400, 390} {
			for _, scheme := range []string{"light", "dark"} {
				// Contrast follows from the scheme, layout from the width: of two runs the two extremes are enough.
				if name != "roce" && (width == 390) != (scheme == "dark") {
					continue
				}
				b.screen(width, scheme)
				b.open(base, fmt.Sprintf("#view=map&simulation=%d.0", run), "map")
				for _, view := range uiViews {
					what := fmt.Sprintf("%s-%s-%d-%s", name, view, width, scheme)
					b.do(chromedp.Evaluate(fmt.Sprintf("location.hash = 'view=%s&simulation=%d.0&quantity=utilisation&links=1,2'", view, run), nil))
					b.wait(fmt.Sprintf("document.getElementById('weft').dataset.ready.startsWith('%s %d.0 utilisation ')", view, run))
					b.shoot(what)
					if found := b.axe(); found != "" {
						t.Errorf("%s: axe-core finds\n%s", what, found)
					}
					if wide := b.text(`String(document.documentElement.scrollWidth - innerWidth)`); wide != "0" && !wideLess(wide) {
						t.Errorf("%s: the page is %s pixels wider than the window", what, wide)
					}
					if seen := b.seen(); seen != "" {
						t.Errorf("%s: %s", what, seen)
					}
				}
			}
		}
	}
}

func wideLess(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n <= 0
}

// A training run has an entry that no link is sampled for: its operations. The views of links say so, and show
// nothing of the entry chosen before; nor do they after an error.
func TestAViewShowsNothingOfAnotherEntry(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	dir := recorded(t, "train", "../../../examples/llama3-8b-64.yaml", "--fabric", "roce-v2-400g")
	simulations, err := seriesfile.Read[results.SeriesSimulation](filepath.Join(dir, "series"), seriesfile.Simulations)
	if err != nil {
		t.Fatal(err)
	}
	operations := slices.IndexFunc(simulations, func(s results.SeriesSimulation) bool { return s.Phase == results.StepOperations })
	const seen = `[...document.querySelectorAll('section[aria-labelledby]')].filter(s => s.offsetParent).map(s => s.getAttribute('aria-labelledby')).join()`
	for _, base := range []string{uiServed(t, dir), "file://" + (&url.URL{Path: filepath.Join(dir, "report.html")}).EscapedPath()} {
		b.screen(1400, "light")
		b.open(base, "#view=map&simulation=0.0", "map 0.0")
		if got := b.text(seen); got != "tab-map" {
			t.Errorf("the map of links shows %s", got)
		}
		for _, view := range []string{"map", "heat", "compare"} {
			b.do(chromedp.Evaluate(fmt.Sprintf("location.hash = 'view=%s&simulation=0.%d'", view, operations), nil))
			b.wait(fmt.Sprintf("document.getElementById('weft').dataset.ready.startsWith('%s 0.%d ')", view, operations))
			if got := b.text(seen); got != "" {
				t.Errorf("%s of the operations shows %s", view, got)
			}
		}
		b.do(chromedp.Evaluate(fmt.Sprintf("location.hash = 'view=training&simulation=0.%d'", operations), nil))
		b.wait(fmt.Sprintf("document.getElementById('weft').dataset.ready.startsWith('training 0.%d ')", operations))
		if got := b.text(seen); got != "tab-training" {
			t.Errorf("the view of training shows %s", got)
		}
		b.do(chromedp.Evaluate("location.hash = 'view=map&simulation=0.0'", nil))
		b.wait("document.getElementById('weft').dataset.ready.startsWith('map 0.0')")
		if found := b.seen(); found != "" {
			t.Error(found)
		}
		if strings.HasPrefix(base, "file:") {
			continue // it asks nobody
		}
		b.do(chromedp.Evaluate("window.fetch = () => Promise.resolve({ok: false, text: () => Promise.resolve('no answer')}); location.hash = 'view=map&simulation=0.1'", nil))
		b.wait("document.getElementById('weft').dataset.ready === 'error'")
		if got, said := b.text(seen), b.text("document.querySelector('.message[role=alert]:not([hidden])').textContent"); got != "" || said != "no answer" {
			t.Errorf("after an error the page shows %q and says %q", got, said)
		}
	}
}

// The frame of the report runs no script, and its views are the other tabs.
func TestTheReportsFrameAsksForNoScript(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t, recorded(t, "run", "../../../examples/two-nodes-h100.yaml"))
	host, token, _ := strings.Cut(base, "#")
	b.mu.Lock()
	b.own = host
	b.mu.Unlock()
	b.do(chromedp.Navigate(host + "report/0?" + token))
	if text := b.text("document.body.innerText"); strings.Contains(text, "JavaScript") || strings.Contains(text, "Look inside") || len(text) < 100 {
		t.Errorf("the frame says %q", text)
	}
}

// The slider moves, and the heat map then shows the values of the Parquet file, in their colours.
func TestTheSliderShowsTheValuesOfTheSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	dir := recorded(t, "run", "../../../examples/pfc-storm.yaml", "--fabric", "no watchdog")
	base := uiServed(t, dir)
	samples, err := seriesfile.Read[results.SeriesSample](filepath.Join(dir, "series"), seriesfile.LinkSamples)
	if err != nil {
		t.Fatal(err)
	}
	simulations, err := seriesfile.Read[results.SeriesSimulation](filepath.Join(dir, "series"), seriesfile.Simulations)
	if err != nil {
		t.Fatal(err)
	}
	b.screen(1400, "light")
	b.open(base, "#view=heat&quantity=stopped", "heat")
	colours, values := map[string]string{}, map[string]bool{}
	for _, interval := range []int64{0, 49, 500, 9700} {
		b.do(chromedp.Evaluate(fmt.Sprintf(`{const s = document.getElementById('time'); s.value = %d; s.dispatchEvent(new Event('input'));}`, interval), nil))
		b.wait(fmt.Sprintf(`document.getElementById('weft').dataset.ready.endsWith(' %d')`, interval))
		got := decoded[struct{ Link, Interval, Value, Colour string }](t, b.text(`JSON.stringify(document.querySelector('canvas.heat').dataset)`))
		want := 0.0
		for _, s := range samples {
			if strconv.Itoa(int(s.Link)) == got.Link && s.TimePs/simulations[0].IntervalPs == interval {
				want = max(want, float64(s.PausedPs+s.CreditWaitPs)/float64(simulations[0].IntervalPs))
			}
		}
		value, err := strconv.ParseFloat(got.Value, 64)
		if err != nil || got.Interval != strconv.FormatInt(interval, 10) || math.Abs(value-min(1, want)) > 1e-6 {
			t.Errorf("interval %d: the page shows %+v, and the samples of the link give %v", interval, got, want)
		}
		colours[got.Colour] = got.Value
		values[got.Value] = true
	}
	if len(colours) < 2 || len(colours) != len(values) {
		t.Errorf("the colours are %v: want one for each of the values %v, at least two", colours, values)
	}
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// A port that is taken is an error that names the way out.
func TestAPortThatIsTaken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if code := Main(context.Background(), environment([]string{"run", "../../../examples/two-nodes-h100.yaml", "--out", dir})); code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	base := uiServed(t, dir)
	_, port, _ := strings.Cut(base, "127.0.0.1:")
	port, _, _ = strings.Cut(port, "/")
	e := environment([]string{"ui", dir, "--port", port})
	var errs strings.Builder
	e.Stderr = &errs
	if code := Main(context.Background(), e); code != exit.Failed || !strings.Contains(errs.String(), "address already in use; --port 0 takes a free one") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

// A click on the slowest message of the storm, and one on the reason, lead to the NIC that receives nothing.
func TestAPausedMessageLeadsToItsRootCause(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t, recorded(t, "run", "../../../examples/pfc-storm.yaml", "--fabric", "no watchdog"))
	b.screen(1400, "light")
	b.open(base, "#view=flows", "flows")
	click := func(selector, text string) {
		b.wait(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q) && e.offsetParent)`, selector, text))
		b.do(chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.textContent.includes(%q) && e.offsetParent).click()`, selector, text), nil))
	}
	click("button.plain", "node0/nic4 to node1/nic1") // it does not go to the broken NIC
	click("button", "Why was it slow?")
	b.wait(`document.querySelector('.chain')`)
	b.shoot("why-victim")
	const want = "Root cause: node1/nic0 does not receive at line rate."
	if got := b.text(`document.querySelector('.chain').dataset.root`); got != want {
		t.Errorf("the chain ends with %q, want %q", got, want)
	}
	if address := b.text(`location.hash`); !strings.Contains(address, "view=why") || !strings.Contains(address, "flow=4_") {
		t.Errorf("the address %s does not hold the view and the message", address)
	}
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// An emulated fabric knows no messages. Its pauses are shown all the same, and a fabric's name may have a comma.
func TestPausesWithoutMessagesAreShown(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	run, empty := recorded(t, "run", "../../../examples/pfc-victim.yaml", "--fabric", "slow NIC, PFC only"), filepath.Join(t.TempDir(), "series")
	w, err := seriesfile.Create(empty, seriesfile.About{Weft: "test"})
	if err == nil {
		err = w.Close()
	}
	for _, name := range []string{seriesfile.Flows, seriesfile.FlowHops} {
		if err == nil {
			err = os.Rename(filepath.Join(empty, name), filepath.Join(run, results.SeriesFolder, name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	base := uiServed(t, run)
	b.open(base, "#view=why", "why")
	b.wait(`document.body.innerText.includes('node1/nic0 does not receive at line rate')`)
	b.open(base, "#view=map", "map")
	b.wait(`document.body.innerText.includes('leaf1 port 1 to node1/nic0')`)
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// report.html of a run with series is the same page with its data inside: it works from a file, without a server.
func TestTheReportIsThePageWithItsData(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	dir := recorded(t, "run", "../../../examples/pfc-storm.yaml")
	report := filepath.Join(dir, runstore.ReportFile)
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if verdict, views := strings.Index(string(text), `class="card verdict"`), strings.Index(string(text), `id="weft"`); verdict < 0 || views < verdict {
		t.Errorf("the verdict stands at %d and the views at %d: want the sentences first", verdict, views)
	}
	base := (&url.URL{Scheme: "file", Path: filepath.ToSlash(report)}).String()
	b.open(base, "#view=compare&quantity=stopped&from=20080000000&to=20120000000", "compare")
	if shown := b.text(`document.querySelector('.whole output').textContent`); !strings.Contains(shown, "40 us in intervals of 1.049 us at ") {
		t.Errorf("of 40 us the file says %q, want its short intervals", shown)
	}
	for _, width := range []int64{1400, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.screen(width, scheme)
			b.open(base, "#simulation=0.1", "map")
			for _, view := range fileViews { // the report is the page
				what := fmt.Sprintf("file-%s-%d-%s", view, width, scheme)
				b.do(chromedp.Evaluate(fmt.Sprintf("location.hash = 'view=%s&simulation=0.1&quantity=stopped&table=links.parquet'", view), nil))
				b.wait(fmt.Sprintf("document.getElementById('weft').dataset.ready.startsWith('%s 0.1 stopped')", view))
				b.shoot(what)
				if seen := b.seen(); seen != "" {
					t.Errorf("%s: %s", what, seen)
				}
			}
			if found := b.axe(); found != "" {
				t.Errorf("%d %s: axe-core finds\n%s", width, scheme, found)
			}
		}
	}
}

// A drag over rows of the heat map chooses their links in all views, and the address holds them.
func TestABrushChoosesLinksInAllViews(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t, recorded(t, "run", "../../../examples/pfc-storm.yaml", "--fabric", "no watchdog"))
	b.screen(1400, "light")
	b.open(base, "#view=heat&quantity=queue", "heat")
	b.do(chromedp.Evaluate(`{
		const c = document.querySelector('canvas.heat'), box = c.getBoundingClientRect();
		c.setPointerCapture = () => {};
		for (const [type, y] of [['pointerdown', 0.01], ['pointerup', 0.99]])
			c.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: box.left + box.width / 2, clientY: box.top + y * box.height}));
	}`, nil))
	b.wait(`document.querySelector('.series .lines')`)
	links := b.text(`new URLSearchParams(location.hash.slice(1)).get('links')`)
	if n := len(strings.Split(links, ",")); n != 5 { // the links with a queue
		t.Errorf("the drag chooses %s: want 5 links", links)
	}
	b.do(chromedp.Evaluate(`document.getElementById('tab-map').click()`, nil))
	b.wait(`document.getElementById('weft').dataset.ready.startsWith('map')`)
	if chosen := b.text(`String(document.querySelectorAll('section:not([hidden]) tr.chosen').length)`); chosen != "5" {
		t.Errorf("%s rows of the map's table are chosen: want 5", chosen)
	}
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// A scenario from somebody else: its names are shown as text in every view, of the server and of the file.
func TestNamesOfAScenarioNeverRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	const nasty = `<img src=x onerror=document.title=1>`
	name := filepath.Join(t.TempDir(), "nasty.yaml")
	text := "name: " + nasty + "\ncluster: {nodes: 2}\nfabrics:\n  - {preset: roce-v2-400g, name: " + nasty + "}\nworkload: {pattern: permutation, sizes: [4KiB]}\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	dir := recorded(t, "run", name)
	b.screen(1400, "light")
	file := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, runstore.ReportFile))}).String()
	for base, views := range map[string][]string{uiServed(t, dir): uiViews, file: fileViews} {
		b.open(base, "", "map")
		for _, view := range views {
			b.do(chromedp.Evaluate("location.hash = 'view="+view+"&table=nodes.parquet'", nil))
			b.wait(fmt.Sprintf("document.getElementById('weft').dataset.ready.startsWith('%s')", view))
			if found := b.text(`document.title + document.querySelectorAll('img').length`); found == "10" || !strings.HasSuffix(found, "0") {
				t.Errorf("%s, %s: a name became an element or ran: %s", base, view, found)
			}
		}
		if shown := b.text(`document.getElementById('simulation').textContent`); !strings.Contains(shown, nasty) {
			t.Errorf("the choice of simulations shows %q, want the name as it is", shown)
		}
		if seen := b.seen(); seen != "" {
			t.Errorf("%s: %s", base, seen)
		}
	}
}
