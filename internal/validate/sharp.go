package validate

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/internal/transport"
	"weft/units"
)

// The aggregation unit of these cases.
const sharpUnit = 170 * ns

// sharpCases hold reductions in the switches against the sum of their parts, and beside
// what was measured of SHARP.
func sharpCases() []*Case {
	return []*Case{
		{
			ID:    "sharp/packet",
			Claim: "A reduction of one packet takes what its way up and down the tree takes, to the picosecond.",
			Reference: "With l levels of switches, 2l·50.5 ns + (2l-1)·130 ns + l·170 ns (aggregation units) + (4096 payload + LRH 8 + BTH 12 + RETH 16 + immediate 4 + ICRC 4 + VCRC 2) · 20 ps + 300 ns. " +
				"Switches cut through, so the packet is serialised once.",
			Setting: "NDR. All NICs of a star of 32, and of a fat tree of three levels with 16, contribute at once.",
			Run:     sharpPacket,
		},
		{
			ID:    "sharp/streaming",
			Claim: "Streaming aggregation reaches nearly the rate of the wire.",
			Reference: "About 95 % of the network's bandwidth was measured with MPI_Allreduce on HDR (Graham et al., ISC 2020, doi 10.1007/978-3-030-50743-5_3, abstract; " +
				"the programme of the conference says 96 % of point to point).",
			Setting: "HDR, a fat tree of three levels with 16 hosts, 16 MiB from each; what MPI and the hosts take is not in weft's figure.",
			Run:     sharpStreaming,
		},
	}
}

func sharpPacket(e *Env) ([]Row, error) {
	var rows []Row
	for _, c := range []struct {
		name   string
		spec   topology.Spec
		levels float64
	}{
		{"star of 32", topology.SingleSwitch{Endpoints: 32, Radix: 32}, 1},
		{"three levels", topology.KAry{K: 4}, 3},
	} {
		got, err := reduction(e, "ndr", c.spec, 1, mtu)
		if err != nil {
			return nil, err
		}
		want := 2*c.levels*signal10m + (2*c.levels-1)*130_000 + c.levels*170_000 + (4096+46)*20 + 300_000
		rows = append(rows, one(c.name, Nanoseconds, want, float64(got), exact, ""))
	}
	return rows, nil
}

func sharpStreaming(e *Env) ([]Row, error) {
	const messages, size = 256, 64 << 10
	took, err := reduction(e, "hdr", topology.KAry{K: 4}, messages, size)
	if err != nil {
		return nil, err
	}
	rate := messages * size * 8 / took.Seconds() / 200e9
	return []Row{one("of 200 Gb/s", Percent, 0.95, rate, shown, "")}, nil
}

// reduction is the time until every NIC of a fabric has the results of so many
// messages to which all contribute from the start.
func reduction(e *Env, generation string, spec topology.Spec, messages int, size uint32) (units.Time, error) {
	m, err := infiniband(generation)
	if err != nil {
		return 0, err
	}
	last, results := units.Time(0), 0
	n, hosts, err := m.reducing(e, spec, &app{complete: func(p *fabric.Partition, _ int32, c *transport.Completion) {
		if c.Recv {
			last = max(last, p.Now())
			results++
		}
	}})
	if err != nil {
		return 0, err
	}
	stream := n.Stream(0, fabric.StreamAll)
	for nic := range int32(hosts) {
		qp, _, err := n.Join(stream, nic, fabric.Connection{})
		if err != nil {
			return 0, err
		}
		for range messages {
			if err := n.Partition(nic).Post(nic, qp, transport.WorkRequest{Op: transport.OpWriteImm, Length: size}); err != nil {
				return 0, err
			}
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, err
	}
	if results != hosts*messages {
		return 0, fmt.Errorf("%d results of %d arrived", results, hosts*messages)
	}
	return last, nil
}

// reducing is a fabric with one tree over all of its NICs.
func (m *Models) reducing(e *Env, spec topology.Spec, a fabric.App) (n *fabric.Network, hosts int, err error) {
	g, err := spec.Build()
	if err != nil {
		return nil, 0, err
	}
	members := make([]topology.End, g.Endpoints)
	for i := range members {
		members[i].Node = topology.NodeID(i)
	}
	tree, err := routing.ReductionTree(g, members, 0, nil)
	if err != nil {
		return nil, 0, err
	}
	b := m.builder(e, a)
	if b.Tables, err = routing.Build(g); err != nil {
		return nil, 0, err
	}
	b.Aggregation = &fabric.Aggregation{Latency: sharpUnit, Trees: make([]fabric.AggregationTree, 1)}
	for _, s := range tree {
		b.Aggregation.Trees[0] = append(b.Aggregation.Trees[0], fabric.TreeSwitch{Switch: int32(s.Switch), Parent: s.Parent, Children: s.Children})
	}
	for i := range g.Nodes {
		if nd := &g.Nodes[i]; i < g.Endpoints {
			b.NIC(nd.Name, len(nd.Cables), &m.NIC)
		} else {
			m.addSwitch(b, nd.Name, len(nd.Cables), i-g.Endpoints)
		}
	}
	for _, c := range g.Cables {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, m.PerByte, m.Propagation)
	}
	n, err = b.Build(nil)
	return n, g.Endpoints, err
}
