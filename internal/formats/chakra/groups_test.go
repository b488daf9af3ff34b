package chakra

import (
	"bytes"
	"testing"

	"weft/internal/formats/source"
)

// FuzzGroups reads lists of process groups beside the traces of two ranks.
func FuzzGroups(f *testing.F) {
	for _, text := range []string{`{"0": [0, 1]}`, `{"0": [1, 0, 0], "1": []}`, `{"0": [-1, 2147483647]}`, `{"0": [0`, `{"comm": null}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, groups []byte) {
		traces := pair()
		w := Read([]source.File{
			{Name: "groups.json", Reader: bytes.NewReader(groups)},
			{Name: "t.0.et", Reader: bytes.NewReader(traces[0])},
			{Name: "t.1.et", Reader: bytes.NewReader(traces[1])},
		})
		if w.Stopped != nil {
			return
		}
		if w.Ranks < 2 {
			t.Fatalf("%d ranks of two traces", w.Ranks)
		}
		_ = w.Graph.Check() // may find problems, must not fail itself
	})
}
