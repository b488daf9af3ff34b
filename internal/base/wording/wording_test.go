package wording

import "testing"

func TestATextIsCutBetweenCharacters(t *testing.T) {
	for s, want := range map[string]string{"": "", "µs": "µs", "µµµ": "µµµ", "µµµµ": "µµµ…"} {
		if got := Abridged(s, 3); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestANumberHasItsNoun(t *testing.T) {
	for n, want := range map[int]string{0: "0 switches", 1: "1 switch", 1234: "1234 switches"} {
		if got := Counted(n, "switch", "switches"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
