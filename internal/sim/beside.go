package sim

import (
	"fmt"

	"weft/internal/engine"
	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// besideRun is a collective with the fabric's streams beside it. The streams'
// queue pairs are the first of their NICs, so that their numbers tell them from
// the collective's.
type besideRun struct {
	*collectiveRun
	streams []stream
	at      [][]int32 // by NIC and number of the end: the stream, -1 at its other end
	failure error
}

// stream is one stream: as many messages under way as it has depth.
type stream struct {
	spec   *scenario.Stream
	end    units.QPN
	posted []units.Time // by slot: when its message was posted
	times  *flowTimes
}

// beside puts the fabric's streams beside a collective.
func (p *plan) beside(run *collectiveRun) *besideRun {
	b := &besideRun{collectiveRun: run, at: make([][]int32, len(run.ends))}
	for i := range p.fabric.Beside {
		s := &p.fabric.Beside[i]
		b.streams = append(b.streams, stream{spec: s, posted: make([]units.Time, s.Depth), times: newFlowTimes()})
	}
	return b
}

// app is what runs on the network: the collective itself where nothing is beside
// it.
func (b *besideRun) app() fabric.App {
	if len(b.streams) == 0 {
		return b.collectiveRun
	}
	return b
}

// start connects the streams and posts their first messages.
func (b *besideRun) start() error {
	for i := range b.streams {
		s := &b.streams[i]
		from, to := int32(s.spec.Src), int32(s.spec.Dst)
		plan, entropy := b.net.plan, uint32(engine.Mix(1<<63|uint64(i)))
		level := 0 // what Ethernet has
		if plan.fabric.Kind == scenario.InfiniBandKind {
			level = s.spec.Class
		}
		here, there := plan.connection(from, entropy, entropy, level), plan.connection(to, entropy^1, entropy, level)
		here.Class = plan.class.must(laneOf(plan.fabric, s.spec.Class))
		here.Reply, there.Class, there.Reply = here.Class, here.Class, here.Class
		here.PKey, there.PKey = plan.keys.pair(from, to)
		plan.byPath(from, to, &here, &there)
		end, peer, err := b.net.Connect(from, to, here, there)
		if err != nil {
			return err
		}
		s.end = end
		b.bindStream(from, end, int32(i))
		b.bindStream(to, peer, -1)
		for slot := range s.posted {
			b.postStream(b.net.Partition(from), s, uint64(slot))
		}
	}
	return b.failure
}

func (b *besideRun) bindStream(nic int32, end units.QPN, stream int32) {
	for len(b.at[nic]) <= int(end) {
		b.at[nic] = append(b.at[nic], -1)
	}
	b.at[nic][end] = stream
}

// postStream posts the next message of a slot.
func (b *besideRun) postStream(p *fabric.Partition, s *stream, slot uint64) {
	s.posted[slot] = p.Now()
	op := transport.OpWrite
	if s.spec.Operation == scenario.Read {
		op = transport.OpRead
	}
	if err := p.Post(int32(s.spec.Src), s.end, transport.WorkRequest{ID: slot, Op: op, Length: uint32(s.spec.Bytes)}); err != nil && b.failure == nil {
		b.failure = err
	}
}

// Complete counts a stream's message and posts the next while the collective
// runs; what is not a stream's is the collective's.
func (b *besideRun) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if int(c.QPN) >= len(b.at[nic]) {
		b.collectiveRun.Complete(p, nic, c)
		return
	}
	i := b.at[nic][c.QPN]
	switch {
	case c.Status != transport.Success && b.failure == nil:
		b.failure = fmt.Errorf("queue pair %d of NIC %d, of a stream beside the collective, failed at %v: %v", c.QPN, nic, p.Now(), c.Status)
	case c.Status == transport.Success && i >= 0 && b.unsent > 0:
		s := &b.streams[i]
		s.times.add(p.Now() - s.posted[c.ID])
		b.postStream(p, s, c.ID)
	}
}

// results are what the streams got done in the collective's time.
func (b *besideRun) results() (out []runstore.Stream) {
	for i := range b.streams {
		s := &b.streams[i]
		d := s.times.distribution()
		r := runstore.Stream{
			Name: s.spec.Name, Operation: string(s.spec.Operation), Class: s.spec.Class, Messages: d.N,
			MeanPs: int64(d.Mean), P99Ps: int64(d.P99), MaxPs: int64(d.Max),
		}
		if t := b.ended.Seconds(); t > 0 {
			r.GBps = float64(d.N) * float64(s.spec.Bytes) / t / 1e9
		}
		out = append(out, r)
	}
	return out
}
