package flags

import (
	"strings"
	"testing"
)

// TestAParagraphWithALongLineIsFilledAnew: no line of it is left short in its middle; a list keeps its lines.
func TestAParagraphWithALongLineIsFilledAnew(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 20)) // 99 columns
	got := wrapped("short\nlines\n\n"+long+"\nshort\nend\n\n  a list\n"+long, widest)
	if want := "short\nlines\n\n" + long + "\nshort end\n\n  a list\n" + long; got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	for line := range strings.Lines(wrapped(long, 40)) {
		if len(strings.TrimSpace(line)) > 40 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
}
