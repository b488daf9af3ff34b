package hpccrun

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/formats/hpcc"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/units"
)

// Result is the result of a case of HPCC's simulator.
type Result struct {
	// FCT is the completed flows in the order of completion, and PFC the
	// frames in the order of reception.
	FCT []hpcc.FCT
	PFC []hpcc.PFC
	// Unfinished is the number of flows that had not completed at the end of the run.
	Unfinished int
	// Stats are the counters of the run.
	Stats counts.Stats
	// Partial says that the run was stopped before its end.
	Partial bool
}

// Run runs a case of the simulator published with HPCC on weft's own models. The simulator's
// peculiarities are parameters: models.go has them all. Four differences remain:
//
//   - weft's times are exact; that simulator rounds each serialisation to a
//     nanosecond: 1.4 % of a packet of 1036 bytes at 400 Gb/s;
//   - weft orders the events of one instant by link, that simulator by the time
//     of scheduling: in a symmetric incast the order decides which port is
//     paused first;
//   - random numbers come from weft's seed: a case with marks is another sample
//     in each simulator;
//   - a pause holds a host's data and acknowledgements; there, ACK_HIGH_PRIO 1
//     lets acknowledgements pass. No known reference pauses a host that has
//     both.
//
// cores is the number of cores to use; it does not change the result.
func Run(ctx context.Context, c *hpcc.Case, seed uint64, cores int) (*Result, error) {
	workers := min(fabric.MaxPartitions, max(1, cores))
	r, err := newHPCCRun(c, seed, workers)
	if err != nil {
		return nil, err
	}
	stop, release := engine.NewStop(ctx)
	defer release()
	for i := range c.Flows {
		f := &c.Flows[i]
		r.net.Partition(r.node[f.Src]).At(f.Start, uint32(i))
	}
	err = r.net.Run(c.Config.Stop, workers, stop)
	return r.result(ctx.Err() != nil), err
}

// hpccRun is the application of a run: it starts flows at their times and notes when they end.
type hpccRun struct {
	c    *hpcc.Case
	net  *network.Network
	node []int32      // network node of each of the case's nodes
	end  []units.QPN  // by flow: its queue pair at the source
	left []int32      // by flow: unfinished work requests
	done []units.Time // by flow

	links  []hpccLink
	frames [][]hpcc.PFC // by link, each of which one partition pauses
}

// hpccLink is the sender on a link: a node of the case and its interface.
type hpccLink struct{ node, port int32 }

// longestRequest is the maximum size of a work request: less than transport.MaxMessageBytes, and a
// few of them cover the largest flow.
const longestRequest = 1 << 30

// Timer starts the flow with the source's number.
func (r *hpccRun) Timer(p *fabric.Partition, source uint32) {
	f := &r.c.Flows[source]
	mtu := int64(r.c.Config.Payload)
	most := min(longestRequest, mtu*(transport.MaxOutstandingPSNs/2)) / mtu * mtu
	for left := int64(f.Bytes); left > 0; left -= most {
		r.left[source]++
		wr := transport.WorkRequest{ID: uint64(source), Op: transport.OpWrite, Length: uint32(min(left, most))}
		if err := p.Post(r.node[f.Src], r.end[source], wr); err != nil {
			panic(fmt.Sprintf("sim: flow %d cannot be posted: %v", source, err)) // 2^15 requests are 32 TiB
		}
	}
}

// Complete notes the last acknowledgement of a flow.
func (r *hpccRun) Complete(p *fabric.Partition, _ int32, c *transport.Completion) {
	if c.Recv || c.Status != transport.Success {
		return
	}
	r.left[c.ID]--
	if r.left[c.ID] == 0 {
		r.done[c.ID] = p.Now()
	}
}

// Pause notes a PFC frame for the sender on a link.
func (r *hpccRun) Pause(_, effect units.Time, link int32, _ uint8, on bool) {
	l := &r.links[link]
	r.frames[link] = append(r.frames[link], hpcc.PFC{
		Time: effect, Node: int(l.node), Switch: r.c.Topology.IsSwitch(int(l.node)), Port: int(l.port), Pause: on,
	})
}

// result merges the notes of all partitions in order.
func (r *hpccRun) result(partial bool) *Result {
	out := &Result{Stats: r.net.Stats(), Partial: partial}
	baselines := r.c.Baselines()
	var finished []int
	for i, t := range r.done {
		if t == units.Forever {
			out.Unfinished++
			continue
		}
		finished = append(finished, i)
	}
	sorting.StableFunc(finished, func(a, b int) int { return cmp.Compare(r.done[a], r.done[b]) })
	for _, i := range finished {
		f := &r.c.Flows[i]
		out.FCT = append(out.FCT, f.FCT(r.done[i]-f.Start, baselines[i]))
	}
	out.PFC = slices.Concat(r.frames...)
	sorting.StableFunc(out.PFC, func(a, b hpcc.PFC) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Port, b.Port))
	})
	return out
}
