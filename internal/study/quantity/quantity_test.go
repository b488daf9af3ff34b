package quantity

import (
	"slices"
	"strings"
	"testing"
)

func TestANameEndsWithItsUnit(t *testing.T) {
	for _, m := range slices.Concat(Points.Measures(), Serving.Measures()) {
		if unit := m.Unit.InName(); unit != "" && !strings.HasSuffix(string(m.Name), "_"+unit) {
			t.Errorf("%s is in %s", m.Name, unit)
		}
		if m.Heading == "" || m.Meaning == "" || strings.HasSuffix(m.Heading, "_"+string(m.Unit)) {
			t.Errorf("%s has the heading %q and the meaning %q", m.Name, m.Heading, m.Meaning)
		}
	}
}

func TestAQuantityHasOneNameAndOneHeading(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range slices.Concat(Points.Measures(), Serving.Measures()) {
		for _, text := range []string{string(m.Name), m.Heading} {
			if seen[text] && text != string(m.Name) {
				t.Errorf("%q stands for two quantities", text)
			}
			seen[text] = true
		}
	}
}
