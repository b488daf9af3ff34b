package goal

import (
	"weft/internal/sim/workload"
	"weft/units"
)

// wildcard is a receive from any source or of any tag.
type wildcard struct {
	rank, op    int32
	source, tag bool
}

// at is an operation.
type at struct{ rank, op int32 }

// wanted identifies the sends that a receive takes: -1 takes any.
type wanted struct {
	to, from, tag int32
	bytes         units.Bytes
}

// wildcards assigns sends that no other receive takes to receives from anywhere: the first fitting
// one by rank and place. A receive without a fitting send keeps a peer that no rank has; the check
// of the graph reports it.
func (r *schedule) wildcards() {
	if len(r.any) == 0 {
		return
	}
	free := r.unclaimed()
	queues := make(map[wanted][]at)
	for _, s := range free {
		o := &r.ops[s.rank][s.op]
		for _, w := range []wanted{{o.Peer, -1, -1, o.Bytes}, {o.Peer, -1, o.Tag, o.Bytes}, {o.Peer, s.rank, -1, o.Bytes}} {
			queues[w] = append(queues[w], s)
		}
	}
	taken := make(map[at]bool)
	for _, loose := range r.any {
		o := &r.ops[loose.rank][loose.op]
		w := wanted{loose.rank, o.Peer, o.Tag, o.Bytes}
		if loose.tag {
			w.tag = -1
		}
		for len(queues[w]) > 0 {
			s := queues[w][0]
			queues[w] = queues[w][1:]
			if !taken[s] {
				taken[s] = true
				o.Peer, o.Tag = s.rank, r.ops[s.rank][s.op].Tag
				break
			}
		}
	}
}

// unclaimed are the sends that no receive names.
func (r *schedule) unclaimed() (free []at) {
	type channel struct{ from, to, tag int32 }
	named := make(map[channel]int) // receives that name their sends
	loose := make(map[at]bool)
	for _, w := range r.any {
		loose[at{w.rank, w.op}] = true
	}
	for rank, ops := range r.ops {
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Recv && !loose[at{int32(rank), int32(i)}] {
				named[channel{o.Peer, int32(rank), o.Tag}]++
			}
		}
	}
	for rank, ops := range r.ops {
		for i := range ops {
			o := &ops[i]
			if o.Kind != workload.Send {
				continue
			}
			if c := (channel{int32(rank), o.Peer, o.Tag}); named[c] > 0 {
				named[c]--
				continue
			}
			free = append(free, at{int32(rank), int32(i)})
		}
	}
	return free
}
