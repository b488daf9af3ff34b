package counters

import (
	"os"
	"path/filepath"
	"testing"

	"weft/internal/base/portstate"
)

// FuzzReaders: no text makes a reader panic or hang, whether its kind is that of the text or not, and
// every reading has the place of a line.
func FuzzReaders(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // a folder of found inputs
		}
		for i := range Readers {
			f.Add(string(text), i)
		}
	}

	f.Fuzz(func(t *testing.T, text string, which int) {
		if which < 0 || which >= len(Readers) {
			return
		}
		set := portstate.NewSet()
		for i, r := range Readers {
			if r.Is(text) || i == which {
				r.Read(&portstate.Input{Name: "fuzz", Text: text, Set: set, Kind: r.Name})
			}
		}
		for _, r := range set.Readings {
			if r.At.File == "" || r.At.Line < 1 {
				t.Fatalf("a reading of %v without a place", r.Port)
			}
			for _, c := range r.Counters {
				if c.Name == "" || c.At.Line < 1 {
					t.Fatalf("the counter %+v of %v", c, r.Port)
				}
			}
		}
	})
}
