package fabric

import "weft/units"

// port is the sending side of a link, in one cache line.
type port struct {
	freeAt   units.Time `state:"until"` // time at which the wire is free
	wakeAt   units.Time // the valid pending event; Forever if none
	bytes    int64      `state:"count"` // sent
	delay    uint32     `state:"-"`     // propagation and the receiver's fixed pipeline, in picoseconds
	node     int32      `state:"-"`
	num      int32      `state:"-"` // picoseconds per byte: num/den
	queued   int32      // bytes that wait
	single   int32      `state:"-"` // switches: the single waiting packet, which is in no queue; -1 if none
	serveIn  int32      // Ethernet: incoming link of the packet on the wire, -1 if its buffer is released
	den      int16      `state:"-"`
	rem      int16      // of the end of the last packet, in 1/den ps
	nonEmpty uint16     // classes with packets
	blocked  uint16     // classes paused by PFC; InfiniBand: stalled lanes
	serve    uint16     // Ethernet: size of the packet on the wire
	debt     uint16     `state:"-"` // InfiniBand: bytes of flow-control packets due before the next packet
	to       uint16     `state:"-"` // cell of the receiver
	class    uint8      // Ethernet: class of the packet on the wire
	flags    portFlags
}

type portFlags uint8

const (
	flagDirty     portFlags = 1 << iota // decides at the end of this instant
	flagTail                            // the receiver takes packets at the tail
	flagRemote                          // the receiver is in another partition
	flagUncounted                       // not a link of the scale-out fabric: no packet-hops
	flagJitter                          // the receiver's pipeline jitters, or the link sends packets again
	flagStorm                           // the PFC watchdog drops packets for a queue
	flagDown                            // no working cable: packets to be sent are lost
	flagFollowed                        // a packet trace is on, or a record, and it has sent nothing in the interval
)

// occupy puts size bytes on the wire from start on and returns the time of the last bit. A fraction
// of a picosecond carries over from packet to packet as long as they follow one another without a
// gap.
func (o *port) occupy(start units.Time, size int64) units.Time {
	t := size * int64(o.num)
	if o.den != 1 {
		if start == o.freeAt {
			t += int64(o.rem)
		}
		o.rem = int16(t % int64(o.den))
		t /= int64(o.den)
	}
	o.freeAt = start + units.Time(t)
	o.bytes += size
	return o.freeAt
}

// inbox is the receiving side of a link, in half a cache line.
type inbox struct {
	node   int32    `state:"-"`
	back   int32    `state:"-"` // the port of the receiver in the other direction
	part   uint8    `state:"-"` // partition of the receiver
	kind   nodeKind `state:"-"`
	slower bool     `state:"-"` // some port of the receiver is faster: cut-through could outrun the tail
	reader reader   `state:"until"`
}

// serialisation is the time of size bytes on the port's link, rounded up.
func (o *port) serialisation(size uint16) units.Time {
	return units.Time((int64(size)*int64(o.num) + int64(o.den) - 1) / int64(o.den))
}

// transmit sends a packet from a port, which must be free, starting at start.
// The packet is gone afterwards. It returns the time of the last bit.
func (o *port) transmit(p *Partition, link, i int32, k *pkt, start units.Time) units.Time {
	end := o.occupy(start, int64(k.size))
	o.depart(p, link, i, k, start, end)
	return end
}

// depart sends a packet that occupies its port's wire from start to end to the other end of the link.
func (o *port) depart(p *Partition, link, i int32, k *pkt, start, end units.Time) {
	at := start
	if o.flags&flagTail != 0 {
		at = end
	}
	k.arrive = at + units.Time(o.delay)
	if o.flags&(flagJitter|flagUncounted|flagFollowed|flagRemote) != 0 || p.record != nil && p.record.IsMinor(k.class) {
		o.departOddly(p, link, i, k, start, end)
		return
	}
	p.stats.Hops++
	p.push(o.to, k.arrive, classArrive, arrival(link, i))
}

// departOddly is depart for a port with flags.
func (o *port) departOddly(p *Partition, link, i int32, k *pkt, start, end units.Time) {
	if o.flags&flagJitter != 0 {
		o.delayArrival(p, link, k, start, end)
	}
	if o.flags&flagUncounted == 0 {
		p.stats.Hops++
	}
	if o.flags&flagFollowed != 0 || p.record != nil && p.record.IsMinor(k.class) {
		p.follow(link, i, k, start, end)
	}
	switch {
	case o.flags&flagRemote != 0:
		p.sendRemote(p.net.inboxes[link].part, link, i)
	case p.landsEarly(o, link) && p.landEarly(link, i, k):
	default:
		p.fly(link, i)
	}
}

// packetBits is the number of bits for the packet in an arrival's source; the bits above are the
// link, which alone decides the order: no two packets arrive over a link at one instant.
const packetBits = 26

// fly schedules the arrival of a packet at the end of a link.
func (p *Partition) fly(link, i int32) {
	p.push(p.net.ports[link].to, p.pool.hot[i].arrive, classArrive, arrival(link, i))
}

// arrival is the source of a packet's arrival over a link.
func arrival(link, i int32) uint64 { return uint64(link)<<packetBits | uint64(i) }

// arriving are the link and the packet in an arrival's source.
func arriving(source uint64) (link, i int32) {
	return int32(source >> packetBits), int32(source & (1<<packetBits - 1))
}

// wake makes a port decide at t, unless it does so earlier anyway.
func (o *port) wake(p *Partition, link int32, t units.Time) {
	if t < o.wakeAt {
		o.wakeAt = t
		p.push(p.net.nodes[o.node].cell, t, classPort, uint64(link))
	}
}

// acceptWake reports whether the port still waits for the present event. If it does, the port then
// waits for none.
func (o *port) acceptWake(p *Partition) bool {
	if o.wakeAt != p.now {
		p.stats.Events-- // an earlier event has replaced it
		return false
	}
	o.wakeAt = units.Forever
	return true
}

// canDecideNow reports whether a port with a new packet may decide in the event being handled, as its
// last action: the event must be the last of the instant, no other port may have to decide before,
// and the wire must be free.
func (o *port) canDecideNow(p *Partition) bool {
	return p.last && o.freeAt <= p.now && o.flags&flagDown == 0 && len(p.dirty) == 0
}

// touch makes a port with a new packet decide: at the end of this instant, or when its wire is
// free.
func (o *port) touch(p *Partition, link int32) {
	if o.freeAt > p.now {
		o.wake(p, link, o.freeAt)
		return
	}
	if o.flags&flagDirty == 0 {
		o.flags |= flagDirty
		p.dirty = append(p.dirty, link)
	}
}
