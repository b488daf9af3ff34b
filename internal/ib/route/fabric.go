package route

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// fabric is a subnet in the engines' form: switches by their dense number, the peer of each port,
// and the ports with LIDs.
type fabric struct {
	sub *subnet.Subnet
	tab *subnet.Tables

	sw []swtch // by dense number
	// base is the index of each switch's port 0 in an array of all ports of all switches;
	// base[len(sw)] is the length of that array.
	base []int
	// order is the dense numbers of the switches, ascending by node GUID read backwards, as in
	// OpenSM.
	order []int32
	// ends is the ports of adapters and routers that have a LID, ascending by port GUID read
	// backwards, as in OpenSM.
	ends []endport
	// slow is the weight of a path, by channel (an index as of base): 1, or see weighCables.
	slow  []int64
	mixed bool // they are not all 1
	// lmc is the highest LMC of any adapter's port.
	lmc uint8
}

// swtch is a switch.
type swtch struct {
	guid     units.GUID // NodeGUID
	system   units.GUID // SystemImageGUID
	portGUID units.GUID // of port 0
	lid      units.LID
	width    int    // number of LIDs: 1, or 2^LMC of enhanced port 0
	ports    []link // by port number; ports[0] leads nowhere
	hosts    int    // ports that lead to an adapter or a router
	adapters int    // ports that lead to an adapter
}

// link is the peer of a switch's port.
type link struct {
	sw   int32 // dense number of the switch there, -1: none
	end  int32 // index into fabric.ends of the adapter's port there, -1: none
	port uint8 // its port number on that node
}

// endport is an adapter's or a router's port with a LID.
type endport struct {
	at    subnet.End
	guid  units.GUID // of the port
	lid   units.LID  // the base LID
	width int        // number of LIDs: 2^LMC
	sw    int32      // the switch that it is cabled to, -1: none
	port  uint8      // the port of that switch
	// router: the port is a router's. ftree, sssp and dfsssp of OpenSM 3.3.23 count no routers, and
	// give them no routes (osm_ucast_ftree.c: fabric_populate_nodes; osm_ucast_dfsssp.c: "we don't
	// handle routers").
	router bool
}

// backwards is OpenSM's sort key for GUIDs: it compares their network byte order as if it were the
// processor's.
func backwards(g units.GUID) uint64 { return bits.ReverseBytes64(uint64(g)) }

// newFabric reads a subnet. It fails if a switch or a cabled adapter has no LID, or if two ports
// have the same LID.
func newFabric(s *subnet.Subnet) (*fabric, error) {
	f := &fabric{sub: s}
	if err := s.CheckPorts(); err != nil {
		return nil, err
	}
	if err := tooLarge(s); err != nil {
		return nil, err
	}
	dense := make([]int32, len(s.Nodes))
	endAt := map[subnet.End]int32{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		dense[i] = -1
		if n.Kind == subnet.Switch {
			dense[i] = int32(len(f.sw))
			p := &n.Ports[0]
			f.sw = append(f.sw, swtch{
				guid: n.GUID, system: n.SystemGUID, portGUID: p.GUID, lid: p.LID, width: 1 << p.LMC,
				ports: make([]link, len(n.Ports)),
			})
			if p.LID == 0 {
				return nil, fmt.Errorf("switch %v (%s) has no LID: LIDs are given out before routes are", n.GUID, n.Name)
			}
			continue
		}
		for j := 1; j < len(n.Ports); j++ {
			p := &n.Ports[j]
			if p.LID == 0 {
				continue
			}
			f.ends = append(f.ends, endport{at: subnet.End{Node: int32(i), Port: uint16(j)}, guid: p.GUID, lid: p.LID, width: 1 << p.LMC, sw: -1, router: n.Kind == subnet.Router})
			f.lmc = max(f.lmc, p.LMC)
		}
	}
	slices.SortStableFunc(f.ends, func(a, b endport) int { return cmp.Compare(backwards(a.guid), backwards(b.guid)) })
	for i := range f.ends {
		endAt[f.ends[i].at] = int32(i)
	}
	f.order = make([]int32, len(f.sw))
	for i := range f.order {
		f.order[i] = int32(i)
	}
	slices.SortStableFunc(f.order, func(a, b int32) int {
		return cmp.Compare(backwards(f.sw[a].guid), backwards(f.sw[b].guid))
	})
	f.base = make([]int, len(f.sw)+1)
	for i := range f.sw {
		f.base[i+1] = f.base[i] + len(f.sw[i].ports)
	}
	f.connect(dense, endAt)
	if err := f.checkLIDs(); err != nil {
		return nil, err
	}
	return f, nil
}

// The bounds of two kinds of engine tables: a byte by switch and port of any switch, and eight
// bytes by port and port of the next switch. The largest subnets, with 3,920 switches of 64 ports
// and 49,151 LIDs, have 1.0e9 and 1.7e7 entries. A short file of switches without cables can have
// more.
const (
	maxHops  = 1 << 33
	maxEdges = 1 << 29
)

// tooLarge is the error of a subnet whose tables need too much memory.
func tooLarge(s *subnet.Subnet) error {
	switches, ports, most := 0, 0, 0
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == subnet.Switch {
			switches, ports, most = switches+1, ports+len(n.Ports), max(most, len(n.Ports))
		}
	}
	if switches*ports > maxHops || ports*most > maxEdges {
		return fmt.Errorf("%d switches with %d ports in all, up to %d each, are too many for one subnet, so their tables are not computed; write the real number of ports of each switch", switches, ports-switches, most-1)
	}
	return nil
}

// connect fills in the peer of each port.
func (f *fabric) connect(dense []int32, endAt map[subnet.End]int32) {
	for i := range f.sub.Nodes {
		if dense[i] < 0 {
			continue
		}
		w := &f.sw[dense[i]]
		for p := range w.ports {
			w.ports[p] = link{sw: -1, end: -1}
			peer := f.sub.Nodes[i].Ports[p].Peer
			if p == 0 || !peer.Exists() {
				continue
			}
			l := link{sw: dense[peer.Node], end: -1, port: uint8(peer.Port)}
			if l.sw < 0 {
				w.hosts++
				if f.sub.Nodes[peer.Node].Kind == subnet.Adapter {
					w.adapters++
				}
				if e, ok := endAt[peer]; ok {
					l.end = e
					f.ends[e].sw, f.ends[e].port = dense[i], uint8(p)
				}
			}
			w.ports[p] = l
		}
	}
}

// checkLIDs refuses LIDs out of range and LIDs with two owners.
func (f *fabric) checkLIDs() error {
	owner := make([]units.GUID, int(units.LastUnicastLID)+1)
	claim := func(guid units.GUID, lid units.LID, width int) error {
		for l := int(lid); l < int(lid)+width; l++ {
			if l > int(units.LastUnicastLID) {
				return fmt.Errorf("port %v has LID %d: unicast LIDs of a subnet end at %d", guid, l, units.LastUnicastLID)
			}
			if owner[l] != 0 {
				return fmt.Errorf("LID %d belongs to %v and to %v: two ports have one LID only as an aggregated port, on planes that no cable between switches joins; give each port of one plane a LID of its own (--reassign)", l, owner[l], guid)
			}
			owner[l] = guid
		}
		return nil
	}
	for i := range f.sw {
		if err := claim(f.sw[i].guid, f.sw[i].lid, f.sw[i].width); err != nil {
			return err
		}
	}
	for i := range f.ends {
		if err := claim(f.ends[i].guid, f.ends[i].lid, f.ends[i].width); err != nil {
			return err
		}
	}
	return nil
}
