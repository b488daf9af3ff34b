package report

import (
	"bytes"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/test/golden"
)

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Comparison(seeded(fabricate(threeFabrics, sizesOf())), madeUp(), []byte("name: H100 pod, 128 GPUs\n")).HTML(&b); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/page.html", b.String())
}

func TestTerminal(t *testing.T) {
	for file, style := range map[string]doc.Style{"terminal.txt": {}, "terminal-details.txt": {Details: true}} {
		var b bytes.Buffer
		if err := Comparison(seeded(fabricate(threeFabrics, sizesOf())), madeUp(), nil).Terminal(&b, style); err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/"+file, b.String())
	}
}
