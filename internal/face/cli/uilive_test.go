package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/page"
	"weft/internal/sim/runstore"
	"weft/results"
	"weft/scenario"
)

// gateFile is the variable with the name of a file: until it exists, a run of the runner gated is held after its
// first simulation.
const gateFile = "WEFT_TEST_GATE"

func gated(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
	tell := o.Progress
	ctx, hold := weft.Pausable(ctx)
	var once sync.Once
	o.Progress = func(p weft.Progress) {
		if tell(p); p.Done > 0 {
			once.Do(func() {
				hold(true)
				go func() {
					for !exists(os.Getenv(gateFile)) {
						time.Sleep(10 * time.Millisecond)
					}
					hold(false)
				}()
			})
		}
	}
	return weft.Run(ctx, r, o)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("it never happens that %s", what)
		}
	}
}

// incastYAML has four simulations.
const incastYAML = `name: incast
cluster: {nodes: 4, node: {gpu: h100, gpus: 4, nics: 4, nic: connectx-7}}
workload: {pattern: incast, fan-in: 6, sizes: [256KiB, 1MiB]}
fabrics: [infiniband-ndr, roce-v2-400g]
`

// workplace is a folder with a scenario, and a gate that is closed.
func workplace(t *testing.T) (dir, gate string) {
	t.Helper()
	dir, gate = t.TempDir(), filepath.Join(t.TempDir(), "gate")
	if err := os.WriteFile(filepath.Join(dir, "incast.yaml"), []byte(incastYAML), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, gate
}

func openGate(t *testing.T, gate string) {
	t.Helper()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// begin begins weft as a process of its own, which ends with the test.
func begin(t *testing.T, dir, gate string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), asProgram+"=gated", gateFile+"="+gate)
	return c
}

// underway begins a run and waits for the end of its first simulation.
func underway(t *testing.T, dir, gate string) (run string, ended func() error) {
	t.Helper()
	c := begin(t, dir, gate, "run", "incast.yaml", "--series", "--out", "run")
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	run = filepath.Join(dir, "run")
	until(t, "the first simulation has ended", func() bool {
		p := runstore.InProgress(run)
		return p != nil && p.Events > 0
	})
	return run, func() error { return <-done }
}

// content are the files of a run folder but meta.json, which has times.
func content(t *testing.T, run string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == runstore.MetaFile {
			return err
		}
		text, err := os.ReadFile(path)
		name, unrelated := filepath.Rel(run, path)
		out[name] = string(text)
		return errors.Join(err, unrelated)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// whole compares a run folder with the one of a run that nobody watched.
func whole(t *testing.T, run string) {
	t.Helper()
	dir, gate := workplace(t)
	openGate(t, gate)
	if out, err := begin(t, dir, gate, "run", "incast.yaml", "--series", "--out", "run").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, want := content(t, run), content(t, filepath.Join(dir, "run"))
	if len(want) < 4 || len(got) != len(want) {
		t.Errorf("the folder has %d files, and %d without a viewer", len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs from that of a run without a viewer", name)
		}
	}
	if _, err := runstore.Read(run); err != nil {
		t.Error(err)
	}
}

// clickText clicks the visible button with a text.
func (b *browser) clickText(text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll('button')].find(e => e.textContent === %q && e.offsetParent && !e.disabled)`, text)
	b.wait(find)
	b.do(chromedp.Evaluate(find+".click()", nil))
}

// accessible fails if axe-core finds something, at both widths, light and dark.
func (b *browser) accessible(what string) {
	b.t.Helper()
	for _, width := range []int64{1400, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.screen(width, scheme)
			b.shoot(fmt.Sprintf("%s-%d-%s", what, width, scheme))
			if found := b.axe(); found != "" {
				b.t.Errorf("%s, %d %s: axe-core finds\n%s", what, width, scheme, found)
			}
			if wide := b.text(`String(document.documentElement.scrollWidth - innerWidth)`); !wideLess(wide) {
				b.t.Errorf("%s, %d: the page is %s pixels wider than the window", what, width, wide)
			}
		}
	}
	b.screen(1400, "light")
}

// A run in a terminal is watched in two browsers, paused and continued in one; one goes away. At its end the page is
// that of the finished run, whose folder is as if nobody had watched.
func TestALiveRunIsWatchedToItsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	dir, gate := workplace(t)
	run, ended := underway(t, dir, gate)
	one, two, gone := newBrowser(t), newBrowser(t), newBrowser(t)
	base := uiServed(t, run)
	one.screen(1400, "light")
	one.open(base, "", "map")
	gone.open(base, "", "map")
	two.open(base, "", "map")
	gone.do(chromedp.Navigate("about:blank"))
	const text = `document.querySelector('.live .note').textContent`
	for _, b := range []*browser{one, two} {
		b.wait(`document.querySelector('.live')`)
		if got := b.text(text); !strings.Contains(got, " of 4 simulations · ") || !strings.Contains(got, " simulated, ") || !strings.Contains(got, " packet-hops per second") {
			t.Errorf("the progress is %q", got)
		}
	}
	one.wait(`/^map 0\.\d/.test(document.getElementById('weft').dataset.ready)`) // a simulation that runs
	if shown := one.text(`document.getElementById('simulation').textContent`); !strings.Contains(shown, "incomplete") {
		t.Errorf("while the run goes on the simulations are %q, want incomplete ones", shown)
	}
	for _, view := range uiViews {
		one.do(chromedp.Evaluate("location.hash = 'view="+view+"'", nil))
		one.wait("document.getElementById('weft').dataset.ready.startsWith('" + view + " 0.')")
	}
	one.do(chromedp.Evaluate("location.hash = 'view=map&simulation=0.0'", nil))
	one.wait("document.getElementById('weft').dataset.ready.startsWith('map 0.')")
	one.accessible("live")
	if hash := one.text(`location.href`); strings.Contains(hash, "token") {
		t.Errorf("the address %s still has the token", hash)
	}
	one.clickText("Pause")
	const state = `document.querySelector('.live [role=status]').textContent`
	for _, b := range []*browser{one, two} {
		b.wait(state + ` === 'paused'`)
	}
	if p := runstore.InProgress(run); p == nil || p.State != runstore.Paused {
		t.Errorf("the run is %+v, want paused", p)
	}
	openGate(t, gate)
	one.clickText("Continue")
	if err := ended(); err != nil {
		t.Error(err)
	}
	for _, b := range []*browser{one, two} {
		b.wait(`!document.querySelector('.live') && document.getElementById('simulation').options.length === 4 && document.getElementById('weft').dataset.ready.startsWith('map 0.')`)
		if shown := b.text(`document.getElementById('simulation').textContent`); strings.Contains(shown, "incomplete") {
			t.Errorf("the simulations of the finished run are %q", shown)
		}
		if seen := b.seen(); seen != "" {
			t.Error(seen)
		}
	}
	whole(t, run)
}

// A run that is stopped in the page is partial in its folder, in the page, in its report and for weft explain.
func TestAStoppedRunIsPartialEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	dir, gate := workplace(t)
	run, ended := underway(t, dir, gate)
	b := newBrowser(t)
	base := uiServed(t, run)
	b.screen(1400, "light")
	b.open(base, "", "map")
	b.clickText("Pause")
	b.wait(`document.querySelector('.live [role=status]').textContent === 'paused'`)
	b.clickText("Stop, keep the results so far")
	var failed *exec.ExitError
	if err := ended(); !errors.As(err, &failed) || failed.ExitCode() != int(exit.Partial) {
		t.Errorf("the run ends with %v, want exit code %d", err, exit.Partial)
	}
	b.wait(`!document.querySelector('.live') && [...document.querySelectorAll('.message')].some(m => m.offsetParent && m.textContent.startsWith('Partial: '))`)
	if shown := b.text(`document.getElementById('simulation').textContent`); !strings.Contains(shown, " · partial") {
		t.Errorf("the choice is %q, want it to say partial", shown)
	}
	b.accessible("partial")
	got, err := runstore.Read(run)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Meta.Partial || !got.Results.Partial || !strings.Contains(string(got.Report), "Partial: the run was stopped") {
		t.Errorf("partial: meta %t, results %t, report %t; want all", got.Meta.Partial, got.Results.Partial, strings.Contains(string(got.Report), "Partial: "))
	}
	var said strings.Builder
	e := environment([]string{"explain", run})
	e.Stdout = &said
	if code := Main(context.Background(), e); code != exit.OK || !strings.Contains(said.String(), "Partial: the run was stopped") {
		t.Errorf("weft explain: exit code %d, %q", code, said.String())
	}
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// In an empty folder the page begins a run, from a scenario whose mistakes it shows as the command line does, and
// with which nothing is begun.
func TestARunBeginsFromAnEditedScenario(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	dir, gate := t.TempDir(), filepath.Join(t.TempDir(), "gate")
	openGate(t, gate)
	t.Setenv(asProgram, "gated")
	t.Setenv(gateFile, gate)
	b := newBrowser(t)
	base := uiServed(t, dir)
	b.screen(1400, "light")
	b.open(base, "", "begin")
	write := func(text string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`{const t = document.getElementById('begin-text'); t.value = %q; t.dispatchEvent(new Event('input'));}`, text), nil))
	}
	wrong := strings.Replace(incastYAML, "nodes: 4", "nodes: 0", 1) + "worklod: {}\n"
	write(wrong)
	b.wait(`document.querySelectorAll('.faults li').length === 2`)
	b.accessible("begin")
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "run-1.yaml"), []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := begin(t, elsewhere, gate, "run", "run-1.yaml").CombinedOutput()
	said := strings.TrimPrefix(strings.TrimSpace(string(out)), "weft: ")
	if shown := b.text(`[...document.querySelectorAll('.faults li')].map(e => e.textContent).join('\n')`); err == nil || shown != said {
		t.Errorf("the page shows\n%s\nand the command line\n%s", shown, said)
	}
	if able := b.text(`String([...document.querySelectorAll('button')].find(e => e.textContent === 'Start the run').disabled)`); able != "true" {
		t.Error("a scenario with mistakes can be started")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v: the folder has %v, and nothing was begun", err, entries)
	}
	write(incastYAML)
	b.clickText("Start the run")
	b.wait(`document.getElementById('weft').dataset.ready.startsWith('map 0.0 utilisation ')`)
	whole(t, filepath.Join(dir, "run-1"))
	if text, err := os.ReadFile(filepath.Join(dir, "run-1.yaml")); err != nil || string(text) != incastYAML {
		t.Errorf("%v: the scenario is kept as %q", err, text)
	}
	b.do(chromedp.Evaluate(`document.getElementById('tab-begin').click()`, nil))
	b.wait(`document.getElementById('begin-name').value === 'run-2' && document.getElementById('weft').dataset.ready.startsWith('begin')`)
	b.do(chromedp.Evaluate(`{const n = document.getElementById('begin-name'); n.value = 'run-1'; n.dispatchEvent(new Event('input'));}`, nil))
	b.wait(`document.querySelector('.faults li')?.textContent === 'the name of the run: run-1 exists, name a new one'`)
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}

// A run that the page began and that ends before it tells of any progress is shown as well.
func TestAShortRunIsShownAtItsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	dir := filepath.Join(t.TempDir(), "run-1")
	var ended atomic.Bool
	server := httptest.NewUnstartedServer(nil)
	site := page.NewSite(server.Listener.Addr().String(), nil)
	site.Check = func(string, []byte) []page.Fault { return nil }
	site.Start = func(string, []byte) (string, *page.Child, error) {
		return dir, &page.Child{Alive: func() bool { return !ended.Load() }}, nil
	}
	server.Config.Handler = site.Handler()
	server.Start()
	t.Cleanup(server.Close)
	b := newBrowser(t)
	b.screen(1400, "light")
	b.open(server.URL+"/#token="+site.Token, "", "begin")
	b.clickText("Start the run")
	b.wait(`document.getElementById('weft').dataset.ready === 'map 0. utilisation none' && document.querySelector('.live')`)
	if err := os.Rename(recorded(t, "run", "../../../examples/two-nodes-h100.yaml"), dir); err != nil {
		t.Fatal(err)
	}
	ended.Store(true)
	b.wait(`document.getElementById('weft').dataset.ready.startsWith('map 0.0 utilisation ')`)
}

// A page that nobody sees holds no connection: with six tabs that do, a browser opens no seventh.
func TestAHiddenPageHoldsNoConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	server := httptest.NewUnstartedServer(nil)
	site := page.NewSite(server.Listener.Addr().String(), nil)
	site.Check = func(string, []byte) []page.Fault { return nil }
	site.Start = func(string, []byte) (string, *page.Child, error) { return "", nil, errors.ErrUnsupported }
	var held atomic.Int32
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			held.Add(1)
			defer held.Add(-1)
		}
		site.Handler().ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	b := newBrowser(t)
	b.open(server.URL+"/#token="+site.Token, "", "begin")
	hide := func(is bool) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`Object.defineProperty(document, 'hidden', {value: %t, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))`, is), nil))
	}
	until(t, "the page listens", func() bool { return held.Load() == 1 })
	hide(true)
	until(t, "the hidden page has gone", func() bool { return held.Load() == 0 })
	hide(false)
	until(t, "the page listens again", func() bool { return held.Load() == 1 })
}

// A server that is killed ends no run: the folder is as if there had been no server.
func TestAKilledServerLeavesTheRunWhole(t *testing.T) {
	dir, gate := t.TempDir(), filepath.Join(t.TempDir(), "gate")
	server := begin(t, dir, gate, "ui", ".")
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() })
	line := make([]byte, 256)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	base, token, _ := strings.Cut(strings.TrimSpace(string(line[:n])), "#token=")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"start/incast", strings.NewReader(incastYAML))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Weft-Token", token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v: %+v", err, answer)
	}
	_ = answer.Body.Close()
	run := filepath.Join(dir, "incast")
	until(t, "the first simulation has ended", func() bool {
		p := runstore.InProgress(run)
		return p != nil && p.Events > 0
	})
	if err := server.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	openGate(t, gate)
	until(t, "the run ends", func() bool { return runstore.InProgress(run) == nil })
	whole(t, run)
}

// A run whose process was killed leaves a message, and none of its files.
func TestAKilledRunIsExplained(t *testing.T) {
	dir, gate := workplace(t)
	c := begin(t, dir, gate, "run", "incast.yaml", "--out", "run")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	until(t, "the run goes on", func() bool { return runstore.InProgress(run) != nil })
	said := func() string {
		var errs strings.Builder
		e := environment([]string{"explain", run})
		e.Stderr = &errs
		if code := Main(context.Background(), e); code != exit.BadInput {
			t.Errorf("exit code %d, want %d", code, exit.BadInput)
		}
		return errs.String()
	}
	if got := said(); !strings.Contains(got, "the run has not ended; weft ui shows it meanwhile") {
		t.Errorf("while it goes on: %q", got)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	if got := said(); !strings.Contains(got, "was killed") {
		t.Errorf("after it was killed: %q", got)
	}
}
