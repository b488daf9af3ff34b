package validate

import (
	"cmp"
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/reduction"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/units"
)

// The aggregation unit of these cases.
const sharpUnit = 170 * ns

// sharpCases compare reductions in the switches with the sum of their parts, and with measurements
// of SHARP.
func sharpCases() []*Case {
	return []*Case{
		{
			ID:    "sharp/packet",
			Claim: "A reduction of one packet takes the time of its way up and down the tree, to the picosecond.",
			Reference: "With l levels of switches, 2l·50.5 ns + (2l-1)·130 ns + l·170 ns (aggregation units) + (4096 payload + LRH 8 + BTH 12 + RETH 16 + immediate 4 + ICRC 4 + VCRC 2) · 20 ps + 300 ns. " +
				"Switches cut through, so the packet is serialised once.",
			Setting: "NDR. All NICs of a star of 32, of a fat tree of three levels with 16, of a torus of 4 × 4 switches, whose furthest is 4 cables from the root, and of a dragonfly of groups of 4, whose furthest is 3, contribute at once.",
			Run:     sharpPacket,
		},
		{
			ID:    "sharp/shards",
			Claim: "Through the tree, a NIC's sending bounds a reduce-scatter and its receiving an all-gather, at the rate of the wire.",
			Reference: "Of n NICs with shards of B bytes each sends n·B in a reduce-scatter and receives n·B in an all-gather: n shards of B/4096 packets, each with LRH 8, BTH 12, ICRC 4 and VCRC 2, and a shard with RETH 16 and immediate 4 besides, " +
				"at 20 ps a byte; and once the way of a first packet, as in sharp/packet without its bytes.",
			Setting: "NDR, 1 MiB shards. A star of 32, a fat tree of three levels with 16 hosts, a torus of 4 × 4 switches. On two planes half of each shard goes through each.",
			Run:     sharpShards,
		},
		{
			ID:    "sharp/streaming",
			Claim: "Streaming aggregation reaches nearly the rate of the wire.",
			Reference: "About 95 % of the network's bandwidth was measured with MPI_Allreduce on HDR (Graham et al., ISC 2020, doi 10.1007/978-3-030-50743-5_3, abstract; " +
				"the programme of the conference says 96 % of point to point).",
			Setting: "HDR, a fat tree of three levels with 16 hosts, 16 MiB from each; the time of MPI and the hosts is not in weft's figure.",
			Run:     sharpStreaming,
		},
	}
}

// sharpShape is a fabric, with the number of switch levels of its tree: one more than cables from
// the root to the furthest switch.
type sharpShape struct {
	name   string
	spec   topology.Spec
	levels float64
	planes int
}

var (
	sharpStar      = sharpShape{"star of 32", topology.SingleSwitch{Endpoints: 32, Radix: 32}, 1, 1}
	sharpFatTree   = sharpShape{"three levels", topology.KAry{K: 4}, 3, 1}
	sharpTorus     = sharpShape{"torus 4 × 4", topology.Torus{Dims: []int{4, 4}, SwitchEndpoints: 1}, 5, 1}
	sharpDragonfly = sharpShape{"dragonfly", topology.Dragonfly{P: 2, A: 4, H: 2}, 4, 1}
	sharpPlanes    = sharpShape{"two planes", topology.MultiPlane{Fabric: topology.KAry{K: 4}}, 3, 2}
)

// way is the time of a packet up and down the tree, without its bytes.
func (s *sharpShape) way() float64 {
	return 2*s.levels*signal10m + (2*s.levels-1)*130_000 + s.levels*170_000 + 300_000
}

func sharpPacket(e *Env) ([]Row, error) {
	var rows []Row
	for _, c := range []sharpShape{sharpStar, sharpFatTree, sharpTorus, sharpDragonfly} {
		got, err := reductionTime(e, "ndr", c.spec, 1, mtu)
		if err != nil {
			return nil, err
		}
		rows = append(rows, one(c.name, Nanoseconds, c.way()+(4096+46)*20, float64(got), exact, ""))
	}
	return rows, nil
}

func sharpShards(e *Env) ([]Row, error) {
	const shard = 1 << 20
	var rows []Row
	for _, c := range []sharpShape{sharpStar, sharpFatTree, sharpTorus, sharpPlanes} {
		for _, kind := range []struct {
			name string
			kind reduction.Kind
		}{{"reduce-scatter", reduction.One}, {"all-gather", reduction.Copy}} {
			got, n, err := shards(e, &c, kind.kind, shard)
			if err != nil {
				return nil, err
			}
			part := float64(shard / c.planes)
			want := c.way() + float64(n)*(part+part/4096*26+20)*20
			rows = append(rows, one(c.name+", "+kind.name, Nanoseconds, want, float64(got), within(0.01), ""))
		}
	}
	return rows, nil
}

// shards is the time until every NIC has its result of a reduce-scatter or an
// all-gather of shards of some bytes, and the number of NICs.
func shards(e *Env, c *sharpShape, kind reduction.Kind, bytes uint32) (last units.Time, hosts int, err error) {
	m, err := infiniband("ndr")
	if err != nil {
		return 0, 0, err
	}
	results := 0
	n, hosts, err := m.reducing(e, c.spec, &app{complete: func(p *fabric.Partition, _ int32, w *transport.Completion) {
		if w.Recv {
			last = max(last, p.Now())
			results++
		}
	}})
	if err != nil {
		return 0, 0, err
	}
	for plane := range c.planes {
		ends, err := joined(n, plane, kind, hosts)
		if err != nil {
			return 0, 0, err
		}
		for nic, qp := range ends {
			for owner := range hosts {
				wr := transport.WorkRequest{Op: transport.OpWriteImm, Length: bytes / uint32(c.planes), RemoteVA: uint64(owner)}
				if kind == reduction.Copy && owner != nic {
					continue
				}
				if err := n.Partition(int32(nic)).Post(int32(nic), qp, wr); err != nil {
					return 0, 0, err
				}
			}
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, 0, err
	}
	want := hosts * c.planes
	if kind == reduction.Copy {
		want *= hosts
	}
	if results != want {
		return 0, 0, fmt.Errorf("%d results of %d arrived", results, want)
	}
	return last, hosts, nil
}

// joined makes a stream on a tree with all NICs and gives the queue pairs that send.
func joined(n *network.Network, tree int, kind reduction.Kind, hosts int) (ends []units.QPN, err error) {
	stream := n.Stream(tree, kind)
	for nic := range int32(hosts) {
		qp, _, err := n.Join(stream, nic, fabric.Connection{Port: int32(tree)})
		if err != nil {
			return nil, err
		}
		ends = append(ends, qp)
	}
	return ends, nil
}

func sharpStreaming(e *Env) ([]Row, error) {
	const messages, size = 256, 64 << 10
	took, err := reductionTime(e, "hdr", topology.KAry{K: 4}, messages, size)
	if err != nil {
		return nil, err
	}
	rate := messages * size * 8 / took.Seconds() / 200e9
	return []Row{one("of 200 Gb/s", Percent, 0.95, rate, shown, "")}, nil
}

// reductionTime is the time until every NIC of a fabric has the results of a number of messages to
// which all contribute from the start.
func reductionTime(e *Env, generation string, spec topology.Spec, messages int, size uint32) (units.Time, error) {
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
	ends, err := joined(n, 0, reduction.All, hosts)
	if err != nil {
		return 0, err
	}
	for i, qp := range ends {
		nic := int32(i)
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

// reducing is a fabric with a tree over all of its NICs in each plane.
func (t *testbed) reducing(e *Env, spec topology.Spec, a fabric.App) (n *network.Network, hosts int, err error) {
	t.IB.SHARP, t.IB.SHARPLatency = true, sharpUnit
	t.prepare = func(p *network.Plan) {
		nics := make([]int32, p.Graph.Endpoints)
		for i := range nics {
			nics[i] = int32(i)
		}
		err = p.Aggregation.Allocate(nics, 1, nics).Reason
		hosts = len(nics)
	}
	n, failed := t.build(e, spec, a)
	return n, hosts, cmp.Or(err, failed)
}
