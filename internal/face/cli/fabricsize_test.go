package cli

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

// TestAShortFileOfAFabricCostsLittle: a short line can declare a switch of 254 ports
// without a cable. A verb allocates for half a megabyte of such lines at most 32 bytes for a
// port, and little for the rest.
func TestAShortFileOfAFabricCostsLittle(t *testing.T) {
	var file strings.Builder
	for i := range 16_000 {
		fmt.Fprintf(&file, "Switch\t254 \"S-%016x\"\n", i+1)
	}
	for _, args := range [][]string{{"fabric", "inspect", "-"}, {"fabric", "health", "-"}, {"sm", "route", "-"}} {
		e := environment(args)
		e.Stdin = strings.NewReader(file.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code, _, errs := invoke(e)
		runtime.ReadMemStats(&after)
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 400<<20 {
			t.Errorf("%v: %d MiB allocated for a file of %d KiB, want at most 400", args, cost>>20, file.Len()>>10)
		}
		if args[0] == "sm" && (code != exit.BadInput || !strings.Contains(errs, "are too many for one subnet")) {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
}
