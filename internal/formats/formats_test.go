package formats

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/source"
)

const schedule = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n"

// A workload names its files, though its reader fills nothing; a topology beside it is none of them.
func TestAWorkloadNamesItsFiles(t *testing.T) {
	known := formats
	t.Cleanup(func() { formats = known })
	formats = append(formats[:len(formats):len(formats)], format{
		"a made-up trace", func(head []byte) bool { return bytes.HasPrefix(head, []byte("made up")) },
		func([]source.File) *source.Workload { return new(source.Workload) }, true,
	})
	file := func(name, text string) source.File { return source.File{Name: name, Reader: strings.NewReader(text)} }
	w, cluster, err := Read([]source.File{file("a.0", "made up"), file("net.yml", "topology: [ Switch ]\nnpus_count: [ 2 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"), file("a.1", "made up")})
	if err != nil || cluster == nil {
		t.Fatal(cluster, err)
	}
	if want := []string{"a.0", "a.1"}; !slices.Equal(w.Files, want) {
		t.Errorf("the files are %q, want %q", w.Files, want)
	}
}

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
