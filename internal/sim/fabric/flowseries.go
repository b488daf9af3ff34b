package fabric

import (
	"cmp"
	"slices"

	"weft/internal/sim/state"
	"weft/internal/sim/transport"
	"weft/units"
)

// FlowRecord is a message that a NIC posted: one work request, or several of which the last is
// signaled.
type FlowRecord struct {
	From, To        int32     // the posting NIC and its peer
	QP              units.QPN // depends on the order in which connections were made
	Entropy         uint32    // of the connection
	Class           uint8
	Read            bool // its data comes from the peer
	Bytes           int64
	Posted, Ended   units.Time // the first work request; the completion at the poster
	Retransmissions uint32
}

// maxFlowRecords is the number of messages that a record keeps, the slowest ones: they take 2 MB, and in
// each partition twice that during a run.
const maxFlowRecords = 1 << 15

// flowRecorder is the record of the messages of a partition's NICs.
type flowRecorder struct {
	ended int64
	kept  []FlowRecord
	full  bool       // kept had more than a record keeps
	least FlowRecord // if it is full: the last that is kept
	// period is the messages of a period that will be repeated, while repeats is true.
	period  []FlowRecord
	repeats bool
}

// postings are the messages in progress of a NIC, by flow.
type postings []posting

// posting is the messages in progress of a queue pair or socket, in order.
type posting struct {
	open     []FlowRecord // the last may be incomplete
	partial  bool         // its signaled work request is still to come
	repeated uint32       // retransmissions of the messages before
}

// posted records a work request.
func (p *Partition) posted(nic int32, f *flow, wr *transport.WorkRequest) {
	s := p.net.nicOf(nic)
	for len(s.postings) <= int(f.id) {
		s.postings = append(s.postings, posting{})
	}
	q := &s.postings[f.id]
	if !q.partial {
		q.open = append(q.open, FlowRecord{From: nic, To: f.dst, QP: f.id, Entropy: f.entropy, Class: f.class, Read: !f.socket && wr.Op == transport.OpRead, Posted: p.now})
	}
	q.open[len(q.open)-1].Bytes += int64(wr.Length)
	q.partial = wr.Unsignaled && !f.socket
}

// concluded records the completion of the oldest message of a flow.
func (p *Partition) concluded(nic int32, f *flow) {
	s := p.net.nicOf(nic)
	if int(f.id) >= len(s.postings) || len(s.postings[f.id].open) == 0 {
		return
	}
	q := &s.postings[f.id]
	r := q.open[0]
	q.open = append(q.open[:0], q.open[1:]...)
	repeated := f.repeated()
	r.Ended, r.Retransmissions = p.now, repeated-q.repeated
	q.repeated = repeated
	p.ended++
	p.keep(&r)
	if p.repeats {
		p.period = append(p.period, r)
	}
}

// keep records a message that has ended. It reports false if there are enough that took longer.
func (r *flowRecorder) keep(f *FlowRecord) bool {
	if r.full && bySlowness(f, &r.least) > 0 {
		return false
	}
	r.kept = append(r.kept, *f)
	if len(r.kept) == 2*maxFlowRecords {
		r.kept = slowest(r.kept)
		r.full, r.least = true, r.kept[len(r.kept)-1]
	}
	return true
}

// again records the messages of a period for each of a number of periods after it.
func (r *flowRecorder) again(times int64, length units.Time) {
	r.ended += times * int64(len(r.period))
	for i := range r.period {
		f := &r.period[i]
		for range times {
			f.Posted += length
			f.Ended += length
			if !r.keep(f) {
				break // nor will be the later ones, which take as long
			}
		}
	}
	r.period, r.repeats = r.period[:0], false
}

// WalkState visits the messages in progress.
func (all *postings) WalkState(w *state.Walk) {
	w.Word(uint64(len(*all)))
	for i := range *all {
		q := &(*all)[i]
		w.Word(uint64(len(q.open)))
		for j := range q.open {
			w.Word(uint64(q.open[j].Bytes))
			w.Past(&q.open[j].Posted) // it is the same while a long message is under way
		}
		w.Visit(&q.partial)
		w.Word(uint64(q.repeated))
	}
}

// repeated is the number of packets that the flow has sent again.
func (f *flow) repeated() uint32 {
	if f.socket {
		return uint32(f.conn.Stats().Retransmitted)
	}
	return f.qp.Repeated()
}

// slowest are the slowest messages, as many as a record keeps. The order has no ties.
func slowest(list []FlowRecord) []FlowRecord {
	if len(list) <= maxFlowRecords {
		return list
	}
	slices.SortFunc(list, func(a, b FlowRecord) int { return bySlowness(&a, &b) })
	return list[:maxFlowRecords]
}

// bySlowness orders the message that took longer before the other.
func bySlowness(a, b *FlowRecord) int {
	return cmp.Or(cmp.Compare(b.Ended-b.Posted, a.Ended-a.Posted), a.compare(b))
}

func (a *FlowRecord) compare(b *FlowRecord) int {
	return cmp.Or(cmp.Compare(a.Posted, b.Posted), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Entropy, b.Entropy), cmp.Compare(a.Ended, b.Ended), cmp.Compare(a.Bytes, b.Bytes))
}

// RecordedFlows is the number of completed messages between NICs, and the slowest of them in the order
// in which they were posted. It is called after the run.
func (n *Network) RecordedFlows() (ended int64, kept []FlowRecord) {
	for _, p := range n.parts {
		ended += p.ended
		kept = append(kept, p.kept...)
	}
	kept = slowest(kept)
	slices.SortFunc(kept, func(a, b FlowRecord) int { return a.compare(&b) })
	return ended, kept
}
