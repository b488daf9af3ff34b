package fabric_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// TestPacketsThatKeepTheirOrderTakeOnePath sends from two NICs of a leaf to one of another, over eight spines whose
// switches choose packet by packet: WRITEs that may come in any order, and WRITEs with immediate data, which may not.
func TestPacketsThatKeepTheirOrderTakeOnePath(t *testing.T) {
	g, err := topology.TwoLevel{Endpoints: 16, NodeNICs: 1, Radix: 16, LeafEndpoints: 8, Spines: 8, Oversubscription: topology.Ratio{Down: 1, Up: 1}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind    string
		routing fabric.Routing
	}{{"infiniband", fabric.Adaptive}, {"roce", fabric.Adaptive}, {"roce", fabric.Spray}} {
		for _, ordered := range []bool{false, true} {
			v := variant{"", c.kind, c.routing, func(nic *fabric.NIC, _ *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
				own := *nic.Transport
				own.Delivery = transport.WriteOnly
				nic.Transport = &own
			}}
			f := &flows{done: []units.Time{units.Forever, units.Forever}}
			n, err := v.build(g, nil, f)
			if err != nil {
				t.Fatal(err)
			}
			for nic := range int32(2) {
				qp, _, err := n.Connect(nic, 15, fabric.Connection{Entropy: 7}, fabric.Connection{Entropy: 8})
				if err != nil {
					t.Fatal(err)
				}
				if err := n.Partition(nic).Post(nic, qp, transport.WorkRequest{ID: uint64(nic), Op: transport.OpWriteImm, Length: 256 * 4096, Ordered: ordered}); err != nil {
					t.Fatal(err)
				}
			}
			if err := n.Run(units.Second, 1, nil); err != nil {
				t.Fatal(err)
			}
			used := 0
			for link := range int32(n.Links()) {
				if from, to := n.LinkEnds(link); from == 16 && to >= 18 && n.LinkBytes(link) > 0 { // the first leaf's links to spines
					used++
				}
			}
			if f.unfinished() > 0 || ordered != (used == 1) {
				t.Errorf("%s, routing %d, ordered %v: %d uplinks are used, and %d messages are missing", c.kind, c.routing, ordered, used, f.unfinished())
			}
		}
	}
}
