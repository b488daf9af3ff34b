package workload

import (
	"testing"

	"weft/internal/sim/collective"
	"weft/units"
)

// beside is a rank that computes for 10 ms beside a collective of 16 thread blocks, which another
// rank enters late.
func beside(multiprocessors int, late units.Time) *Graph {
	return &Graph{
		Multiprocessors: multiprocessors,
		Groups:          []Group{{Ranks: []int32{0, 1}}},
		Ranks: [][]Op{
			{
				{Name: "compute", Kind: Compute, Stream: 0, Time: 10 * units.Millisecond},
				{Name: "gather", Kind: Collective, Do: collective.AllGather, Stream: 1, Blocks: 16, Bytes: 1},
			},
			{
				{Name: "other work", Kind: Compute, Stream: 1, Time: late},
				{Name: "gather", Kind: Collective, Do: collective.AllGather, Stream: 1, Blocks: 16, Bytes: 1},
			},
		},
	}
}

// A computation has what is left of the multiprocessors while a kernel of communication has some,
// also while the kernel waits for another rank; after it all of them.
func TestCommunicationTakesMultiprocessors(t *testing.T) {
	const move = 3 * units.Millisecond
	for _, c := range []struct {
		multiprocessors int
		late, want      units.Time
	}{
		{0, 0, 10 * units.Millisecond},
		{132, 0, 10*units.Millisecond + move*16/132},
		{132, 2 * units.Millisecond, 10*units.Millisecond + (2*units.Millisecond+move)*16/132},
		{132, units.Second, 10 * units.Millisecond * 132 / 116}, // it waits all the time
		{108, 0, 10*units.Millisecond + move*16/108},
		{20, 0, 10*units.Millisecond + move/2}, // half remains at least
	} {
		line, err := Replay(beside(c.multiprocessors, c.late), func(int32, int) units.Time { return move })
		if err != nil {
			t.Fatal(err)
		}
		if got := line.Spans[0][0].End; got < c.want-units.Nanosecond || got > c.want+units.Nanosecond {
			t.Errorf("%d multiprocessors, the other rank %v late: the computation ends at %v, want %v", c.multiprocessors, c.late, got, c.want)
		}
	}
}
