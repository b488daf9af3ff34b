package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"weft"
	"weft/internal/face/cli/exit"
)

// browser is Chromium with a tab, which reports errors in the console and requests to other hosts.
type browser struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	own      string // the beginning of the addresses that the page may ask for
	problems []string
}

// chromium is the one Chromium of all tests. The end of the tests ends it.
var chromium struct {
	once sync.Once
	ctx  context.Context
	err  error
}

// newBrowser opens a tab that shares no cookie and no storage with another one. Without Chromium the test is
// skipped, and in CI it fails.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal("chromium is not installed (bash .ci/run tools)")
	default:
		t.Skip("SKIPPED: chromium is not installed (bash .ci/run tools)")
	}
	chromium.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("lang", "en-US"))
		allocated, _ := chromedp.NewExecAllocator(context.Background(), options...)
		chromium.ctx, _ = chromedp.NewContext(allocated)
		chromium.err = chromedp.Run(chromium.ctx)
	})
	if chromium.err != nil {
		t.Fatalf("chromium: %v", chromium.err)
	}
	ctx, end := chromedp.NewContext(chromium.ctx, chromedp.WithTargetID(newWindow(t)))
	t.Cleanup(end)
	limited, stop := context.WithTimeout(ctx, 10*time.Minute) // a browser that hangs must not hang the test
	t.Cleanup(stop)
	b := &browser{t: t, ctx: limited}
	chromedp.ListenTarget(limited, b.listen)
	b.do(network.Enable(), log.Enable(), runtime.Enable())
	return b
}

// newWindow opens a window of a browser context of its own, whose cookies and storage the end of the test deletes.
func newWindow(t testing.TB) target.ID {
	t.Helper()
	ctx := cdp.WithExecutor(chromium.ctx, chromedp.FromContext(chromium.ctx).Browser)
	own, err := target.CreateBrowserContext().Do(ctx)
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	t.Cleanup(func() { _ = target.DisposeBrowserContext(own).Do(ctx) })
	window, err := target.CreateTarget("about:blank").WithBrowserContextID(own).WithNewWindow(true).Do(ctx)
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	return window
}

func (b *browser) listen(event any) {
	problem := ""
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem = e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			problem = fmt.Sprint("console: ", string(e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError && !strings.HasSuffix(e.Entry.URL, "/favicon.ico") {
			problem = e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.own) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
			problem = "a request leaves the page: " + u
		}
	}
	if problem != "" {
		b.problems = append(b.problems, problem)
	}
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatalf("chromium: %v (%s)", err, b.seen())
	}
}

// seen are the problems since the last call.
func (b *browser) seen() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.Join(b.problems, "\n")
	b.problems = nil
	return text
}

// screen sets the width of the window, and light or dark.
func (b *browser) screen(width int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 1000), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// open goes to an address and waits until the view with the name is drawn.
func (b *browser) open(base, hash, view string) {
	b.t.Helper()
	base, token, _ := strings.Cut(base, "#")
	if hash = strings.Trim(token+"&"+strings.TrimPrefix(hash, "#"), "&"); hash != "" {
		hash = "#" + hash
	}
	b.mu.Lock()
	b.own = base
	b.mu.Unlock()
	b.do(chromedp.Navigate("about:blank"))
	b.seen() // about:blank is no request of the page
	b.do(chromedp.Navigate(base + hash))
	b.wait(fmt.Sprintf(`document.getElementById('weft')?.dataset.ready?.startsWith(%q)`, view))
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	var holds bool
	for begun := time.Now(); time.Since(begun) < waitAtMost; time.Sleep(20 * time.Millisecond) {
		if err := chromedp.Run(b.ctx, chromedp.Evaluate("!!("+expression+")", &holds)); err == nil && holds {
			return
		}
	}
	state := b.text(`String(document.getElementById('weft')?.dataset.ready) + ' ' + ([...document.querySelectorAll('.message')].find(e => e.offsetParent)?.textContent ?? '')`)
	b.t.Fatalf("%s never holds; the page is %s; %s", expression, state, b.seen())
}

// text is the value of an expression.
func (b *browser) text(expression string) (text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(expression, &text))
	return text
}

// shoot writes a picture into the folder of WEFT_SCREENSHOTS, if it is set.
func (b *browser) shoot(name string) {
	dir := os.Getenv("WEFT_SCREENSHOTS")
	if dir == "" {
		return
	}
	var picture []byte
	b.do(chromedp.FullScreenshot(&picture, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		b.t.Error(err)
	}
}

// axe is what axe-core finds against WCAG 2.1 AA.
func (b *browser) axe() string {
	b.t.Helper()
	source, err := os.ReadFile("testdata/axe/axe-core-4.14.1.min.js")
	if err != nil {
		b.t.Fatal(err)
	}
	const run = `axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'], iframes: false})
		.then(r => r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary).join(' | ')).join('\n'))`
	var found string
	b.do(chromedp.Evaluate(string(source)+";undefined", nil),
		chromedp.Evaluate(run, &found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return found
}

// recorded runs a verb with --series and gives the run folder.
func recorded(t testing.TB, given ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run <b>&amp;")
	e := environment(append(given, "--series", "--out", dir))
	var errs strings.Builder
	e.Stderr, e.Run = &errs, weft.Run
	if code := Main(context.Background(), e); code != exit.OK {
		t.Fatalf("weft %s: exit code %d: %s", strings.Join(given, " "), code, errs.String())
	}
	return dir
}

// uiServed is the address of weft ui with arguments, which ends with the test, with its token.
func uiServed(t testing.TB, given ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	e := environment(append([]string{"ui"}, given...))
	var errs strings.Builder
	e.Stdout, e.Stderr = w, &errs
	ended := make(chan exit.Code, 1)
	go func() {
		ended <- Main(ctx, e)
		_ = w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("weft ui gives no address: %s", errs.String())
	}
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != exit.OK {
			t.Errorf("weft ui ends with exit code %d: %s", code, errs.String())
		}
	})
	return strings.TrimSpace(line)
}

// decoded is a JSON text as a value.
func decoded[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	return v
}

// waitAtMost bounds the time until an expression is true; a machine may be busy.
var waitAtMost = 2 * time.Minute
