package report

import (
	"bytes"
	"testing"

	"weft/internal/base/golden"
)

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Page(&b, seeded(fabricate(threeFabrics, sweep())), madeUp(), []byte("name: H100 pod, 128 GPUs\n")); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/page.html", b.String())
}

func TestTerminal(t *testing.T) {
	var b bytes.Buffer
	if err := Terminal(&b, seeded(fabricate(threeFabrics, sweep())), madeUp(), Style{}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/terminal.txt", b.String())
}
