package emulate

import (
	"fmt"
	"slices"

	"weft/internal/sim/channel"
	"weft/internal/sim/engine"
	simfabric "weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// carrier is the simulated network, and the bytes of the packets in it.
type carrier struct {
	net     *network.Network
	now     units.Time // every event before it is handled
	landed  func(nic int32, p *channel.Packet)
	ends    map[way]units.QPN
	streams map[[2]int32]*stream // by sending and receiving NIC
	pending []sending            // to be queued at now
	coming  []int                // by NIC: the number of them
	waiting []int                // by NIC: packets that were in its queue when the first of them came
	heads   []channel.Packet     // by record
	failure error
	wants   cc.Wants // telemetry for the congestion control of queue pairs
}

// way is the connection that carries the packets between two NICs to some of the queue pairs.
type way struct {
	from, to int32
	hash     uint8
}

// sending is a packet on its way into a NIC.
type sending struct {
	from, to int32
	packet   channel.Packet // its bytes are the carrier's
}

// waysPerPair bounds the connections of a pair of NICs: queue pairs share them by their numbers.
const waysPerPair = 64

// supported refuses fabrics that do not carry the packets of verbs devices.
func supported(f *scenario.Fabric) error {
	p := protocol.Of(f.Kind)
	if p.OnTCP() || p.Unordered || !p.Reads {
		return fmt.Errorf("fabric %s: devices of verbs have queue pairs of InfiniBand and RoCE, and %s does not carry their packets: take a fabric of InfiniBand or RoCE v2", f.Name, f.Kind)
	}
	if !slices.Contains([]units.Bytes{256, 512, 1024, 2048, 4096}, f.MTU) {
		return fmt.Errorf("fabric %s: its MTU is %v, and a path MTU of verbs is 256, 512, 1024, 2048 or 4096 bytes", f.Name, f.MTU)
	}
	return nil
}

// newCarrier builds the network of a scenario's only fabric.
func newCarrier(r *scenario.Resolved, change func(*network.Plan)) (*carrier, error) {
	f := &r.Fabrics[0]
	if err := supported(f); err != nil {
		return nil, err
	}
	plan, err := control.NewPlan(r, f)
	if err != nil {
		return nil, err
	}
	run := r.Run
	run.Limit.Events = 0 // it ends when its user says so
	plan.Run, plan.Verbs = &run, network.Verbs{Service: transport.RC}
	if plan.Faults == nil {
		plan = plan.Unbroken() // faults may come later
	}
	change(plan)
	c := &carrier{ends: map[way]units.QPN{}, streams: map[[2]int32]*stream{}, coming: make([]int, plan.Graph.Endpoints), waiting: make([]int, plan.Graph.Endpoints)}
	c.wants = plan.Wants()
	c.net, err = plan.Build(c, r.Cluster.Nodes, network.ScaleUp{}, 1)
	return c, err
}

// send queues a packet at a NIC at the present time, unless too many wait there. It keeps no reference to the packet's
// bytes.
func (c *carrier) send(from, to int32, p *channel.Packet) (taken bool) {
	if c.coming[from] == 0 {
		c.waiting[from] = c.net.WaitingForeign(from)
	}
	if c.waiting[from]+c.coming[from] >= maxWaiting {
		return false
	}
	if len(c.pending) == 0 {
		c.net.Partition(0).At(c.now, 0)
	}
	own := *p
	own.Data = slices.Clone(p.Data)
	c.pending = append(c.pending, sending{from, to, own})
	c.coming[from]++
	return true
}

// Timer queues the pending packets.
func (c *carrier) Timer(p *simfabric.Partition, _ uint32) {
	for i := range c.pending {
		s := &c.pending[i]
		if err := c.inject(p, s); err != nil && c.failure == nil {
			c.failure = err
		}
	}
	clear(c.pending)
	clear(c.coming)
	c.pending = c.pending[:0]
}

func (c *carrier) inject(p *simfabric.Partition, s *sending) error {
	var bth wire.BTH
	b := s.packet.Data
	if err := bth.Parse(b); err != nil {
		return fmt.Errorf("a device has sent no packet of RoCE: %w", err)
	}
	end, err := c.end(s.from, s.to, bth.DestQP)
	if err != nil {
		return err
	}
	payload := max(0, len(b)-bth.Opcode.HeaderBytes()-wire.ICRCBytes)
	record := p.Carry(s.from, end, bth.Opcode, uint32(payload), s.packet.Mark, c.wants)
	if record < 0 {
		return nil
	}
	for int(record) >= len(c.heads) {
		c.heads = append(c.heads, channel.Packet{})
	}
	c.heads[record] = s.packet
	return nil
}

// end is the sending end of the connection for packets to a queue pair.
func (c *carrier) end(from, to int32, dest units.QPN) (units.QPN, error) {
	hash := engine.Mix(uint64(dest))
	w := way{from, to, uint8(hash % waysPerPair)}
	if len(c.ends) >= maxConnections {
		w.hash = 0
	}
	if end, ok := c.ends[w]; ok {
		return end, nil
	}
	entropy := uint32(engine.Mix(uint64(from)<<40 | uint64(uint32(to))<<8 | uint64(w.hash)))
	end, _, err := c.net.ConnectNICs(from, to, entropy, 0, 0)
	c.ends[w] = end
	return end, err
}

// path is the links of the connections between two NICs.
func (c *carrier) path(from, to int32) (links []int32) {
	for hash := range waysPerPair {
		if end, ok := c.ends[way{from, to, uint8(hash)}]; ok {
			links = append(links, c.net.Path(from, end)...)
		}
	}
	return links
}

// stream is the data between two NICs.
type stream struct {
	bytes       int64 // of payload that has arrived
	first, last units.Time
}

// count adds an arrived packet to its stream. Answers without data do not count.
func (c *carrier) count(to int32, p *channel.Packet, now units.Time) {
	op := wire.Opcode(p.Data[0])
	from, _, _ := channel.NICOf(p.From)
	if op == wire.CNP || op == wire.RCAcknowledge {
		return
	}
	k := [2]int32{from, to}
	s := c.streams[k]
	if s == nil {
		s = &stream{first: now}
		c.streams[k] = s
	}
	s.last = now
	s.bytes += int64(len(p.Data) - op.HeaderBytes() - wire.ICRCBytes)
}

// Landed passes an arrived packet on.
func (c *carrier) Landed(part *simfabric.Partition, nic, record int32, marked bool, seen *cc.Seen) {
	p := &c.heads[record]
	if seen != nil {
		p.Seen = copied(seen)
	}
	c.count(nic, p, part.Now())
	p.Mark = marked
	c.landed(nic, p)
	*p = channel.Packet{}
}

// copied is telemetry that stays valid.
func copied(s *cc.Seen) *cc.Seen {
	own := *s
	if s.Path != nil {
		path := *s.Path
		own.Path = &path
	}
	return &own
}

// Complete is never called: the NICs' own queue pairs are idle.
func (c *carrier) Complete(*simfabric.Partition, int32, *transport.Completion) {}

// room is the number of packets that a NIC's queue takes.
func (c *carrier) room(nic int32) int {
	return max(0, nicQueue-c.net.WaitingForeign(nic)-c.coming[nic])
}

// step handles the events before a time, which is the present afterwards.
func (c *carrier) step(until units.Time) error {
	c.now = until
	if err := c.net.Step(until); err != nil {
		return err
	}
	return c.failure
}
