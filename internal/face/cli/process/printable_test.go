package process

import (
	"bytes"
	"testing"
)

// TestTextIsTheSameHoweverItIsCutIntoWrites: a write may end inside a character or an escape
// sequence.
func TestTextIsTheSameHoweverItIsCutIntoWrites(t *testing.T) {
	const text = "a\x1b[1mbold\x1b[0m é — \u202e \u009b \x1b[5m \x1b"
	const want = "a\x1b[1mbold\x1b[0m é — \\u202e \\u009b \\u001b[5m \\u001b"
	for size := 1; size < len(text); size++ {
		var out bytes.Buffer
		p := &printable{w: &out, colours: true, fail: func(err error) error { return err }}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if wrote, err := p.Write(rest[:n]); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if err := p.flush(); err != nil || out.String() != want {
			t.Errorf("in writes of %d: %q (%v), want %q", size, out.String(), err, want)
		}
	}
}
