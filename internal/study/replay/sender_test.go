package replay

import (
	"testing"

	"weft/internal/formats/source"
	"weft/internal/sim/workload"
	"weft/units"
)

// A WRITE of 1 MiB between two nodes takes the time of its bytes on a 400 Gb/s link and 1 to 10 us
// more. An MPI library adds half a microsecond; NCCL's launch and software add more.
func TestWhoSendsAMessageDecidesWhatItCosts(t *testing.T) {
	took := make(map[workload.Sender]units.Time)
	for _, sender := range []workload.Sender{workload.NCCL, workload.Verbs, workload.MPI} {
		g := &workload.Graph{Ranks: make([][]workload.Op, 32), Sender: sender}
		g.Ranks[0] = []workload.Op{{Kind: workload.Send, Peer: 8, Bytes: units.MiB, Stream: workload.Unordered}}
		g.Ranks[8] = []workload.Op{{Kind: workload.Recv, Peer: 0, Bytes: units.MiB, Stream: workload.Unordered}}
		f := replay(t, &source.Workload{Format: "made up", Files: []string{"message"}, Ranks: 32, Graph: g}, false)
		took[sender] = units.Time(f.TimePs)
	}
	wire := units.Time(units.MiB) * 20 // ps a byte at 400 Gb/s
	if verbs := took[workload.Verbs]; verbs < wire+units.Microsecond || verbs > wire*102/100+10*units.Microsecond {
		t.Errorf("a WRITE of 1 MiB takes %v, its bytes alone %v", verbs, wire)
	}
	if more := took[workload.MPI] - took[workload.Verbs]; more != 500*units.Nanosecond {
		t.Errorf("MPI takes %v more than a WRITE, want 500 ns", more)
	}
	if took[workload.NCCL] < took[workload.MPI]+5*units.Microsecond {
		t.Errorf("NCCL takes %v, MPI %v", took[workload.NCCL], took[workload.MPI])
	}
}
