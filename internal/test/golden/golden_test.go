package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDifferenceShowsTheFirstLineThatDiffers(t *testing.T) {
	for _, c := range []struct{ want, got, shown string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nb\nc\n", "a\nx\ny\n", "line 2\n got \"x\"\nwant \"b\""},
		{"a\n", "a", "line 2\n got (the text ends here)\nwant \"\""},
		{"", strings.Repeat("x", 500), "line 1\n got \"" + strings.Repeat("x", longestLine) + "\" …\nwant \"\""},
	} {
		if shown := Difference(c.want, c.got); shown != c.shown {
			t.Errorf("Difference(%q, %q) = %q, want %q", c.want, c.got, shown, c.shown)
		}
	}
}

// failed is a test that takes note of failures instead of failing.
type failed struct {
	testing.TB
	times int
}

func (f *failed) Helper()               {}
func (f *failed) Errorf(string, ...any) { f.times++ }
func (f *failed) Fatal(...any)          { f.times++ }

func TestFileFailsUnlessTheFileHoldsTheText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "text")
	before := *update
	defer func() { *update = before }()
	check := func(updating bool, got string, failures int) {
		t.Helper()
		*update = updating
		f := &failed{TB: t}
		File(f, path, got)
		if f.times != failures {
			t.Errorf("-update=%v, %q: %d failures, want %d", updating, got, f.times, failures)
		}
	}
	check(true, "one\n", 0)
	check(false, "one\n", 0)
	check(false, "two\n", 1)
	check(true, "two\n", 0)
	if text, err := os.ReadFile(path); err != nil || string(text) != "two\n" {
		t.Errorf("the file holds %q (%v), want the text that -update wrote", text, err)
	}
}
