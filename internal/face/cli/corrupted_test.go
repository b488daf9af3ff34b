package cli

import (
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
	"weft/internal/sim"
)

// A log with wrong elements is no healthy cluster's, whatever its speed.
func TestCorruptedDataIsNotHealthy(t *testing.T) {
	for wrong, want := range map[string]exit.Code{"0": exit.OK, "17": exit.Refuted, "N/A": exit.OK} {
		e := environmentOf([]string{"diagnose", "-", "--cluster", "dgx-h100", "--nodes", "1"}, sim.Run)
		e.Stdin = strings.NewReader("# Collective test starting: all_reduce_perf\n1048576 262144 float sum -1 28.60 36.66 64.16 0 28.60 36.66 64.16 " + wrong + "\n" +
			"16777216 4194304 float sum -1 125.9 133.26 233.20 " + wrong + " 125.9 133.26 233.20 0\n# Avg bus bandwidth    : 100\n")
		code, out, errs := invoke(e)
		if code != want || strings.Contains(out, "corrupted data") != (wrong == "17") {
			t.Errorf("#wrong %s: code %d, want %d\n%.400s\n%s", wrong, code, want, out, errs)
		}
	}
}
