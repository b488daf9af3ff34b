package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Player executes the commands of a transcript.
type Player interface {
	// Command executes a line, split into words.
	Command(words []string) error
	// Trace is the output of the commands since the last Trace: lines that are not empty.
	Trace() string
}

// Transcripts plays the files that match a pattern, relative to the test's package, each in a
// subtest with a new player, and compares them with the played transcript.
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

// Play plays a transcript, and returns it with the current traces. A transcript is a list of steps.
// A step is commands, one in a line, a line ----, the trace of the commands, and an empty line.
// Lines that begin with # are comments.
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
