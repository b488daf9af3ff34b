package streams

import (
	"fmt"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Application is what streams run beside. It runs until it is over or has failed.
type Application interface {
	fabric.App
	fabric.LocalApp
	Running() bool
}

// Streams is an application with the fabric's streams beside it, which end with it. The streams'
// queue pairs are the first of their NICs, so their numbers tell them from the application's.
type Streams struct {
	Application
	net     *network.Network
	streams []stream
	at      [][]streamEnd // by NIC and number of the end
	carried *linkBytes    // nil without streams
	failure error
}

// streamEnd is an end of a stream: the requester, or the target.
type streamEnd struct {
	stream int32
	asked  bool
}

// stream is one stream: its depth is the number of its messages in flight.
type stream struct {
	spec   *scenario.Stream
	end    units.QPN
	posted []units.Time // by slot: the time at which its message was posted
	times  *measure.FlowTimes
	nvme   nvme // of NVMe-oF
	load   load
}

// Beside adds the streams of a plan's fabric to an application, on a cluster with a number of NICs.
func Beside(p *network.Plan, app Application, nics int) *Streams {
	b := &Streams{Application: app, at: make([][]streamEnd, nics)}
	for i := range p.Fabric.Beside {
		s := &p.Fabric.Beside[i]
		b.streams = append(b.streams, stream{
			spec: s, posted: make([]units.Time, s.Depth), times: measure.NewFlowTimes(),
			load: loadOf(s, p.Fabric.Link.Rate()),
		})
	}
	return b
}

// App is the network's application: the one that streams run beside if there are none.
func (b *Streams) App() fabric.App {
	if b.None() {
		return b.Application
	}
	return b
}

// None reports whether there are no streams.
func (b *Streams) None() bool { return len(b.streams) == 0 }

// Failure is the first failure of a stream; nil if none failed.
func (b *Streams) Failure() error { return b.failure }

// Start connects the streams on a network and posts their first messages. The application's
// connections come after it.
func (b *Streams) Start(net *network.Network) error {
	b.net = net
	if len(b.streams) > 0 {
		b.countLinkBytes()
	}
	for i := range b.streams {
		s := &b.streams[i]
		from, to := int32(s.spec.Src), int32(s.spec.Dst)
		plan := b.net.Plan
		entropy := uint32(engine.Mix(1<<63 | uint64(i)))
		hashed := plan.Hashed(from, to, entropy)
		level := 0 // Ethernet's only level
		if protocol.Of(plan.Fabric.Kind).ServiceLevels {
			level = s.spec.Class
		}
		here, there := plan.Connection(from, hashed, entropy, level), plan.Connection(to, network.OtherEnd(hashed), entropy, level)
		here.Class = plan.Class.Must(network.LaneOf(plan.Fabric, s.spec.Class))
		here.Reply, there.Class, there.Reply = here.Class, here.Class, here.Class
		here.PKey, there.PKey = plan.Keys.Pair(from, to)
		plan.ByPath(from, to, &here, &there)
		end, peer, err := b.net.Connect(from, to, here, there)
		if err != nil {
			return err
		}
		s.end, s.nvme.peer = end, peer
		b.bindStream(from, end, streamEnd{stream: int32(i)})
		b.bindStream(to, peer, streamEnd{stream: int32(i), asked: true})
		if s.load.every > 0 {
			b.startLoad(b.net.Partition(from), i)
			continue
		}
		for slot := range s.posted {
			b.postStream(b.net.Partition(from), s, uint64(slot))
		}
	}
	return b.failure
}

func (b *Streams) bindStream(nic int32, end units.QPN, e streamEnd) {
	for len(b.at[nic]) <= int(end) {
		b.at[nic] = append(b.at[nic], streamEnd{})
	}
	b.at[nic][end] = e
}

// postStream posts the next message of a slot.
func (b *Streams) postStream(p *fabric.Partition, s *stream, slot uint64) {
	s.posted[slot] = p.Now()
	if isNVMe(s.spec.Operation) {
		b.command(p, s, slot)
		return
	}
	op := transport.OpWrite
	if s.spec.Operation == scenario.StreamRead {
		op = transport.OpRead
	}
	b.post(p, int32(s.spec.Src), s.end, transport.WorkRequest{ID: slot, Op: op, Length: uint32(s.spec.Bytes)})
}

// post posts a work request of a stream on a NIC.
func (b *Streams) post(p *fabric.Partition, nic int32, end units.QPN, wr transport.WorkRequest) {
	if err := p.Post(nic, end, wr); err != nil && b.failure == nil {
		b.failure = err
	}
}

// Complete counts a stream's message and posts the next while the application runs. Other
// completions belong to the application.
func (b *Streams) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if int(c.QPN) >= len(b.at[nic]) {
		b.Application.Complete(p, nic, c)
		return
	}
	e := b.at[nic][c.QPN]
	s := &b.streams[e.stream]
	switch {
	case c.Status == transport.Success:
		b.completed(p, s, e, c)
	case b.failure == nil:
		b.failure = fmt.Errorf("queue pair %d of NIC %d, of the stream %q, failed at %v: %v", c.QPN, nic, s.spec.Name, p.Now(), c.Status)
	}
}

// canPost reports whether streams post further messages. Without an end, a run that has failed would
// last until its limit of time.
func (b *Streams) canPost() bool { return b.failure == nil && b.Running() }

// completed continues a stream after a completion.
func (b *Streams) completed(p *fabric.Partition, s *stream, e streamEnd, c *transport.Completion) {
	slot := c.ID
	if isNVMe(s.spec.Operation) {
		if e.asked {
			b.atTarget(p, s, c)
			return
		}
		slot = s.response()
	}
	if !e.asked && b.canPost() {
		s.times.Add(p.Now() - s.posted[slot])
		if s.load.freed(slot) {
			return
		}
		b.postStream(p, s, slot)
	}
}

// Results are the streams' results up to the end of the application. The busy links get the streams'
// shares of their bytes, and the rest under the name job.
func (b *Streams) Results(ended units.Time, hot []results.HotLink, links []int32, job string) (out []results.Stream) {
	b.divide(hot, links, job)
	for i := range b.streams {
		s := &b.streams[i]
		d := s.times.Distribution()
		r := results.Stream{
			Name: s.spec.Name, Operation: string(s.spec.Operation), Class: s.spec.Class, Messages: d.N,
			MeanPs: int64(d.Mean), P99Ps: int64(d.P99), MaxPs: int64(d.Max),
		}
		if t := ended.Seconds(); t > 0 {
			r.GBps = float64(d.N) * float64(s.spec.Bytes) / t / 1e9
		}
		out = append(out, r)
	}
	return out
}
