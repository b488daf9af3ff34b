package traffic

import (
	"context"
	"fmt"

	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/sim"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/wire"
)

// traffic is the traffic of a simulation over the links of an InfiniBand fabric, for the counters
// of its ports.
type traffic struct {
	net  *fabric.Network
	over int64 // bytes of a packet on the wire that port counters do not count
	at   map[subnet.End]*sma.Traffic
}

// OfPorts runs all sizes of a scenario on its first InfiniBand fabric, one after the other,
// and counts what each port of s, its subnet, sends and receives. A port without traffic has
// no entry.
func OfPorts(ctx context.Context, r *scenario.Resolved, s *subnet.Subnet) (map[subnet.End]*sma.Traffic, error) {
	one := *r
	for i := range r.Fabrics {
		if protocol.Of(r.Fabrics[i].Kind).SubnetManager {
			one.Fabrics = r.Fabrics[i : i+1]
			break
		}
	}
	t := &traffic{over: wire.VCRCBytes + int64(scenario.Framing(&one.Fabrics[0]).Delimiters), at: map[subnet.End]*sma.Traffic{}}
	results, err := sim.Observe(ctx, &one, func(n *fabric.Network) {
		t.net = n
		n.Follow(t)
	})
	if err != nil {
		return nil, fmt.Errorf("the traffic cannot be simulated: %w", err)
	}
	if results.Partial {
		return nil, context.Cause(ctx)
	}
	for at := range t.at {
		if int(at.Node) >= len(s.Nodes) || int(at.Port) >= len(s.Nodes[at.Node].Ports) {
			delete(t.at, at) // GPUs and their switches are not InfiniBand
		}
	}
	return t.at, nil
}

// end is the subnet's port for a node of the network.
func (t *traffic) end(link, node int32) *sma.Traffic {
	at := subnet.End{Node: node, Port: uint16(t.net.LinkPort(link) + 1)}
	if t.at[at] == nil {
		t.at[at] = &sma.Traffic{}
	}
	return t.at[at]
}

// Sent counts a packet at its sending port.
func (t *traffic) Sent(s *fabric.Sighting) {
	if t.net.ScaleOut(s.Link) {
		c := t.end(s.Link, s.From)
		c.XmitPkts++
		c.XmitWords += (uint64(s.Bytes) - uint64(t.over)) / 4
	}
}

// Landed counts a packet at its receiving port.
func (t *traffic) Landed(s *fabric.Sighting) {
	if t.net.ScaleOut(s.Link) {
		c := t.end(t.net.Back(s.Link), s.To)
		c.RcvPkts++
		c.RcvWords += (uint64(s.Bytes) - uint64(t.over)) / 4
	}
}
