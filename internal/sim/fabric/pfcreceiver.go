package fabric

import (
	"weft/internal/sim/fabric/adapter"
	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// Receiver is a NIC that receives data more slowly than its wire delivers them, or not at all: a
// host with a too slow bus, memory or page tables, or a firmware that hangs. It has a buffer of its
// own, and pauses its sender as a switch does.
type Receiver struct {
	// Failed is a NIC that pauses its sender for the whole period, with or without packets, and
	// receives packets at once.
	Failed bool
	// PerByte is the time to receive a byte; zero takes none.
	PerByte units.PerByte
	// Buffer is its size in bytes; packets that do not fit are dropped. At Xoff it pauses its
	// sender, at Xon it resumes it.
	Buffer, Xoff, Xon int64
	// From and Until are the begin and the end of this behaviour.
	From, Until units.Time
}

// receiver is the state of a NIC that is a Receiver.
type receiver struct {
	spec    *Receiver
	packets list // in its buffer
	held    int64
	done    units.Time // end of receiving the packet at the head
	paused  bool
}

// Receive makes a NIC a slow or a failed receiver. It is called before Build.
func (b *Builder) Receive(nic int32, r *Receiver) {
	s := b.n.nicOf(nic)
	s.receiver, s.delays = &receiver{spec: r, packets: emptyList}, true
}

// ShareSlot makes the NICs from first up to, not including, end share a slot with the given time of a byte in
// each direction. Each of them must be a Receiver, in whose buffer packets wait for the slot. It is called
// before Build.
func (b *Builder) ShareSlot(first, end int32, perByte units.PerByte) {
	s := &adapter.Slot{PerByte: perByte}
	for nic := first; nic < end; nic++ {
		b.n.nicOf(nic).slot = s
	}
}

// receivers requests the begin and end events of failed NICs.
func (n *Network) receivers() {
	for i := range n.nodes {
		if n.nodes[i].kind != kindNIC {
			continue
		}
		r := n.nicOf(int32(i)).receiver
		if r == nil || !r.spec.Failed {
			continue
		}
		p := n.parts[n.nodes[i].part]
		p.push(n.nodes[i].cell, r.spec.From, classReceive, uint64(i))
		if r.spec.Until != units.Forever {
			p.push(n.nodes[i].cell, r.spec.Until, classReceive, uint64(i))
		}
	}
}

// receive puts a packet into the buffer of a slow NIC. It returns false if the NIC is not slow at
// this time, and the packet is received at once.
func (r *receiver) receive(p *Partition, node, i int32) bool {
	slow := !r.spec.Failed && p.now >= r.spec.From && p.now < r.spec.Until
	if !slow && r.packets.head < 0 {
		return false
	}
	size := int64(p.pool.hot[i].size)
	if r.held+size > r.spec.Buffer {
		p.dropFrom(p.pool.hot[i].in, i, counts.DropReceiver)
		return true
	}
	first := r.packets.head < 0
	r.held += size
	p.pool.push(&r.packets, i)
	if first {
		r.receiveNext(p, node)
	}
	if !r.paused && r.held >= r.spec.Xoff {
		r.pauseLinks(p, node, pauseOn)
	}
	return true
}

// receiveNext starts to receive the packet at the head of the buffer.
func (r *receiver) receiveNext(p *Partition, node int32) {
	i := r.packets.head
	k := &p.pool.hot[i]
	var taking units.Time
	if rate := r.spec.PerByte; rate.Num > 0 {
		taking = units.Time(int64(k.size) * rate.Num / rate.Den)
	}
	r.done = p.now + taking
	nic := p.net.nicOf(node)
	if nic.contexts != nil {
		var miss bool
		if r.done, miss = nic.contexts.Receive(p.pool.cold[i].DestQP, p.now, k.arrive, taking); miss {
			p.stats.ContextMisses++
		}
	}
	if nic.slot != nil {
		r.done = max(r.done, nic.slot.PassReceived(p.now, k.size))
	}
	r.done = max(r.done, p.now+1)
	if p.now >= r.spec.Until {
		r.done = p.now + 1 // it has its full speed again
	}
	p.push(p.net.nodes[node].cell, r.done, classReceive, uint64(node))
}

// finishReceiving passes on the packet that a slow NIC has received, and makes a failed NIC pause or resume
// its sender.
func (nic *nicState) finishReceiving(p *Partition, node int32) {
	r := nic.receiver
	if r.spec.Failed {
		kind := pauseOn
		if p.now >= r.spec.Until {
			kind = pauseOff
		}
		r.pauseLinks(p, node, kind)
		return
	}
	i := p.pool.pop(&r.packets)
	k := &p.pool.hot[i]
	r.held -= int64(k.size)
	link := k.in
	if r.packets.head >= 0 {
		r.receiveNext(p, node)
	}
	if r.paused && r.held <= r.spec.Xon {
		r.pauseLinks(p, node, pauseOff)
	}
	nic.deliver(p, node, link, i)
}

// pauseLinks stops or resumes the senders to a NIC in every lossless class.
func (r *receiver) pauseLinks(p *Partition, node int32, kind pauseKind) {
	n := p.net
	nd := &n.nodes[node]
	r.paused = kind == pauseOn
	pfc := &n.nics[nd.state].spec.PFC
	for port := nd.base; port < nd.base+nd.ports; port++ {
		link := n.back[port]
		for class := uint8(0); link >= 0 && int(class) < n.classes; class++ {
			if pfc.Lossless>>class&1 != 0 {
				n.ingress[int(link)*n.classes+int(class)].Paused = r.paused
				if r.paused {
					p.net.pauseBegins(p, link, class)
				} else {
					p.net.pauseEnds(p, link, class)
				}
				pfc.requestPause(p, link, class, kind)
			}
		}
	}
}
