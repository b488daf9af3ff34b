package simulator

import (
	"strings"
	"testing"

	"weft/internal/face/cli/process"
)

// What the report has no room for is said with --json, too.
func TestJSONSaysWhatTheReportLeavesOut(t *testing.T) {
	for asJSON, want := range map[bool]string{true: "left\n", false: "wrote run: a, series/\nleft\n"} {
		var errs strings.Builder
		e := New(&process.Env{Stderr: &errs}, nil)
		if e.Wrote("run", asJSON, &SeriesOf{left: "left\n"}, "a"); errs.String() != want {
			t.Errorf("--json %t: %q, want %q", asJSON, errs.String(), want)
		}
	}
}
