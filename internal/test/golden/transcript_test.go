package golden

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// counter counts its commands, and refuses "bad".
type counter struct{ n int }

func (c *counter) Command(words []string) error {
	if words[0] == "bad" {
		return errors.New("unknown")
	}
	c.n += len(words)
	return nil
}

func (c *counter) Trace() string {
	var trace strings.Builder
	for i := range c.n {
		fmt.Fprintln(&trace, i+1)
	}
	return trace.String()
}

func TestATranscriptIsPlayedStepByStep(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a trace that was wrong", "# two\na b\n----\n7\n8\n\nc\n----\n", "# two\na b\n----\n1\n2\n\nc\n----\n1\n2\n3\n"},
		{"empty lines between commands", "a\n\nb\n----\n", "a\n\nb\n----\n1\n2\n"},
		{"no command", "# nothing\n----\n7\n", "# nothing\n----\n"},
	} {
		if got := Play(t, c.text, &counter{}); got != c.want {
			t.Errorf("%s: played\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestATranscriptThatCannotBePlayedFails(t *testing.T) {
	for _, text := range []string{"bad\n----\n", "a\n"} {
		f := &fatal{TB: t}
		Play(f, text, &counter{})
		if f.times != 1 {
			t.Errorf("%q: %d failures, want 1", text, f.times)
		}
	}
}

// fatal is a test that takes note of fatal failures and goes on.
type fatal struct {
	testing.TB
	times int
}

func (f *fatal) Helper()               {}
func (f *fatal) Fatal(...any)          { f.times++ }
func (f *fatal) Fatalf(string, ...any) { f.times++ }
