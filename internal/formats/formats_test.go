package formats

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"weft/internal/formats/source"
)

const schedule = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n"

// A file packed with gzip reads as the plain file, and a cut one is reported.
func TestPackedFilesAreUnpacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(schedule)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) *source.Workload {
		w, _, err := Read([]source.File{{Name: "ring.goal.gz", Reader: bytes.NewReader(b)}})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := read(packed.Bytes()); w.Stopped != nil || w.Ops() != 2 {
		t.Errorf("%d operations, %v, want 2", w.Ops(), w.Stopped)
	}
	if w := read(packed.Bytes()[:packed.Len()-4]); w.Stopped == nil || !strings.Contains(w.Stopped.Error(), "unexpected EOF") {
		t.Errorf("a packed file that is cut: %v", w.Stopped)
	}
}
