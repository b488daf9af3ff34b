package source

import (
	"strings"
	"testing"
)

// Lines are numbered, whatever ends them; so is a last line without an end.
func TestLinesHaveTheirNumbers(t *testing.T) {
	l := NewLines("f", strings.NewReader("a\r\n\nlast"))
	for n, want := range []string{"a", "", "last"} {
		ok, p := l.Next()
		if !ok || p != nil || l.Text != want || l.Number != n+1 {
			t.Fatalf("%v, %v: line %d is %q, want line %d to be %q", ok, p, l.Number, l.Text, n+1, want)
		}
	}
	if ok, p := l.Next(); ok || p != nil || l.Number != 3 {
		t.Errorf("after the end: %v, %v, line %d", ok, p, l.Number)
	}
}

// A file without line ends is refused at its place, and costs no memory.
func TestALineWithoutAnEndIsRefused(t *testing.T) {
	l := NewLines("f", strings.NewReader("x\n"+strings.Repeat("y", 2*MaxLine)))
	if ok, p := l.Next(); !ok || p != nil {
		t.Fatal(p)
	}
	_, p := l.Next()
	if p == nil || p.Place() != "f:2" || !strings.Contains(p.Error(), "a line of at most 1048576 bytes") {
		t.Error(p)
	}
}
