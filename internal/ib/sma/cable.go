package sma

import (
	"errors"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Errors of changes to cables.
var (
	ErrCabled  = errors.New("a port has a cable already")
	ErrNoCable = errors.New("the port has no cable")
	ErrNotKept = errors.New("no cable was taken from the port before")
)

// cable is an unplugged cable with both of its ends.
type cable struct {
	peer subnet.End
	link subnet.Link
}

// Unlink unplugs the cable of a port, and keeps it for Relink.
func (f *Fabric) Unlink(at subnet.End) error {
	peer := f.sub.Peer(at)
	if !peer.Exists() {
		return ErrNoCable
	}
	f.linkDown(at, mad.PhysPolling)
	here, there := f.sub.Port(at), f.sub.Port(peer)
	f.taken[at], f.taken[peer] = cable{peer, here.Link}, cable{at, here.Link}
	here.Peer, there.Peer = subnet.None, subnet.None
	return nil
}

// Relink plugs in the cable that Unlink took from a port.
func (f *Fabric) Relink(at subnet.End) error {
	c, kept := f.taken[at]
	if !kept {
		return ErrNotKept
	}
	return f.link(at, c.peer, c.link)
}

// Link connects two ports without a cable. The link is as fast and wide as the slower node allows.
func (f *Fabric) Link(a, b subnet.End) error {
	link, other := f.supports(a.Node), f.supports(b.Node)
	link.Width, link.Speed = min(link.Width, other.Width), min(link.Speed, other.Speed)
	return f.link(a, b, link)
}

func (f *Fabric) link(a, b subnet.End, link subnet.Link) error {
	if a == b || f.sub.Peer(a).Exists() || f.sub.Peer(b).Exists() {
		return ErrCabled
	}
	f.sub.Connect(a, b, link)
	for _, at := range []subnet.End{a, b} {
		delete(f.taken, at)
		q := &f.nodes[at.Node].ports[at.Port]
		q.cut = false
	}
	f.train(a)
	return nil
}

// Clear unplugs the cable of a port, if it has one, and resets the port to its state after
// power-on.
func (f *Fabric) Clear(at subnet.End) {
	_ = f.Unlink(at)
	was := &f.nodes[at.Node].ports[at.Port]
	loss := was.loss
	*was = powerOnPort(&f.sub.Nodes[at.Node], uint8(at.Port), f.supports(at.Node))
	was.loss = loss
}

// SetGUID changes the GUID of a node, or of a port of an adapter.
func (f *Fabric) SetGUID(node int32, port uint8, guid units.GUID) {
	n := &f.sub.Nodes[node]
	if n.Kind == subnet.Switch || port == 0 {
		n.GUID = guid
		return
	}
	n.Ports[port].GUID = guid
	f.nodes[node].ports[port].guids[0] = guid
}

// SetLID changes a port's LID without its manager, and its LMC unless lmc is below 0.
func (f *Fabric) SetLID(at subnet.End, lid units.LID, lmc int) {
	info := &f.endport(at).info
	info.LID = lid
	if lmc >= 0 {
		info.LMC = uint8(lmc)
	}
	if f.sub.Nodes[at.Node].Kind == subnet.Switch {
		f.nodes[at.Node].sw.PortStateChange = true
	} else if peer := f.sub.Peer(at); peer.Exists() && f.sub.Nodes[peer.Node].Kind == subnet.Switch {
		f.nodes[peer.Node].sw.PortStateChange = true
	}
}

// Trace is the path of a packet to a LID by the forwarding tables and the states of ports: its
// output ports, and its end. ok is false if it is dropped there, or reaches a switch for the second
// time. Nothing is sent: no counter changes. Partitions and SetLoss are ignored.
func (f *Fabric) Trace(from subnet.End, to units.LID) (out []subnet.End, end subnet.End, ok bool) {
	at := from
	for {
		leaves := at
		if f.sub.Nodes[at.Node].Kind == subnet.Switch {
			leaves.Port = uint16(f.nodes[at.Node].forward(to))
		}
		if leaves.Port == 0 || f.sub.Nodes[at.Node].Kind != subnet.Switch && (len(out) > 0 || f.answersTo(at, to)) {
			return out, leaves, f.answersTo(leaves, to)
		}
		again := slices.ContainsFunc(out, func(o subnet.End) bool { return o.Node == at.Node })
		if again || int(leaves.Port) >= len(f.sub.Nodes[at.Node].Ports) {
			return out, at, false
		}
		peer := f.sub.Peer(leaves)
		if !peer.Exists() || !f.open(leaves, peer) {
			return out, leaves, false
		}
		out, at = append(out, leaves), peer
	}
}
