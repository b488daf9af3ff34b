package archtest

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// mostWords bounds the documents together, so that a reader finds what is there.
const mostWords = 80_000

// TestTheDocumentsKeepTheirBudget counts the words of every page, as wc -w does. CHANGELOG.md grows
// with each release, and the pages of testdata are for tests.
func TestTheDocumentsKeepTheirBudget(t *testing.T) {
	total, pages := 0, 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".md") || path == "CHANGELOG.md":
			return nil
		}
		text, err := os.ReadFile("../../" + path)
		total += len(strings.Fields(string(text)))
		pages++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 20 || total > mostWords {
		t.Errorf("%d pages have %d words, want at most %d: cut repetition, history and second explanations", pages, total, mostWords)
	}
}
