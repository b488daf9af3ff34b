package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/test/golden"
)

// blocksOf are the blocks of a page: the language of each, and its text.
func blocksOf(page string) (blocks [][2]string) {
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, [2]string{m[1], m[2]})
	}
	return blocks
}

// The commands of the tutorial succeed one after the other in an empty folder, and print the lines that the page shows
// below them, in their order.
func TestTheTutorialHolds(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/TUTORIAL.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, printed, commands, lines := t.TempDir(), "", 0, 0
	for _, block := range blocksOf(string(text)) {
		switch block[0] {
		case "sh":
			printed = ""
			for line := range strings.Lines(block[1]) {
				commands++
				printed += tutorialCommand(t, dir, strings.TrimSpace(line))
			}
		case "text":
			rest := printed
			for line := range strings.Lines(block[1]) {
				lines++
				_, after, ok := strings.Cut(rest, strings.TrimSuffix(line, "\n"))
				if !ok {
					t.Errorf("the tutorial has the line %q, and its commands print\n%s", line, rest)
					break
				}
				rest = after
			}
		}
	}
	if commands < 10 || lines < 15 {
		t.Errorf("only %d commands and %d lines were found", commands, lines)
	}
}

// tutorialCommand is what a command prints. Its output goes to a file behind ">".
func tutorialCommand(t *testing.T, dir, line string) string {
	t.Helper()
	line, file, toFile := strings.Cut(line, " > ")
	var args []string
	for _, word := range strings.Fields(line)[1:] {
		args = append(args, strings.Trim(word, "'"))
	}
	p := environmentOf(args, weft.Run)
	p.Dir = dir
	code, stdout, stderr := invoke(p)
	if code != exit.OK && (code != exit.Refuted || args[0] != "diagnose") {
		t.Fatalf("%s: exit code %d\n%s", line, code, stderr)
	}
	if toFile {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(stdout), 0o600); err != nil {
			t.Fatal(err)
		}
		return ""
	}
	return stdout
}

// The picture of the tutorial is the page of a run of its scenario. With -update it is taken anew: two browsers do not
// draw the same points, so without it only what the page shows is compared.
func TestThePictureOfTheTutorialIsThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	dir := t.TempDir()
	tutorialCommand(t, dir, "weft init --nodes 8 --node dgx-h200 --shape leaf-spine --oversubscription 2:1 -o my.yaml")
	tutorialCommand(t, dir, "weft run my.yaml --fabric roce-v2-400g --set 'workload.sizes=[16MiB]' --series --out run")
	b.screen(1200, "light")
	b.open(uiServed(t, filepath.Join(dir, "run")), "", "map")
	if shown := b.text(`document.body.innerText`); !strings.Contains(shown, "8 nodes of 8 NVIDIA H200 SXM 141 GB · roce-v2-400g") {
		t.Errorf("the page does not have the cluster and the fabric:\n%s", shown)
	}
	var picture []byte
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		picture, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatPng).Do(ctx)
		return err
	}))
	const file = root + "/docs/images/tutorial-ui.png"
	if golden.Updating() {
		if err := os.WriteFile(file, picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(file); err != nil || len(kept) < 10000 {
		t.Errorf("%s has %d bytes (%v): go test -run TestThePictureOfTheTutorial -update takes it", file, len(kept), err)
	}
}
