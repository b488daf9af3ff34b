package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"weft"
	"weft/internal/face/cli/exit"
)

// The editor of a new run shows the scenario of a run as it was written, or what is left of it without fields that
// follow from others; its lines have numbers, faults are marked beside them, and names are completed from the schema.
func TestTheEditorHelpsToWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	root := t.TempDir()
	written := filepath.Join(t.TempDir(), "mine.yaml")
	const text = "# mine\n" + incastYAML
	if err := os.WriteFile(written, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := environment([]string{"run", written, "--out", filepath.Join(root, "first")})
	if e.Run = weft.Run; Main(context.Background(), e) != exit.OK {
		t.Fatal("the run fails")
	}
	b := newBrowser(t)
	base := uiServed(t, root)
	b.screen(1400, "light")
	b.open(base, "#view=begin", "begin")
	const value = `document.getElementById('begin-text').value`
	if got := b.text(value); got != text {
		t.Errorf("the editor shows\n%s\nwant what was written:\n%s", got, text)
	}
	choose := func(id, option string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`{const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event('change'));}`, id, option), nil))
	}
	choose("begin-as", "")
	b.wait(value + `.split('\n').length > 80`)
	if err := os.Remove(written); err != nil {
		t.Fatal(err)
	}
	choose("begin-as", "written")
	b.wait(value + `.split('\n').length < 40`)
	if short := b.text(value); strings.Count(short, "\n") > 20 || !strings.Contains(short, "fan-in: 6") || !strings.Contains(short, "gpus: 4") {
		t.Errorf("without its file the scenario is\n%s\nwant at most 20 lines with what was chosen", short)
	}

	b.do(chromedp.Evaluate(`{const t = document.getElementById('begin-text'); t.value = 'name: x\nclustre: {nodes: 4}\nfabrics: [infiniband-ndr]\n'; t.dispatchEvent(new Event('input'));}`, nil))
	b.wait(`document.querySelector('.numbers .bad')?.textContent === '2\n'`)
	if n := b.text(`String(document.querySelectorAll('.numbers span').length)`); n != "4" {
		t.Errorf("4 lines have %s numbers", n)
	}
	press := func(key string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`document.getElementById('begin-text').dispatchEvent(new KeyboardEvent('keydown', {key: %q, bubbles: true, cancelable: true}))`, key), nil))
	}
	b.do(chromedp.Evaluate(`{const t = document.getElementById('begin-text'); t.value = 'name: x\n'; t.focus(); t.setSelectionRange(8, 8);}`, nil))
	b.do(input.InsertText("clus"))
	b.wait(`document.querySelector('.names li[aria-selected=true]')?.textContent === 'cluster'`)
	b.accessible("completion")
	b.do(chromedp.Evaluate(`document.getElementById('begin-text').focus()`, nil), input.InsertText("t"))
	b.wait(`document.querySelector('.names li')`)
	press("Enter")
	b.wait(value + ` === 'name: x\ncluster: '`)
	b.do(input.InsertText("{nodes: 2}\nworkload: {pattern: inc"))
	b.wait(`document.querySelector('.names li')?.textContent === 'incast' && document.querySelector('.meaning').textContent.length > 10`)
	press("Tab")
	b.wait(value + `.endsWith('{pattern: incast')`)
	if seen := b.seen(); seen != "" {
		t.Error(seen)
	}
}
