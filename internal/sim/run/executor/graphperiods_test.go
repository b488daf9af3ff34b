package executor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/control"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// bothWays runs a workload on a scenario's first fabric with and without skipping, compares the series, and returns
// both results and the number of skipped periods.
func bothWays(t *testing.T, text string, g *workload.Graph) (skipping, whole *Execution, periods int64) {
	t.Helper()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	r := simtest.Resolve(t, text)
	var out [2]*Execution
	var series [2]*results.Series
	for i, skip := range []bool{true, false} {
		p, err := control.NewPlan(r, &r.Fabrics[0])
		if err != nil {
			t.Fatal(err)
		}
		p.Series = func(s *results.Series) { series[i] = s }
		x, err := Execute(context.Background(), p, r, g, skip, nil)
		if err != nil {
			t.Fatal(err)
		}
		if skip {
			periods = x.Counts.Skipped.Periods
		}
		x.Counts.Events, x.Counts.Skipped = 0, results.Skipped{} // they are no results
		out[i] = x
	}
	if table := series[0].Difference(series[1]); table != "" {
		t.Errorf("the rows of %s in the series are others if %d periods are skipped", table, periods)
	}
	return out[0], out[1], periods
}

// drawn is a workload of 16 ranks in two nodes: a random piece of work again and again, between a random
// beginning and a random end, with other times of computing at other ranks.
type drawn struct {
	*rand.Rand
	g    *workload.Graph
	tags int32
}

func draw(seed uint64) *workload.Graph {
	d := &drawn{rand.New(rand.NewPCG(seed, 19)), &workload.Graph{Ranks: make([][]workload.Op, 16)}, 0}
	if d.IntN(2) == 0 {
		d.g.Multiprocessors = 132
	}
	var families [][]workload.Group
	for _, f := range [][2]int{{8, 1}, {4, 1}, {2, 8}, {16, 1}} {
		families = append(families, strided(16, f[0], f[1]))
	}
	families = append(families, []workload.Group{ // their ranks are not evenly spaced
		{Ranks: []int32{0, 1, 3, 2}}, {Ranks: []int32{4, 12, 13, 5, 8}}, {Ranks: []int32{15, 14, 6}}, {Ranks: []int32{7, 9, 11, 10}},
	})
	d.g.Sender = []workload.Sender{workload.NCCL, workload.NCCL, workload.Verbs, workload.MPI}[d.IntN(4)]
	for range d.IntN(3) {
		d.piece(d.IntN(1000), families)
	}
	for piece, times := d.IntN(1000), 40+d.IntN(100); times > 0; times-- {
		d.piece(piece, families)
	}
	if d.IntN(2) == 0 {
		d.piece(d.IntN(1000), families)
	}
	return d.g
}

// piece adds the piece of work of a number to all ranks.
func (d *drawn) piece(number int, families [][]workload.Group) {
	r := rand.New(rand.NewPCG(uint64(number), 5))
	for range 1 + r.IntN(4) {
		switch r.IntN(4) {
		case 0, 1:
			family := r.IntN(len(families))
			f := families[family]
			do := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.Reduce, collective.AllToAll}[r.IntN(6)]
			bytes := units.Bytes(1) << (10 + r.IntN(14))
			after := r.IntN(8) > 0
			for i := range f {
				group := d.group(&f[i])
				for _, rank := range f[i].Ranks {
					d.add(rank, workload.Op{Kind: workload.Collective, Do: do, Bytes: bytes, Group: group, Root: int32(number % 2), Stream: uint8(10 + family), Blocks: 8}, after)
				}
			}
		case 2:
			time, uneven := units.Time(1+r.IntN(200))*units.Microsecond, r.IntN(3) == 0
			after := r.IntN(8) > 0
			for rank := range int32(16) {
				o := workload.Op{Kind: workload.Compute, Time: time, Stream: 2}
				if uneven {
					o.Time += units.Time(rank%4) * units.Microsecond
				}
				d.add(rank, o, after)
			}
		case 3:
			bytes, apart := units.Bytes(1)<<(8+r.IntN(12)), int32(1+r.IntN(8))
			for rank := range int32(16) {
				d.add(rank, workload.Op{Kind: workload.Send, Peer: (rank + apart) % 16, Tag: d.tags, Bytes: bytes, Stream: 3, Blocks: 2}, true)
				d.add(rank, workload.Op{Kind: workload.Recv, Peer: (rank + 16 - apart) % 16, Tag: d.tags, Bytes: bytes, Stream: 4}, false)
			}
			d.tags++
		}
	}
}

// group is the number of a group, which is added at its first use.
func (d *drawn) group(g *workload.Group) int32 {
	for i := range d.g.Groups {
		if fmt.Sprint(d.g.Groups[i].Ranks) == fmt.Sprint(g.Ranks) {
			return int32(i)
		}
	}
	d.g.Groups = append(d.g.Groups, *g)
	return int32(len(d.g.Groups) - 1)
}

// add adds an operation to a rank's list.
func (d *drawn) add(rank int32, o workload.Op, after bool) {
	ops := &d.g.Ranks[rank]
	if n := int32(len(*ops)); after && n > 0 {
		o.After = []int32{n - 1}
	}
	*ops = append(*ops, o)
}

// What a workload repeats need not be simulated again: every result is the same.
func TestAWorkloadThatSkipsWhatItRepeatsHasTheSameResults(t *testing.T) {
	skipped, first, last := 0, uint64(1000), uint64(1012)
	if text := os.Getenv("WEFT_WORKLOADS"); text != "" {
		if _, err := fmt.Sscanf(text, "%d-%d", &first, &last); err != nil {
			t.Fatal(err)
		}
	}
	for seed := first; seed < last; seed++ {
		fabric := []string{
			"infiniband-ndr", "roce-v2-400g", "{preset: infiniband-hdr, routing: {mode: adaptive}}", "{preset: roce-v2-400g, cc: timely}",
			"{preset: infiniband-ndr, ib: {vls: 4, sl: 1, ack-sl: 2}}", "{preset: roce-v2-100g, transport: {recovery: selective-repeat, qps-per-connection: 2}}",
		}[seed%6]
		a, b, periods := bothWays(t, "cluster: {nodes: 2, node: dgx-h100}\nfabrics: ["+fabric+"]\nworkload: {collective: all-reduce}", draw(seed))
		if !reflect.DeepEqual(a, b) {
			t.Errorf("workload %d on %s: the results differ after %d skipped periods", seed, fabric, periods)
		}
		if periods > 0 {
			t.Logf("workload %d on %s: %d periods skipped", seed, fabric, periods)
			skipped++
		}
	}
	t.Logf("%d of %d workloads skipped periods", skipped, last-first)
	if skipped < int(last-first)/6 {
		t.Errorf("%d of %d workloads skipped periods: too few to show anything", skipped, last-first)
	}
}

// A ring repeats its steps while its ranks compute, until a computation ends: then another collective begins
// beside it.
func TestALongCollectiveSkipsItsStepsBesideComputing(t *testing.T) {
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		rails := on(128, strided(128, 16, 8)[:1], workload.Op{Kind: workload.Collective, Do: collective.AllReduce, Bytes: 512 * units.MiB, Stream: 1, Blocks: 16})
		beside := len(rails.Groups)
		rails.Groups = append(rails.Groups, strided(128, 8, 1)...)
		for rank := range rails.Ranks {
			rails.Ranks[rank] = append(rails.Ranks[rank],
				workload.Op{Kind: workload.Compute, Time: 2*units.Millisecond + units.Time(rank/8)*units.Microsecond},
				workload.Op{Kind: workload.Collective, Do: collective.AllGather, Bytes: 16 * units.MiB, Group: int32(beside + rank/8)},
				workload.Op{Kind: workload.Compute, Time: 20 * units.Millisecond})
		}
		a, b, periods := bothWays(t, "cluster: {nodes: 16, node: dgx-h100}\nfabrics: ["+fabric+"]\nworkload: {collective: all-reduce}", rails)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the results differ after %d skipped periods", fabric, periods)
		}
		if periods == 0 {
			t.Errorf("%s: no period was skipped", fabric)
		}
	}
}

// Layers that repeat themselves are skipped up to the first operation that is not like those before it.
func TestSkippingEndsBeforeAnOperationThatIsNotLikeThoseBefore(t *testing.T) {
	for name, change := range map[string]func(o *workload.Op, rank int){
		"longer computation": func(o *workload.Op, rank int) {
			if o.Kind == workload.Compute && rank == 3 {
				o.Time += units.Microsecond
			}
		},
		"more bytes": func(o *workload.Op, _ int) {
			if o.Kind == workload.Collective {
				o.Bytes *= 2
			}
		},
	} {
		op := workload.Op{Kind: workload.Collective, Do: collective.AllReduce, Bytes: units.MiB}
		g := on(16, strided(16, 8, 1), op)
		for rank := range g.Ranks {
			layer := []workload.Op{g.Ranks[rank][0], {Kind: workload.Compute, Time: 50 * units.Microsecond}}
			for range 300 {
				g.Ranks[rank] = append(g.Ranks[rank], layer...)
			}
			for i := 400; i < 402; i++ {
				change(&g.Ranks[rank][i], rank)
			}
		}
		a, b, periods := bothWays(t, "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\nworkload: {collective: all-reduce}", g)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the results differ after %d skipped periods", name, periods)
		}
		if periods < 100 {
			t.Errorf("%s: %d periods were skipped of 300 layers", name, periods)
		}
	}
}
