package phases

import (
	"testing"

	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/units"
)

// The work of a phase is counted while it runs, in parts of messages or lanes of collectives, and all of it is done at the end.
func TestTheWorkOfAPhaseIsCounted(t *testing.T) {
	r, p := underLeaves(t, "8", "")
	for name, phase := range map[string]workload.Phase{"messages": passes(8, 4), "collectives": rails(8, 4, units.MiB)} {
		var work, nearly network.Work
		nearly.Expect(1) // which nobody does
		if _, err := RunIsland(t.Context(), p, r, &phase, false, &work); err != nil {
			t.Fatal(err)
		}
		if _, err := RunIsland(t.Context(), p, r, &phase, false, &nearly); err != nil {
			t.Fatal(err)
		}
		if s := nearly.Share(); work.Share() != 1 || s <= 0.9 || s >= 1 {
			t.Errorf("%s: shares of %v, and with one piece more of %v, are done at the end: want 1, and nearly 1", name, work.Share(), s)
		}
	}
}

// The phases that may be simulated whole because of an island are those that are, if it is troubled.
func TestDoubtsOfAnIslandAreThePhasesThatItTroubles(t *testing.T) {
	r, p := underLeaves(t, "8", "")
	list := []workload.Phase{passes(8, 4), rails(8, 4, units.MiB), rails(8, 4, 2*units.MiB), rails(8, 8, units.MiB)}
	f := Fold(p, r, list)
	runs, some := make([]*IslandRun, len(f.Islands)), 0
	for i, own := range f.Islands {
		run := carried(t, p, r, &own.Phase)
		run.Counts.Marks, run.Counts.Pauses = 1, 1
		runs[i] = run
		got, want := f.Troubled(runs), f.Doubtful()[i]
		if len(got) != len(want) {
			t.Errorf("island %d, %d groups: phases %v are troubled, want %v", i, len(own.Phase.Groups), got, want)
		}
		some += len(want)
		runs[i] = nil
	}
	if some == 0 {
		t.Error("no island is in doubt")
	}
}
