package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata, or rewrites it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		line := 1
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				from, to := max(0, i-60), i+60
				t.Fatalf("%s differs from line %d on; go test -update rewrites it\n got …%s…\nwant …%s…",
					path, line, got[from:min(to, len(got))], want[from:min(to, len(want))])
			}
			if got[i] == '\n' {
				line++
			}
		}
		t.Fatalf("%s: got %d bytes, want %d", path, len(got), len(want))
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Page(&b, fabricate(threeFabrics, sweep()), madeUp(), []byte("name: H100 pod, 128 GPUs\n")); err != nil {
		t.Fatal(err)
	}
	golden(t, "page.html", b.Bytes())
}

func TestTerminal(t *testing.T) {
	var b bytes.Buffer
	if err := Terminal(&b, fabricate(threeFabrics, sweep()), madeUp(), Style{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "terminal.txt", b.Bytes())
}
