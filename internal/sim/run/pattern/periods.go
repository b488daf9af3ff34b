package pattern

import (
	"cmp"
	"math"
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/state"
	"weft/scenario"
)

// leastPackets is the length of a message whose packets are beats, at least. Shorter ones end before they repeat
// themselves.
const leastPackets = 64

// skipPeriods makes the network look for periods if the run may have some, and if its state has all on which it depends.
// A period is a part of long messages. Of a READ the requester knows only the end, and messages that begin at random
// times are short.
func (r *patternRun) skipPeriods(pattern scenario.Pattern) {
	longest := slices.MaxFunc(r.flows, func(a, b patternFlow) int { return cmp.Compare(a.bytes, b.bytes) }).bytes
	packets := int64(longest / r.net.Plan.Fabric.MTU)
	if r.jitter != nil || r.path.Inlines() || pattern == scenario.Uniform || r.verbs.Reads() || packets < leastPackets {
		return
	}
	r.net.SkipPeriods(r, packets)
	r.appoint()
}

// appoint lists the messages whose packets are beats: those of one partition, the longest first.
func (r *patternRun) appoint() {
	order := make([]int32, 0, len(r.flows))
	for i := range r.flows {
		if !r.isBarred(int32(i)) {
			order = append(order, int32(i))
		}
	}
	if len(order) == 0 {
		return
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(r.flows[b].bytes, r.flows[a].bytes) })
	p := r.net.Partition(r.flows[order[0]].to)
	r.parts[p.ID()].leaders = slices.DeleteFunc(order, func(i int32) bool { return r.net.Partition(r.flows[i].to) != p })
	r.lead(p)
}

// lead makes the packets of the first message beats that has not arrived, when they come to its receiver.
func (r *patternRun) lead(p *fabric.Partition) {
	part := &r.parts[p.ID()]
	for len(part.leaders) > 0 && r.left[part.leaders[0]] == 0 {
		part.leaders = part.leaders[1:]
	}
	if len(part.leaders) > 0 {
		f := &r.flows[part.leaders[0]]
		p.BeatAt(f.to, f.ends[0].peer)
	}
}

// FurtherPeriods has no bound of its own: no message begins or arrives in a period, and the network knows where the messages in
// progress end.
func (r *patternRun) FurtherPeriods(*state.Walk) uint64 { return math.MaxUint64 }

// WalkTag is not called: no message is on the scale-up network.
func (r *patternRun) WalkTag(w *state.Walk, _ *fabric.Partition, _ *uint64) {
	w.Refuse("message on the scale-up network")
}

// WalkState visits the state of the run: how many pieces have arrived, how many messages have begun at each host, and
// what is on its way through a host. Both numbers only grow, so in equal states the same pieces have arrived.
func (r *patternRun) WalkState(w *state.Walk) {
	w.Part("messages")
	for i := range r.parts {
		p := &r.parts[i]
		w.Word(uint64(p.pieces))
		if p.failure != nil || len(p.broken) > 0 {
			w.Refuse("failure")
		}
	}
	w.Part("hosts")
	for nic := range r.hosts {
		if w.Differs() {
			return
		}
		h := &r.hosts[nic]
		w.Word(uint64(h.next))
		w.Until(&h.sending)
		w.Until(&h.receiving)
		h.timers.Walk(w, func(t *host.Timer) { w.Word(t.Tag) })
	}
}

// Survey does nothing: the network records messages, and a pattern has no steps.
func (r *patternRun) Survey() {}

var _ fabric.Periodic = (*patternRun)(nil)
