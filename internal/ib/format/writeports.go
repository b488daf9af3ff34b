package format

import (
	"fmt"
	"io"

	"weft/internal/ib/subnet"
)

// shortKinds is the words of ibnetdiscover -p and opensm for kinds.
var shortKinds = map[subnet.Kind]string{subnet.Adapter: "CA", subnet.Switch: "SW", subnet.Router: "RT"}

// WritePortList writes a subnet in the form of ibnetdiscover -p, which has no LMCs and only the
// names and kinds of nodes.
func WritePortList(to io.Writer, s *subnet.Subnet) error {
	if err := writable(s); err != nil {
		return err
	}
	w := newWriting(to)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for j := n.NumPorts(); j > 0; j-- {
			e := subnet.End{Node: int32(i), Port: uint16(j)}
			p := s.Port(e)
			if !p.Peer.Exists() && guidAt(s, e) == 0 {
				continue // an adapter's port without known attributes
			}
			w.f("%2s %5d %2d %v %v %v", shortKinds[n.Kind], lidAt(s, e), j, guidAt(s, e), p.Link.Width, p.Link.Speed)
			if !p.Peer.Exists() {
				w.f("%36s'%s'\n", "", n.Name)
				continue
			}
			far := &s.Nodes[p.Peer.Node]
			w.f(" - %2s %5d %2d %v ( '%s' - '%s' )\n", shortKinds[far.Kind], lidAt(s, p.Peer), p.Peer.Port, guidAt(s, p.Peer), n.Name, far.Name)
		}
	}
	return w.end()
}

// linkInfoKinds is the words of iblinkinfo for kinds.
var linkInfoKinds = map[subnet.Kind]string{subnet.Adapter: "CA", subnet.Switch: "Switch", subnet.Router: "Router"}

// WriteLinkInfo writes a subnet in the form of iblinkinfo or, if line is set, of iblinkinfo -l. The
// first form names the far end of a link by its LID alone; in the second form nodes have no kind.
// Ports with a cable are written as active unless their state is known, all others as down. The first form is refused if a port
// with a cable has no LID: the far end of the cable would have no name.
func WriteLinkInfo(to io.Writer, s *subnet.Subnet, line bool) error {
	if err := writable(s); err != nil {
		return err
	}
	if !line {
		if err := allHaveLIDs(s); err != nil {
			return err
		}
	}
	w := newWriting(to)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case line:
		case n.Kind == subnet.Switch:
			w.f("Switch: %v %s:\n", n.Ports[0].GUID, n.Name)
		default:
			w.f("%s: %s:\n", linkInfoKinds[n.Kind], n.Name)
		}
		for j := 1; j <= n.NumPorts(); j++ {
			e := subnet.End{Node: int32(i), Port: uint16(j)}
			if s.Port(e).Peer.Exists() || guidAt(s, e) != 0 {
				writeLinkInfoPort(w, s, e, line)
			}
		}
	}
	return w.end()
}

func allHaveLIDs(s *subnet.Subnet) error {
	for i := range s.Nodes {
		for j := 1; j <= s.Nodes[i].NumPorts(); j++ {
			if e := (subnet.End{Node: int32(i), Port: uint16(j)}); s.Port(e).Peer.Exists() && lidAt(s, e) == 0 {
				return fmt.Errorf("%s has no LID, and iblinkinfo names the far end of a link by its LID: give the ports LIDs, or use iblinkinfo-l", s.NodeName(int32(i)))
			}
		}
	}
	return nil
}

func writeLinkInfoPort(w writing, s *subnet.Subnet, e subnet.End, line bool) {
	n, p := &s.Nodes[e.Node], s.Port(e)
	switch {
	case line:
		w.f("%v \"%30s\" ", guidAt(s, e), n.Name)
	case n.Kind == subnet.Switch:
		w.f("      ")
	default:
		w.f("      %v ", p.GUID)
	}
	w.f("%6d %4d[  ] ==(", lidAt(s, e), e.Port)
	if !p.Peer.Exists() {
		physical := "Polling"
		if p.State == subnet.Disabled {
			physical = "Disabled"
		}
		w.f("                Down/%8s)==>             [  ] \"\" ( )\n", physical)
		return
	}
	w.f("%3s %18s %6s/%8s)==>  ", linkInfoWidth(p.Link.Width), linkInfoSpeed(p.Link.Speed), linkInfoLogical(p.State), "LinkUp")
	if line {
		w.f("%v ", guidAt(s, p.Peer))
	}
	w.f("%6d %4d[  ] \"%s\" (%s)\n", lidAt(s, p.Peer), p.Peer.Port, s.Nodes[p.Peer.Node].Name, linkInfoMessage(p))
}

func linkInfoLogical(state subnet.State) string {
	if state == subnet.Init || state == subnet.Armed {
		return state.String()
	}
	return "Active"
}

// linkInfoMessage says what a link could be, width and speed, as far as it is more.
func linkInfoMessage(p *subnet.Port) string {
	width, speed := "", ""
	if p.Could.Width > p.Link.Width {
		width = "Could be " + linkInfoWidth(p.Could.Width)
	}
	if p.Could.Speed > p.Link.Speed {
		speed = "Could be " + linkInfoSpeed(p.Could.Speed)
	}
	return width + " " + speed
}

func linkInfoWidth(w subnet.Width) string {
	switch w {
	case 1:
		return "1X"
	case 2:
		return "2X"
	case 4:
		return "4X"
	case 8:
		return "8X"
	case 12:
		return "12X"
	}
	return "undefined (0)"
}

func linkInfoSpeed(speed subnet.Speed) string {
	for _, s := range linkSpeeds {
		if s.speed == speed {
			return s.text
		}
	}
	return "undefined (0)"
}

// WriteSubnetList writes a subnet as opensm-subnet.lst, in OpenSM's order and with its errors: in
// the second block of a line the vendor ID has eight digits and the device ID is in the upper half.
// Like OpenSM it leaves out LMCs and ports without a cable. The port at Origin is marked as the
// manager's.
func WriteSubnetList(to io.Writer, s *subnet.Subnet) error {
	if err := writable(s); err != nil {
		return err
	}
	w := newWriting(to)
	for _, node := range opensmOrder(s, func(*subnet.Node) bool { return true }) {
		for j := 1; j < len(s.Nodes[node].Ports); j++ {
			e := subnet.End{Node: node, Port: uint16(j)}
			p := s.Port(e)
			if !p.Peer.Exists() {
				continue
			}
			writeLSTEnd(w, s, e, "VenID:%06X DevID:%04X", 0)
			writeLSTEnd(w, s, p.Peer, "VenID:%08X DevID:%04X", 16)
			width := "??"
			if p.Link.Width != 0 {
				width = p.Link.Width.String()
			}
			w.f("PHY=%s LOG=%s SPD=%s\n", width, lstState(p.State), lstSpeed(p.Link.Speed))
		}
	}
	return w.end()
}

func writeLSTEnd(w writing, s *subnet.Subnet, e subnet.End, ids string, shift uint) {
	n := &s.Nodes[e.Node]
	kind := shortKinds[n.Kind]
	if n.Kind == subnet.Router {
		kind = "Rt"
	}
	if s.Origin.Exists() && s.Origin.Node == e.Node && (n.Kind == subnet.Switch || s.Origin.Port == e.Port) {
		kind += "-SM"
	}
	w.f("{ %s Ports:%02X SystemGUID:%s NodeGUID:%s PortGUID:%s ", kind, n.NumPorts(), n.SystemGUID.Digits(), n.GUID.Digits(), guidAt(s, e).Digits())
	w.f(ids, n.VendorID, uint32(n.DeviceID)<<shift)
	w.f(" Rev:%08X {%s} LID:%04X PN:%02X } ", n.Revision, n.Name, uint16(lidAt(s, e)), e.Port)
}

func lstState(state subnet.State) string {
	switch state {
	case subnet.Init:
		return "INI"
	case subnet.Armed:
		return "ARM"
	}
	return "ACT"
}

func lstSpeed(speed subnet.Speed) string {
	for text, s := range lstSpeeds {
		if s == speed {
			return text
		}
	}
	return "??"
}
