package ibsim

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/format"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

var ndr = subnet.Link{Width: 4, Speed: subnet.NDR}

// chain is a line of switches with an adapter at each.
func chain(switches int) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	for i := range switches {
		guid := units.GUID(0x1000 * (i + 1))
		sw := s.Add(subnet.Node{Kind: subnet.Switch, GUID: guid, Name: fmt.Sprintf("switch %d", i)}, 3)
		ca := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: guid + 1, Name: fmt.Sprintf("host %d", i)}, 1)
		s.Nodes[sw].Ports[0].GUID = guid
		s.Nodes[ca].Ports[1].GUID = guid + 2
		s.Connect(subnet.End{Node: sw, Port: 1}, subnet.End{Node: ca, Port: 1}, ndr)
		if i > 0 {
			s.Connect(subnet.End{Node: sw - 2, Port: 3}, subnet.End{Node: sw, Port: 2}, ndr)
		}
	}
	return s
}

// checkUp fails the test unless all cabled ports are active and a datagram of subnet
// administration gets from the first adapters to all others.
func (b *bench) checkUp() {
	b.t.Helper()
	b.server.Do(func(f *sma.Fabric) {
		var adapters []subnet.End
		for i := range b.subnet.Nodes {
			n := &b.subnet.Nodes[i]
			for p := 1; p < len(n.Ports); p++ {
				at := subnet.End{Node: int32(i), Port: uint16(p)}
				if !n.Ports[p].Peer.Exists() {
					continue
				}
				if state := f.Info(at).State; state != mad.PortActive {
					b.t.Errorf("%s port %d is %v", n.Name, p, state)
				}
				if n.Kind == subnet.Adapter {
					adapters = append(adapters, at)
				}
			}
		}
		for _, from := range adapters[:min(len(adapters), 32)] {
			for _, to := range adapters {
				p := sma.Packet{DLID: f.LID(to), MAD: mad.New(mad.SubnAdm, mad.Get, mad.AttrPathRecord, 0, 1)}
				if at, outcome := f.Carry(from, &p); outcome != sma.Arrived || at != to {
					b.t.Fatalf("from %v to %v (LID %d) it arrived at %v, %v", from, to, p.DLID, at, outcome)
				}
			}
		}
	})
}

// complaints are the errors in opensm's log. It reports its own start and stop
// at the same level.
var complaints = regexp.MustCompile(`ERR [0-9A-F]{4}`)

func TestOpenSMBringsUpAFabric(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     *subnet.Subnet
		engine string
	}{
		{"two-level", routetest.Build(t, topology.TwoLevel{Endpoints: 16, Radix: 8}, ndr), "minhop"},
		{"torus", routetest.Build(t, topology.Torus{Dims: []int{4, 3}, SwitchEndpoints: 2}, subnet.Link{Width: 4, Speed: subnet.HDR}), "dor"},
		{"dragonfly", routetest.Build(t, topology.Dragonfly{P: 2, A: 4, H: 2}, subnet.Link{Width: 2, Speed: subnet.NDR}), "minhop"},
		{"chain of 24", chain(24), "minhop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := serve(t, c.of)
			b.opensm(adapter(c.of, 0), "-R", c.engine)
			if errs := complaints.FindAllString(b.log(), -1); len(errs) > 0 {
				t.Errorf("opensm complains:\n%s", b.log())
			}
			if !strings.Contains(b.log(), c.engine+" tables configured") {
				t.Errorf("opensm did not use %s:\n%s", c.engine, b.log())
			}
			b.checkUp()
		})
	}
}

// ibsim 0.10 ends with "no more switches" at 257 of them unless an option allows more.
func TestOpenSMBringsUpMoreSwitchesThanIbsimHas(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := routetest.Build(t, topology.KAry{K: 16}, ndr)
	if s.Switches() != 320 {
		t.Fatalf("%d switches", s.Switches())
	}
	b := serve(t, s)
	b.opensm(adapter(s, 0))
	if errs := complaints.FindAllString(b.log(), -1); len(errs) > 0 {
		t.Errorf("opensm complains:\n%s", b.log())
	}
	b.checkUp()
}

// adapter is the number of the nth adapter from the first, or from the last for
// a negative n.
func adapter(s *subnet.Subnet, n int) int {
	var all []int
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Adapter {
			all = append(all, i)
		}
	}
	if n < 0 {
		n += len(all)
	}
	return all[n]
}

func TestTheRealToolsFindNothingAmiss(t *testing.T) {
	s := routetest.Build(t, topology.TwoLevel{Endpoints: 32, Radix: 16}, ndr)
	b := serve(t, s)
	b.opensm(0)
	host := adapter(s, 5)
	if seen, want := cables(read(t, b.run(host, "ibnetdiscover"))), cables(s); !slices.Equal(seen, want) {
		t.Errorf("ibnetdiscover sees %d cables, there are %d:\n%v\n%v", len(seen), len(want), seen, want)
	}
	if out := b.run(host, "ibqueryerrors"); !strings.Contains(out, "nodes checked, 0 bad nodes found") || !strings.Contains(out, "0 ports have errors") {
		t.Errorf("ibqueryerrors:\n%s", out)
	}
	if out := b.run(host, "iblinkinfo"); strings.Contains(out, "Could be") || strings.Contains(out, "Down") || !strings.Contains(out, "106.25 Gbps Active") {
		t.Errorf("iblinkinfo:\n%s", out)
	}
	lids := [2]units.LID{}
	last := adapter(s, -1)
	b.server.Do(func(f *sma.Fabric) {
		lids[0], lids[1] = f.LID(subnet.End{Node: int32(host), Port: 1}), f.LID(subnet.End{Node: int32(last), Port: 1})
	})
	src, dst := fmt.Sprint(lids[0]), fmt.Sprint(lids[1])
	if out := b.run(host, "ibtracert", src, dst); strings.Count(out, "->") != 4 || !strings.Contains(out, s.Nodes[last].Name) {
		t.Errorf("ibtracert from one leaf over a spine to another has not 4 hops:\n%s", out)
	}
	for _, c := range []struct {
		want string
		tool []string
	}{
		{"SMINFO_MASTER", []string{"sminfo"}},
		{"LinkState:.......................Active", []string{"smpquery", "portinfo", dst, "1"}},
		{"0xffff", []string{"smpquery", "pkeys", dst, "1"}},
		{"WEIGHT:", []string{"smpquery", "vlarb", dst, "1"}},
		{"in  0, out  0", []string{"smpquery", "sl2vl", dst, "1"}},
		{s.Nodes[last].Ports[1].GUID.String(), []string{"smpquery", "guidinfo", dst}},
		{"dlid...................." + dst, []string{"saquery", "--src-to-dst", src + ":" + dst}},
		{s.Nodes[last].Name, []string{"saquery", "NR", dst}},
		{"MLid", []string{"saquery", "-g"}},
		{"PortRcvPkts", []string{"perfquery", dst, "1"}},
		{"PortUnicastXmitPkts", []string{"perfquery", "-x", dst, "1"}},
		{s.Nodes[last].Name, []string{"ibhosts"}},
		{fmt.Sprintf("%d valid lids dumped", len(s.Nodes)), []string{"dump_fts"}},
		{"valid mlids dumped", []string{"dump_fts", "-M"}},
	} {
		if out := b.run(host, c.tool[0], c.tool[1:]...); !strings.Contains(strings.ToLower(out), strings.ToLower(c.want)) {
			t.Errorf("%s does not say %q:\n%s", strings.Join(c.tool, " "), c.want, out)
		}
	}
}

// read is what ibnetdiscover printed.
func read(t *testing.T, text string) *subnet.Subnet {
	t.Helper()
	s, _, err := format.ReadTopo("ibnetdiscover", strings.NewReader(text), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cables are a subnet's cables by the GUIDs of their nodes, each once, sorted.
func cables(s *subnet.Subnet) []string {
	var all []string
	for i := range s.Nodes {
		for p := 1; p < len(s.Nodes[i].Ports); p++ {
			peer := s.Nodes[i].Ports[p].Peer
			if !peer.Exists() {
				continue
			}
			ends := []string{fmt.Sprintf("%v/%d", s.Nodes[i].GUID, p), fmt.Sprintf("%v/%d", s.Nodes[peer.Node].GUID, peer.Port)}
			if ends[0] < ends[1] {
				all = append(all, fmt.Sprint(ends, s.Nodes[i].Ports[p].Link))
			}
		}
	}
	slices.Sort(all)
	return all
}

// ibsim 0.10 drops a LID-routed datagram after 16 hops.
func TestToolsReachFartherThanIbsimLets(t *testing.T) {
	s := chain(24)
	b := serve(t, s)
	first, last := adapter(s, 0), adapter(s, -1)
	b.opensm(first)
	lid := units.LID(0)
	b.server.Do(func(f *sma.Fabric) { lid = f.LID(subnet.End{Node: int32(last), Port: 1}) })
	if out := b.run(first, "smpquery", "nodedesc", fmt.Sprint(lid)); !strings.Contains(out, "host 23") {
		t.Errorf("smpquery over 24 switches:\n%s", out)
	}
}

// ibsim 0.10 has room for ten.
func TestMoreThanTenProgramsAttach(t *testing.T) {
	s := routetest.Build(t, topology.SingleSwitch{Endpoints: 24}, ndr)
	b := serve(t, s)
	b.opensm(0)
	var wait sync.WaitGroup
	failed := make([]string, 24)
	held := make(chan struct{})
	for i := range failed {
		wait.Go(func() {
			c, err := Dial(b.socket, "H-"+s.Nodes[i].GUID.Digits())
			if err != nil {
				failed[i] = err.Error()
				return
			}
			<-held
			_ = c.Close()
		})
	}
	out := b.run(3, "sminfo")
	close(held)
	wait.Wait()
	for i, why := range failed {
		if why != "" {
			t.Errorf("client %d: %s", i, why)
		}
	}
	if !strings.Contains(out, "SMINFO_MASTER") {
		t.Errorf("sminfo beside 24 clients:\n%s", out)
	}
}

// A broken cable sends opensm a trap; opensm sweeps and routes around it.
func TestOpenSMHearsOfABrokenCable(t *testing.T) {
	s := routetest.Build(t, topology.TwoLevel{Endpoints: 16, Radix: 8}, ndr)
	b := serve(t, s)
	b.opensm(0)
	leaf := s.Nodes[0].Ports[1].Peer.Node
	up := subnet.None
	for p := range s.Nodes[leaf].Ports {
		if peer := s.Nodes[leaf].Ports[p].Peer; peer.Exists() && s.Nodes[peer.Node].Kind == subnet.Switch {
			up = subnet.End{Node: leaf, Port: uint16(p)}
		}
	}
	b.server.Do(func(f *sma.Fabric) { f.SetLink(up, false) })
	ibsimtest.WaitFor(t, "a second SUBNET UP", func() bool { return strings.Count(b.log(), "SUBNET UP") > 1 })
	if !strings.Contains(b.log(), "Link state change") {
		t.Errorf("opensm got no trap 128:\n%s", b.log())
	}
	if out := b.run(1, "perfquery", lidText(b, leaf), fmt.Sprint(up.Port)); !regexp.MustCompile(`LinkDownedCounter:\.+1\n`).MatchString(out) {
		t.Errorf("the port counts no link that went down:\n%s", out)
	}
	b.server.Do(func(f *sma.Fabric) {
		for i := range s.Nodes {
			to := subnet.End{Node: int32(i), Port: 1}
			if s.Nodes[i].Kind != subnet.Adapter {
				continue
			}
			p := sma.Packet{DLID: f.LID(to), MAD: mad.New(mad.SubnAdm, mad.Get, mad.AttrPathRecord, 0, 1)}
			if at, outcome := f.Carry(subnet.End{Node: 0, Port: 1}, &p); outcome != sma.Arrived || at != to {
				t.Errorf("to %s it arrived at %v, %v", s.Nodes[i].Name, at, outcome)
			}
		}
	})
}

func lidText(b *bench, node int32) string {
	lid := units.LID(0)
	b.server.Do(func(f *sma.Fabric) { lid = f.LID(subnet.End{Node: node}) })
	return fmt.Sprint(lid)
}

func TestASecondSimulatorOfOneNameIsRefused(t *testing.T) {
	b := serve(t, chain(1))
	f, err := sma.New(chain(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(b.socket, f); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("a second server of the same name: %v", err)
	}
}

// The server ignores messages outside of the protocol, and goes on.
func TestGarbageOnTheSocketsIsPassedOver(t *testing.T) {
	b := serve(t, chain(2))
	c, err := Dial(b.socket, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n := range 2 * messageSize {
		if n == messageSize {
			continue
		}
		if _, err := c.control.Write(bytes.Repeat([]byte{0xef}, n)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n < datagramSize; n++ {
		if _, err := c.data.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.data.Write(make([]byte, datagramSize)); err != nil { // class 0 to LID 0
		t.Fatal(err)
	}
	m := mad.NewDirected(mad.Get, mad.AttrNodeInfo, 0, 77, []uint8{1})
	got := exchange(t, c, &Datagram{DLID: units.PermissiveLID, SLID: units.PermissiveLID, MAD: m})
	var info mad.NodeInfo
	_ = mad.Parse(got.MAD.SMPData(), &info)
	if info.NodeGUID != b.subnet.Nodes[1].GUID {
		t.Errorf("node %v answers, want %v", info.NodeGUID, b.subnet.Nodes[1].GUID)
	}
}

// exchange sends a request and returns its answer.
func exchange(t *testing.T, c *Client, d *Datagram) *Datagram {
	t.Helper()
	tid := uint32(d.MAD.TID())
	if err := c.Send(d); err != nil {
		t.Fatal(err)
	}
	for {
		got, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if uint32(got.MAD.TID()) == tid {
			return got
		}
	}
}

func TestNamesOfNodesAreTakenOnce(t *testing.T) {
	s := chain(2)
	s.Nodes[3].Name = s.Nodes[1].Name
	got := names(s)
	if got["host 0"] != (subnet.End{Node: 1, Port: 1}) {
		t.Errorf("host 0 is %v", got["host 0"])
	}
	keys := []string{}
	for k := range got {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare)
	if want := 7; len(keys) != want {
		t.Errorf("%d names, want %d: %q", len(keys), want, keys)
	}
}

// The real tools see three things of a link: what its ports support, what they have enabled, and what
// is active after a reset.
func TestTheRealToolsSeeWhatALinkCouldBe(t *testing.T) {
	s := chain(2)
	slow := subnet.End{Node: 2, Port: 2} // between the switches
	hdr := subnet.Link{Width: 4, Speed: subnet.HDR}
	s.Port(slow).Link, s.Port(s.Peer(slow)).Link = hdr, hdr
	b := serve(t, s)
	b.opensm(1)
	if out := b.run(1, "iblinkinfo"); strings.Count(out, "( Could be 106.25 Gbps)") != 2 || strings.Count(out, "Could be") != 2 {
		t.Errorf("one link at HDR between ports of NDR:\n%s", out)
	}
	var lid string
	b.server.Do(func(f *sma.Fabric) { lid = fmt.Sprint(f.LID(subnet.End{Node: 2})) })
	for _, c := range []struct{ enable, active, could string }{
		{"1", "LinkWidthActive:.................1X", "(Could be 4X"},
		{"3", "LinkWidthActive:.................4X", "Active"},
	} {
		b.run(1, "ibportstate", lid, "1", "width", c.enable)
		b.run(1, "ibportstate", lid, "1", "reset")
		if out := b.run(1, "ibportstate", lid, "1"); !strings.Contains(out, c.active) {
			t.Errorf("with widths %s enabled and a reset:\n%s", c.enable, out)
		}
		if out := b.run(1, "iblinkinfo"); !strings.Contains(out, c.could) {
			t.Errorf("with widths %s enabled and a reset:\n%s", c.enable, out)
		}
	}
	if out := b.run(1, "perfquery", lid, "255"); !strings.Contains(out, "PortSelect:......................255") {
		t.Errorf("all ports of a switch:\n%s", out)
	}
}
