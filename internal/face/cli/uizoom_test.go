package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
)

// stormPage is the page of the run of a storm on a fabric of its example, with an empty list of problems at the end of the test.
func stormPage(t *testing.T, fabric, hash, view string) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	base := uiServed(t, recorded(t, "run", "../../../examples/pfc-storm.yaml", "--fabric", fabric))
	b.screen(1400, "light")
	b.open(base, hash, view)
	t.Cleanup(func() {
		if seen := b.seen(); seen != "" {
			t.Error(seen)
		}
	})
	return b
}

// window is the part of time that a picture shows, in picoseconds.
func (b *browser) window(selector string) (from, to float64) {
	b.t.Helper()
	d := decoded[struct{ From, To string }](b.t, b.text(fmt.Sprintf(`JSON.stringify(document.querySelector(%q).dataset)`, selector)))
	from, err := strconv.ParseFloat(d.From, 64)
	if err != nil {
		b.t.Fatalf("%s shows no time: %v", selector, err)
	}
	if to, err = strconv.ParseFloat(d.To, 64); err != nil {
		b.t.Fatal(err)
	}
	return from, to
}

// dragAlong drags over a picture, from a share of its width to another.
func (b *browser) dragAlong(selector string, from, to float64) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`{
		const c = document.querySelector(%q), box = c.getBoundingClientRect();
		c.setPointerCapture = () => {};
		for (const [type, x] of [['pointerdown', %[2]g], ['pointermove', %[3]g], ['pointerup', %[3]g]])
			c.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: box.left + x * box.width, clientY: box.top + 20}));
	}`, selector, from, to), nil))
}

// near reports whether a number is another one, to a share.
func near(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b) }

// A drag along the overview shows that part of the time in every view; the address holds it, and the browser's way
// back leads to the whole time.
func TestADragZoomsInTimeInAllViews(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=heat&quantity=stopped", "heat")
	_, end := b.window("canvas.overview")
	b.dragAlong("canvas.overview", 0.25, 0.5)
	b.wait(`location.hash.includes('from=')`)
	b.wait(`document.querySelector('canvas.heat').dataset.from > 0`)
	from, to := b.window("canvas.heat")
	if !near(from, end/4, 0.02) || !near(to, end/2, 0.02) {
		t.Errorf("the heat map shows %g to %g of %g, want the second quarter", from, to, end)
	}
	b.accessible("zoomed")
	for _, view := range []string{"map", "flows", "track", "switches", "compare"} {
		b.do(chromedp.Evaluate(fmt.Sprintf(`document.getElementById('tab-%s').click()`, view), nil))
		b.wait(fmt.Sprintf(`document.getElementById('weft').dataset.ready.startsWith('%s ')`, view))
		if f, l := b.window("canvas.overview"); f != from || l != to {
			t.Errorf("%s shows %g to %g, and the heat map %g to %g", view, f, l, from, to)
		}
	}
	if f, l := b.window("canvas.ranks"); f != from || l != to {
		t.Errorf("the picture of ranks shows %g to %g, want %g to %g", f, l, from, to)
	}
	const interval = 1 << 21
	least := b.text(`document.getElementById('time').min`)
	if n, err := strconv.Atoi(least); err != nil || !near(float64(n), from/interval, 0.01) {
		t.Errorf("the slider begins at interval %s, want about %g", least, from/interval)
	}
	b.do(chromedp.Evaluate(`location.hash = 'view=heat&quantity=stopped'`, nil))
	b.wait(`document.getElementById('weft').dataset.ready.startsWith('heat')`)
	b.dragAlong("canvas.heat", 0.5, 0.75)
	b.wait(`document.querySelector('canvas.heat').dataset.from > 0`)
	b.do(chromedp.Evaluate(`history.back()`, nil))
	b.wait(`document.querySelector('canvas.heat').dataset.from === '0'`)
	if _, to := b.window("canvas.heat"); to != end {
		t.Errorf("the way back leads to a time until %g, want %g", to, end)
	}
}

// The wheel zooms around the pointer; the keys + and - zoom, arrows move, and 0 shows all; buttons do the same.
func TestWheelKeysAndButtonsZoom(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=heat", "heat")
	_, end := b.window("canvas.overview")
	shows := func(what string, from, to float64) {
		t.Helper()
		b.wait(fmt.Sprintf(`Math.abs(document.querySelector('canvas.overview').dataset.from - %g) < %g && Math.abs(document.querySelector('canvas.overview').dataset.to - %g) < %[2]g`, from, end/200, to))
		if f, l := b.window("canvas.heat"); !near(f, from, 0.02) && math.Abs(f-from) > end/200 || math.Abs(l-to) > end/200 {
			t.Errorf("%s: the heat map shows %g to %g, want %g to %g", what, f, l, from, to)
		}
	}
	b.do(chromedp.Evaluate(`{const c = document.querySelector('canvas.overview'), box = c.getBoundingClientRect();
		c.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, clientX: box.left + box.width / 2, clientY: box.top + 5, cancelable: true}));}`, nil))
	shows("the wheel", end/6, end*5/6)
	key := func(key string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`document.querySelector('.whole .zoomable').dispatchEvent(new KeyboardEvent('keydown', {key: %q, bubbles: true}))`, key), nil))
	}
	key("ArrowRight")
	shows("an arrow", end/3, end)
	key("0")
	shows("the key 0", 0, end)
	b.do(chromedp.Evaluate(`{const s = document.getElementById('time'); s.value = 0; s.dispatchEvent(new Event('input'));}`, nil))
	key("+")
	shows("the key +", 0, end/2)
	b.clickText("Zoom in")
	shows("the button", 0, end/4)
	key("-")
	shows("the key -", 0, end/2)
	b.clickText("Whole time")
	shows("the button of the whole time", 0, end)
}

// What happened when is on the time axis and in a list, whose buttons lead there.
func TestMomentsAreOnTheTimeAxis(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=heat&quantity=stopped", "heat")
	list := b.text(`document.querySelector('.moments ul').textContent`)
	for _, want := range []string{
		"100 us slow receiver: node1/nic0 begins to receive slowly", "20.1 ms slow receiver: node1/nic0 receives as before",
		"pause: leaf1 port 1 to node1/nic0 is paused for the first time",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the moments are %q, want %q", list, want)
		}
	}
	b.do(chromedp.Evaluate(`document.querySelector('.moments').open = true; [...document.querySelectorAll('.moments button')].find(e => e.textContent === '20.1 ms').click()`, nil))
	b.wait(`Number(document.querySelector('canvas.heat').dataset.from) > 15e9`)
	if from, to := b.window("canvas.heat"); from > 20.1e9 || to < 20.1e9 {
		t.Errorf("the button leads to %g to %g, want a time around 20.1 ms", from, to)
	}
	if names := b.text(`document.querySelector('canvas.heat').dataset.names`); !strings.Contains(names, "leaf1 port 1 to node1/nic0") {
		t.Errorf("the rows of the heat map are named %q", names)
	}
}

// Enter in the search chooses a link, a node's links, or a rank, by its name.
func TestSearchChoosesByName(t *testing.T) {
	b := stormPage(t, "no watchdog", "#view=map", "map")
	find := func(text string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`{const i = document.getElementById('search'); i.value = %q; i.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));}`, text), nil))
	}
	find("LEAF1 port 1 to")
	b.wait(`document.querySelector('.series .lines')?.textContent === 'leaf1 port 1 to node1/nic0'`)
	find("node0/nic3")
	b.wait(`document.querySelector('.series .lines')?.textContent === 'node0/nic3 port 1 to leaf0leaf0 port 4 to node0/nic3'`)
	find("nobody")
	b.wait(`document.querySelector('.finding [role=status]').textContent === 'No link, node or rank has this name.'`)
	find("rank 99")
	b.wait(`document.querySelector('.finding [role=status]').textContent === 'There is no rank 99: the run has 16.'`)
	find("rank 4")
	b.wait(`document.getElementById('weft').dataset.ready.startsWith('track')`)
	rows := b.text(`document.querySelector('canvas.ranks').dataset.rows`)
	for _, want := range []string{"messages sent", "node0/nic4 port 1 to leaf0: was stopped"} {
		if !strings.Contains(rows, want) {
			t.Errorf("the track of rank 4 has %q, want %q", rows, want)
		}
	}
}

// The end of a storm of 20 ms is seen at 1 us, where the run has longer intervals: the page shows the details that are
// kept around the end of the longest pauses, and says so.
func TestAStormIsSeenInMicroseconds(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	const short, from, to = 1 << 20, 20_095_000_000, 20_135_000_000
	b := newBrowser(t)
	dir := recorded(t, "run", "../../../examples/pfc-storm.yaml", "--fabric", "no watchdog")
	base := uiServed(t, dir)
	b.screen(1400, "light")
	b.open(base, fmt.Sprintf("#view=heat&quantity=stopped&from=%d&to=%d", from, to), "heat")
	b.shoot("storm-40us")
	if a, z := b.window("canvas.heat"); z-a != 40e6 {
		t.Errorf("the heat map shows %g ps, want 40 us", z-a)
	}
	const says = `40 us in intervals of 1\.049 us at \d+ links \(20\.\d+ ms to 20\.\d+ ms.*\), elsewhere of 2\.097 us$`
	if shown := b.text(`document.querySelector('.whole output').textContent`); !regexp.MustCompile(says).MatchString(shown) {
		t.Errorf("the page says %q, want %s", shown, says)
	}
	b.accessible("details")
	if head := b.text(`document.querySelector('section:not([hidden]) thead').textContent`); !strings.Contains(head, "at 20.") {
		t.Errorf("the table is %q, want a time that is shown", head)
	}
	b.keepFiles()
	b.clickText("CSV")
	shown, err := csv.NewReader(strings.NewReader(b.saved())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	first := strings.TrimSuffix(shown[0][2], " ps")
	if second := strings.TrimSuffix(shown[0][3], " ps"); !isLater(second, first, short) {
		t.Errorf("the values are of %s and %s ps, want %d between them", first, second, short)
	}
	b.checkDetails(dir, shown, from, to)
	for _, view := range []string{"switches", "map", "track", "compare"} {
		b.do(chromedp.Evaluate(fmt.Sprintf(`document.getElementById('tab-%s').click()`, view), nil))
		b.wait(fmt.Sprintf(`document.getElementById('weft').dataset.ready.startsWith('%s ')`, view))
		if n := b.text(`String(document.getElementById("time").max - document.getElementById("time").min)`); n != "37" && n != "38" && n != "39" {
			t.Errorf("the slider of %s has %s steps, want 38, of a microsecond", view, n)
		}
	}
	b.checkCompared(shown, from, to)
	b.shoot("storm-40us-compare")
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// checkCompared compares the means of tiers, of 16 links each, in the view that compares with the values of the heat map.
func (b *browser) checkCompared(shown [][]string, from, to int64) {
	b.t.Helper()
	type mean struct {
		Label string
		Y     []float64
	}
	parts := 0
	for _, m := range decoded[[]mean](b.t, b.text(`JSON.stringify(document.querySelector('[data-looks]').drawn.lines)`)) {
		for i, text := range shown[0][2:] {
			begins, err := strconv.ParseInt(strings.TrimSuffix(text, " ps"), 10, 64)
			if err != nil {
				b.t.Fatal(err)
			}
			at := float64(begins+1<<19-from) / float64(to-from) * float64(len(m.Y)) // the middle of the interval
			if at < 0 || int(at) >= len(m.Y) {
				continue
			}
			sum := 0.0
			for _, line := range shown[1:] {
				if v, err := strconv.ParseFloat(line[2+i], 64); err == nil && strings.HasSuffix(m.Label, ": "+line[1]) {
					sum += v
				}
			}
			if got := m.Y[int(at)]; math.Abs(got-sum/16) > 1e-6 {
				b.t.Errorf("%s at %s: %g, want %g", m.Label, text, got, sum/16)
			}
			if sum != math.Round(sum) {
				parts++
			}
		}
	}
	if parts == 0 {
		b.t.Error("no interval has the end of a pause")
	}
}

func isLater(a, b string, by int64) bool {
	x, err := strconv.ParseInt(a, 10, 64)
	y, bad := strconv.ParseInt(b, 10, 64)
	return err == nil && bad == nil && x == y+by
}

// checkDetails compares the values of the heat map from one time to another with the details in the file.
func (b *browser) checkDetails(dir string, shown [][]string, from, to int64) {
	b.t.Helper()
	folder := filepath.Join(dir, "series")
	details, err := seriesfile.Read[results.SeriesSample](folder, seriesfile.LinkDetails)
	if err != nil {
		b.t.Fatal(err)
	}
	links, err := seriesfile.Read[results.SeriesLink](folder, seriesfile.Links)
	if err != nil {
		b.t.Fatal(err)
	}
	names, want := map[int32]string{}, map[[2]string]float64{}
	for _, l := range links {
		names[l.Link] = l.Name
	}
	for _, s := range details {
		if at := [2]string{names[s.Link], fmt.Sprintf("%d ps", s.TimePs)}; s.TimePs >= from && s.TimePs < to {
			want[at] = max(want[at], float64(s.PausedPs)/(1<<20))
		}
	}
	compared, parts := 0, 0
	for _, line := range shown[1:] {
		for i, text := range line[2:] {
			share, kept := want[[2]string{line[0], shown[0][2+i]}]
			if got, err := strconv.ParseFloat(text, 64); kept && (err != nil || math.Abs(got-share) > 1e-6) {
				b.t.Errorf("%s at %s is stopped for %s, want %g", line[0], shown[0][2+i], text, share)
			}
			if kept {
				compared++
			}
			if kept && share > 0 && share < 1 {
				parts++
			}
		}
	}
	if compared < 10 || parts == 0 {
		b.t.Errorf("%d values are details, %d of them ends of pauses", compared, parts)
	}
}

// A storm that the watchdog finds is a moment: one to two polls after the detection time, and ended after the NIC
// takes packets again.
func TestTheWatchdogIsAMoment(t *testing.T) {
	b := stormPage(t, "watchdog drops", "#view=heat&quantity=stopped", "heat")
	list := b.text(`document.querySelector('.moments ul').textContent`)
	for _, want := range []string{
		`[12]\.\d+ ms watchdog: the watchdog finds a storm at leaf1 port 1 to node1/nic0, in priority 3`,
		`2[12](\.\d+)? ms watchdog: the watchdog restores leaf1 port 1 to node1/nic0, in priority 3`,
	} {
		if !regexp.MustCompile(want).MatchString(list) {
			t.Errorf("the moments are %q, want %s", list, want)
		}
	}
	const looks = `[e => e.childNodes[3].textContent, e => e.querySelector('.key').style.background].map(f => new Set([...document.querySelectorAll('.moments li')].map(f)).size).join()`
	if n := b.text(looks); n != "4,4" {
		t.Errorf("kinds of moments and their colours are %s, want 4 of each", n)
	}
}
