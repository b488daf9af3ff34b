package sm_test

import (
	"fmt"
	"testing"

	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

// ownKeys is partition keys that no two ports share, besides the default partition.
func ownKeys(e sm.EndPort) []mad.PKey {
	return []mad.PKey{mad.DefaultPKey, mad.PKey(0x8000 | (uint16(e.GUID>>8)*8+uint16(e.GUID&7))&0x7FFF)}
}

// ownLanes is service levels and weights that differ between the ports of a node.
func ownLanes(_ subnet.Kind, port uint8) sm.QoS {
	limit, table := port, mad.SLToVL{units.VL(port % 4), units.VL(port % 8)}
	return sm.QoS{
		HighLimit: &limit, SL2VL: &table,
		High: []mad.VLWeight{{VL: 1, Weight: port}}, Low: []mad.VLWeight{{VL: 0, Weight: port + 1}},
	}
}

// Each end port has a LID, keys, lanes and a route of its own: also the second port of an adapter,
// and ports of routers. After the subnet is up, each agent is read by the route that ends at its
// port.
func TestEachPortOfAnOddFabricHasItsOwnSettings(t *testing.T) {
	for seed := range uint64(120) {
		s := routetest.Odd(seed)
		lmc := uint8(seed % 3)
		w := newWorld(t, s)
		h := w.manager("A", int(s.Origin.Node), sm.Config{
			LMC: lmc, MKey: sm.MKey{Key: 0xabc, Level: uint8(seed % 4), Lease: 10}, Partitions: ownKeys, QoS: ownLanes,
		})
		w.start(h)
		w.run(5 * units.Second)
		checkOdd(t, w, h, lmc)
		w.run(40 * units.Second) // two leases
		checkOdd(t, w, h, lmc)
		for _, e := range h.events {
			if e.Kind != sm.Entered && e.Kind != sm.SubnetUp {
				t.Errorf("%v", e)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %v", seed, h.events)
		}
	}
}

func checkOdd(t *testing.T, w *world, h *host, lmc uint8) {
	t.Helper()
	if !h.has(sm.SubnetUp) {
		t.Error("the subnet is not up")
	}
	lids := map[units.LID]string{}
	for i := range w.subnet.Nodes {
		n := &w.subnet.Nodes[i]
		for p := range n.Ports {
			at, name := subnet.End{Node: int32(i), Port: uint16(p)}, fmt.Sprintf("%s port %d", n.Name, p)
			cabled := n.Ports[p].Peer.Exists()
			switch {
			case !cabled && (p > 0 || n.Kind != subnet.Switch):
				continue
			case cabled && w.fabric.Info(at).State != mad.PortActive:
				t.Errorf("%s is %v", name, w.fabric.Info(at).State)
			}
			if p > 0 && n.Kind == subnet.Switch {
				checkEnforced(t, w, at, name)
				continue
			}
			info := w.fabric.Info(at)
			wide := lmc
			if n.Kind == subnet.Switch {
				wide = 0
			}
			if info.LID == 0 || info.LMC != wide || info.MKey != 0xabc || info.MasterSMLID != w.fabric.LID(h.at) {
				t.Errorf("%s has LID %d, LMC %d, M_Key %#x and the manager at LID %d", name, info.LID, info.LMC, info.MKey, info.MasterSMLID)
			}
			if other, twice := lids[info.LID]; twice {
				t.Errorf("%s has the LID %d of %s", name, info.LID, other)
			}
			lids[info.LID] = name
			want := mad.PKeyTable{}
			copy(want[:], ownKeys(sm.EndPort{GUID: n.Ports[p].GUID}))
			if got := w.fabric.PKeys(at); got != want {
				t.Errorf("%s has keys %#x, want %#x", name, got[:3], want[:3])
			}
			if n.Kind != subnet.Switch {
				checkLanes(t, w, at, name)
			}
		}
	}
}

// checkEnforced checks the keys of a switch port to an adapter or a router.
func checkEnforced(t *testing.T, w *world, at subnet.End, name string) {
	t.Helper()
	peer := w.subnet.Peer(at)
	if w.subnet.Nodes[peer.Node].Kind == subnet.Switch {
		return
	}
	info := w.fabric.Info(at)
	if got, want := w.fabric.PKeys(at), w.fabric.PKeys(peer); got != want || !info.PartitionIn || !info.PartitionOut {
		t.Errorf("%s has keys %#x, its peer %#x; it checks %v incoming and %v outgoing packets", name, got[:3], want[:3], info.PartitionIn, info.PartitionOut)
	}
}

// checkLanes reads the lanes of an adapter's port at the port itself.
func checkLanes(t *testing.T, w *world, at subnet.End, name string) {
	t.Helper()
	read := func(attr mad.Attribute, modifier uint32, into mad.Structure) {
		p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, attr, modifier, 1, nil)}
		p.MAD.SetMKey(0xabc)
		w.fabric.Carry(at, &p)
		_ = mad.Parse(p.MAD.SMPData(), into)
	}
	want := ownLanes(subnet.Adapter, uint8(at.Port))
	var levels mad.SLToVL
	var low, high mad.VLArb
	read(mad.AttrSLToVL, 0, &levels)
	read(mad.AttrVLArb, 1<<16, &low)
	read(mad.AttrVLArb, 3<<16, &high)
	if levels != *want.SL2VL || low[0] != want.Low[0] || high[0] != want.High[0] || w.fabric.Info(at).VLHighLimit != *want.HighLimit {
		t.Errorf("%s has lanes %v, weights %v and %v, limit %d", name, levels, low[0], high[0], w.fabric.Info(at).VLHighLimit)
	}
}
