package simtest

import (
	"testing"

	"weft/scenario"
)

// Resolve is a scenario in YAML with every number present. If it is refused, the test fails.
func Resolve(t testing.TB, text string) *scenario.Resolved {
	t.Helper()
	f, err := scenario.Decode("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
