package ibsim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// nodeID is a node's name in ibsim's files: its ID, or its kind and GUID.
func nodeID(n *subnet.Node) string {
	if n.ID != "" {
		return n.ID
	}
	return guidID(n)
}

// guidID is the identifier made of a node's kind and GUID.
func guidID(n *subnet.Node) string {
	return map[subnet.Kind]string{subnet.Adapter: "H-", subnet.Switch: "S-", subnet.Router: "R-"}[n.Kind] + n.GUID.Digits()
}

var kindNames = map[subnet.Kind]string{subnet.Adapter: "Ca", subnet.Switch: "Switch", subnet.Router: "Router"}

var stateNames = map[mad.PortState]string{mad.PortDown: "Down", mad.PortInit: "Init", mad.PortArmed: "Armed", mad.PortActive: "Active"}

// dump lists all nodes, or the named node.
func (c *Console) dump(_ context.Context, rest string) error {
	only := int32(-1)
	if rest != "" {
		node, port, more, err := c.place(rest)
		if err != nil {
			return err
		}
		if port >= 0 || more != "" {
			return fmt.Errorf(`want Dump or Dump "NODE"`)
		}
		only = node
	}
	var b strings.Builder
	nodes := 0
	c.server.Do(func(f *sma.Fabric) {
		for i := range f.Subnet().Nodes {
			if only < 0 || only == int32(i) {
				nodes++
				dumpNode(&b, f, int32(i))
			}
		}
	})
	fmt.Fprintf(c.out, "%s#  dumped %d nodes\n", b.String(), nodes)
	return nil
}

func dumpNode(b *strings.Builder, f *sma.Fabric, i int32) {
	n := &f.Subnet().Nodes[i]
	fmt.Fprintf(b, "\n%s %d %q\tnodeguid %x\tsysimgguid %x\n", kindNames[n.Kind], n.NumPorts(), nodeID(n), uint64(n.GUID), uint64(n.SystemGUID))
	for p := firstPort(n); p < len(n.Ports); p++ {
		at := subnet.End{Node: i, Port: uint16(p)}
		info := f.Info(at)
		fmt.Fprintf(b, "%x\t[%d]\t", uint64(f.NodeInfo(at).PortGUID), p)
		if peer := n.Ports[p].Peer; p > 0 && peer.Exists() && info.State != mad.PortDown {
			fmt.Fprintf(b, "%q[%d]", nodeID(&f.Subnet().Nodes[peer.Node]), peer.Port)
		} else if p == 0 {
			b.WriteString(`"Sma Port"[0]`)
		}
		if n.Kind != subnet.Switch || p == 0 {
			fmt.Fprintf(b, "\t lid %d lmc %d smlid %d", f.LID(at), info.LMC, info.MasterSMLID)
		}
		if link := n.Ports[p].Link; p > 0 && link.Rate() > 0 {
			fmt.Fprintf(b, " %v", link)
		}
		fmt.Fprintf(b, " %s\n", stateNames[info.State])
	}
}

// route prints the path between two LIDs.
func (c *Console) route(_ context.Context, rest string) error {
	fields := strings.Fields(rest)
	if len(fields) != 2 {
		return fmt.Errorf("want Route FROM-LID TO-LID")
	}
	var lids [2]units.LID
	for i, text := range fields {
		n, err := strconv.ParseUint(text, 0, 16)
		if err != nil || n == 0 || units.LID(n) > units.LastUnicastLID {
			return fmt.Errorf("%q is no LID: want 1 to %d", text, units.LastUnicastLID)
		}
		lids[i] = units.LID(n)
	}
	var err error
	var b strings.Builder
	c.server.Do(func(f *sma.Fabric) { err = describeRoute(&b, f, lids[0], lids[1]) })
	fmt.Fprint(c.out, b.String())
	return err
}

func describeRoute(b *strings.Builder, f *sma.Fabric, source, to units.LID) error {
	from, known := portWith(f, source)
	if !known {
		return fmt.Errorf("no port has LID %d", source)
	}
	s := f.Subnet()
	name := func(at subnet.End) string { return fmt.Sprintf("%q port %d", nodeID(&s.Nodes[at.Node]), at.Port) }
	out, end, ok := f.Trace(from, to)
	fmt.Fprintf(b, "From node %s lid %d\n", name(from), source)
	for _, at := range out {
		peer := s.Peer(at)
		fmt.Fprintf(b, "[%d] -> %q[%d]\n", at.Port, nodeID(&s.Nodes[peer.Node]), peer.Port)
	}
	if slices.ContainsFunc(out, func(at subnet.End) bool { return at.Node == end.Node && !ok }) {
		return fmt.Errorf("LID %d is not reached: the tables send it to node %s again", to, name(end))
	}
	if !ok {
		return fmt.Errorf("LID %d is not reached: node %s drops packets to it", to, name(end))
	}
	fmt.Fprintf(b, "To node %s lid %d\n", name(end), to)
	return nil
}

// portWith is the port that has a LID.
func portWith(f *sma.Fabric, lid units.LID) (subnet.End, bool) {
	for i := range f.Subnet().Nodes {
		n := &f.Subnet().Nodes[i]
		for p := firstPort(n); p < len(n.Ports); p++ {
			at := subnet.End{Node: int32(i), Port: uint16(p)}
			info := f.Info(at)
			if info.LID != 0 && lid >= info.LID && int(lid) < int(info.LID)+1<<info.LMC {
				return at, true
			}
			if n.Kind == subnet.Switch {
				break // the other ports have no LID
			}
		}
	}
	return subnet.None, false
}
