package sm_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// narrow enables 1x, SDR and the slowest extended speed alone, as ibportstate does.
func (w *world) narrow(at subnet.End) {
	w.t.Helper()
	info := w.fabric.Info(at)
	info.State, info.PhysState, info.LinkDownDefault = mad.PortNop, mad.PhysNop, 0
	info.LinkWidthEnabled, info.LinkSpeedEnabled, info.LinkSpeedExtOn = 1, 1, 1
	p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Set, mad.AttrPortInfo, uint32(at.Port), 1, nil)}
	mad.Append(p.MAD.SMPData()[:0], &info)
	if _, outcome := w.fabric.Carry(at, &p); outcome != sma.Answered || p.MAD.Status() != mad.OK {
		w.t.Fatalf("the port cannot be narrowed: outcome %d, status %#x", outcome, uint16(p.MAD.Status()))
	}
}

// Ports that enable less than they support get everything enabled, as OpenSM's defaults have it, so a
// link that trains again is as wide and fast as it can be. The site may choose other values, or 0 to
// leave the ports alone.
func TestLinksMayUseTheWidthsAndSpeedsOfTheSite(t *testing.T) {
	usual, none, slow := sm.DefaultSettings(), sm.DefaultSettings(), sm.DefaultSettings()
	none.LinkWidth, none.LinkSpeed, none.LinkSpeedExt = 0, 0, 0
	slow.LinkWidth, slow.LinkSpeed, slow.LinkSpeedExt = 2, 3, 2
	for name, c := range map[string]struct {
		settings sm.Settings
		want     [3]uint8 // enabled on the ports that were narrowed
		others   [3]uint8
		active   subnet.Link // after the link trains again
	}{
		"as OpenSM":   {usual, [3]uint8{3, 7, 7}, [3]uint8{3, 7, 7}, subnet.Link{Width: 4, Speed: subnet.HDR}},
		"left alone":  {none, [3]uint8{1, 1, 1}, [3]uint8{3, 7, 7}, subnet.Link{Width: 1, Speed: subnet.FDR}},
		"of the site": {slow, [3]uint8{2, 3, 2}, [3]uint8{2, 3, 2}, subnet.Link{Width: 4, Speed: subnet.EDR}},
	} {
		s := build(t, topology.TwoLevel{Endpoints: 16, Radix: 8})
		w := newWorld(t, s)
		one := betweenSwitches(s)[0]
		peer := s.Peer(one)
		w.narrow(one)
		w.narrow(peer)
		h := w.manager("A", 0, sm.Config{Settings: &c.settings})
		w.start(h)
		w.run(5 * units.Second)
		w.checkUp(h)
		for i := range s.Nodes {
			for p := 1; p < len(s.Nodes[i].Ports); p++ {
				at, want := subnet.End{Node: int32(i), Port: uint16(p)}, c.others
				if !s.Peer(at).Exists() {
					continue
				}
				if at == one || at == peer {
					want = c.want
				}
				info := w.fabric.Info(at)
				if got := [3]uint8{info.LinkWidthEnabled, info.LinkSpeedEnabled, info.LinkSpeedExtOn}; got != want {
					t.Errorf("%s: %s port %d enables %v, want %v", name, s.Nodes[i].Name, p, got, want)
				}
			}
		}
		w.change(func(f *sma.Fabric) { f.SetLink(one, false) })
		w.change(func(f *sma.Fabric) { f.SetLink(one, true) })
		w.run(20 * units.Second)
		got := subnet.Link{}
		for i := range h.m.Subnet().Nodes {
			if h.m.Subnet().Nodes[i].GUID == s.Nodes[one.Node].GUID {
				got = h.m.Subnet().Nodes[i].Ports[one.Port].Link
			}
		}
		if got != c.active {
			t.Errorf("%s: the link trains to %v, want %v", name, got, c.active)
		}
	}
}
