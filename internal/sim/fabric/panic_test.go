package fabric_test

import (
	"testing"

	"weft/internal/base/cores"
	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// defective is an application that panics at its first completion.
type defective struct{ flows }

func (*defective) Complete(*fabric.Partition, int32, *transport.Completion) { panic("a defect") }

// TestAPanicOnAnyCoreReachesTheCaller: the caller of Run tells a defect from bad
// input; a panic that stays on a goroutine of Run would end the process.
func TestAPanicOnAnyCoreReachesTheCaller(t *testing.T) {
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []struct{ parts, workers int }{{1, 1}, {3, 1}, {3, 3}} {
		app := &defective{}
		n, err := build(g, "roce", topology.Partition(g, cut.parts), app)
		if err != nil {
			t.Fatal(err)
		}
		if err := permutation(16, 4096)(&app.flows, n); err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if p, is := recover().(*cores.Panic); !is || p.Value != "a defect" {
					t.Errorf("%d partitions on %d cores: the caller got %v, want the application's panic", cut.parts, cut.workers, p)
				}
			}()
			t.Errorf("%d partitions on %d cores: Run returned %v, want a panic", cut.parts, cut.workers, n.Run(units.Second, cut.workers, nil))
		}()
	}
}
