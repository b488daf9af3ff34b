package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/internal/ib/ibsim"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

// twins are a program at one node of one fabric, as weft ibsim serves it and as ibsim does.
type twins struct {
	t          *testing.T
	ours, real reader
}

// ask sends one request to both, and returns the statuses of the answers; 0xFFFF without an answer.
func (w *twins) ask(path []uint8, method mad.Method, attr mad.Attribute, modifier uint32, data []byte) [2]mad.Status {
	w.t.Helper()
	var got [2]mad.Status
	for i, r := range []*reader{&w.ours, &w.real} {
		r.tid++
		m := mad.NewDirected(method, attr, modifier, r.tid, path)
		copy(m.SMPData(), data)
		if err := r.c.Send(&ibsim.Datagram{DLID: units.PermissiveLID, SLID: units.PermissiveLID, MAD: m}); err != nil {
			w.t.Fatal(err)
		}
		_ = r.c.SetReceiveDeadline(time.Now().Add(10 * time.Second))
		d, err := r.c.Receive()
		switch {
		case err != nil:
			w.t.Fatal(err)
		case d.TimedOut:
			got[i] = 0xFFFF
		default:
			got[i] = d.MAD.Status()
		}
	}
	return got
}

// What ibsim refuses, weft ibsim refuses: a manager that works on the twin works on the original.
// Each agent of an odd fabric is asked for, and given, attributes of its own port and of others.
func TestWeftIbsimRefusesWhatIbsimRefuses(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { refusedAlike(t, routetest.Odd(seed)) })
	}
}

func refusedAlike(t *testing.T, s *subnet.Subnet) {
	t.Helper()
	dir := t.TempDir()
	net, _ := netOf(t, dir, s)
	host := "H-" + s.Nodes[s.Origin.Node].GUID.Digits()
	socket := ibsimtest.SocketName()
	out := running(t, dir, "ibsim", net, "--socket", socket)
	ibsimtest.WaitFor(t, "weft ibsim", func() bool { return strings.Contains(out.String(), "ready") })
	w := twins{t: t}
	for r, name := range map[*reader]string{&w.ours: socket, &w.real: realIbsim(t, net)} {
		c, err := ibsim.Dial(name, host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		*r = reader{t: t, c: c}
	}
	refused := 0
	paths := pathsFrom(s, s.Origin.Node)
	for n := range s.Nodes {
		for p := range s.Nodes[n].Ports {
			if path, has := paths[subnet.End{Node: int32(n), Port: uint16(p)}]; has {
				refused += w.askAll(&s.Nodes[n], uint8(p), path)
			}
		}
	}
	if refused < 50 {
		t.Errorf("ibsim refuses %d requests: the comparison covers too little", refused)
	}
}

// askAll asks the agent of one port, and returns the number of requests that ibsim refused.
func (w *twins) askAll(n *subnet.Node, p uint8, path []uint8) (refused int) {
	w.t.Helper()
	check := func(method mad.Method, attr mad.Attribute, modifier uint32, data []byte) {
		w.t.Helper()
		got := w.ask(path, method, attr, modifier, data)
		if got[1] != mad.OK {
			refused++
		}
		if got[0] == mad.OK && got[1] != mad.OK {
			w.t.Errorf("%s port %d: method %#x, attribute %#x, modifier %#x: status %#x, ibsim's is %#x", n.Name, p, method, uint16(attr), modifier, uint16(got[0]), uint16(got[1]))
		}
	}
	for other := range uint32(len(n.Ports)) + 2 {
		check(mad.Get, mad.AttrPortInfo, other, nil)
		data := make([]byte, mad.SMPDataBytes)
		mad.Append(data[:0], &mad.PortInfo{LID: units.LID(10*other + uint32(p)), VLCap: 4, OperationalVLs: 1, NeighborMTU: 4})
		if n.Kind == subnet.Switch && other > 0 {
			data = data[:0]
		}
		if len(data) > 0 || int(other) >= len(n.Ports) {
			check(mad.Set, mad.AttrPortInfo, other, data)
		}
		for block := range uint32(6) {
			check(mad.Get, mad.AttrVLArb, block<<16|other, nil)
		}
		for block := range uint32(4) {
			if n.Kind == subnet.Switch && other == 0 && block > 0 {
				continue // ibsim's switches have 8 P_Keys at port 0, weft's have 64
			}
			check(mad.Get, mad.AttrPKeyTable, other<<16|block, nil)
		}
		check(mad.Get, mad.AttrSLToVL, other<<8|other, nil)
		check(mad.Set, mad.AttrSLToVL, other<<8|1, nil)
	}
	for _, state := range []mad.PortState{mad.PortActive, mad.PortArmed, mad.PortActive} {
		data := make([]byte, mad.SMPDataBytes)
		mad.Append(data[:0], &mad.PortInfo{LID: units.LID(1000 + uint32(p)), VLCap: 4, OperationalVLs: 1, NeighborMTU: 4, State: state})
		at := slices.IndexFunc(n.Ports, func(q subnet.Port) bool { return q.Peer.Exists() })
		if n.Kind != subnet.Switch {
			at = int(p)
		}
		check(mad.Set, mad.AttrPortInfo, uint32(at), data)
	}
	check(mad.Get, mad.AttrSwitchInfo, 0, nil)
	check(mad.Get, mad.AttrLinearFDB, 767, nil)
	check(mad.Get, mad.AttrLinearFDB, 768, nil)
	return refused
}
