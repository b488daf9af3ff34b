package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/test/golden"
)

// Each file of testdata/problems is a net with a mistake; the file beside it holds the
// reader's messages.
func TestProblemsAreReportedWhereTheyAre(t *testing.T) {
	files, err := filepath.Glob("testdata/problems/*.net")
	if err != nil || len(files) == 0 {
		t.Fatalf("no nets in testdata/problems: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			s, report, err := ReadTopo(filepath.Base(path), f, Options{})
			var b strings.Builder
			if err != nil {
				b.WriteString("error\n" + err.Error() + "\n")
			}
			if s != nil {
				for _, fault := range s.Check() {
					b.WriteString("fault " + string(fault.Kind) + ": " + fault.Text + "\n")
				}
			}
			for _, n := range report.Notes {
				b.WriteString("note\n" + n.String() + "\n")
			}
			for _, k := range report.Skipped {
				b.WriteString("skipped " + k.What + "\n")
			}
			golden.File(t, strings.TrimSuffix(path, ".net")+".txt", b.String())
		})
	}
}
