package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Player carries out the commands of a transcript.
type Player interface {
	// Command carries out a line, which is given in words.
	Command(words []string) error
	// Trace is what the commands since the last Trace have left: lines that are not
	// empty.
	Trace() string
}

// Transcripts plays the files that a pattern names, relative to the test's package,
// each in a test of its own with a new player, and holds them against what is played.
func Transcripts(t *testing.T, pattern string, player func(t *testing.T) Player) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts are named %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			File(t, file, Play(t, string(text), player(t)))
		})
	}
}

// Play plays a transcript, and returns it with the traces that it has now. A transcript
// is a list of steps: commands, one in a line, a line ----, the trace that they leave, an
// empty line. Lines that begin with # are comments.
func Play(t testing.TB, text string, p Player) string {
	t.Helper()
	var played strings.Builder
	inTrace, open := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case inTrace && line != "":
			continue
		case inTrace:
			inTrace = false
		case line == "----":
			inTrace, open = true, false
			if trace := strings.TrimSuffix(p.Trace(), "\n"); trace != "" {
				line += "\n" + trace
			}
		case line != "" && !strings.HasPrefix(line, "#"):
			open = true
			if err := p.Command(strings.Fields(line)); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		played.WriteString(line + "\n")
	}
	if open {
		t.Fatal("the last step has no line ----")
	}
	return played.String()
}
