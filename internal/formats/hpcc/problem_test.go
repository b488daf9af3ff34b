package hpcc

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/test/golden"
)

// A transcript has files, each after a line `-- name --`, and then the problems that
// a reader reports.
func TestProblemsAreReportedTogetherWithTheirPlaces(t *testing.T) {
	files, err := filepath.Glob("testdata/problems/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			folder, input := transcript(text(t, file))
			c, err := Read(folder)
			got := ""
			if err != nil {
				got = err.Error() + "\n"
			} else {
				for _, i := range c.Ignored {
					got += i.String() + "\n"
				}
			}
			golden.File(t, file, input+got)
		})
	}
}

const told = "-- told --\n"

func transcript(text string) (folder fstest.MapFS, input string) {
	input, _, _ = strings.Cut(text, told)
	folder = fstest.MapFS{}
	name, body := "", ""
	keep := func() {
		if name != "" {
			folder[name] = &fstest.MapFile{Data: []byte(body)}
		}
	}
	for l := range strings.Lines(input) {
		if rest, ok := strings.CutPrefix(l, "-- "); ok {
			keep()
			name, body = strings.TrimSuffix(strings.TrimSpace(rest), " --"), ""
			continue
		}
		body += l
	}
	keep()
	return folder, input + told
}

func TestProblemsBeyondTheBoundAreCounted(t *testing.T) {
	flows := "100\n" + strings.Repeat("0 0 3 100 1 2\n", 100)
	_, err := Read(smallFolder(flows))
	if err == nil {
		t.Fatal("no problems")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxProblems+1 || lines[maxProblems] != "and 50 more" {
		t.Errorf("%d lines, the last %q; want %d and `and 50 more`", len(lines), lines[len(lines)-1], maxProblems+1)
	}
}
