package fabric_test

import (
	"cmp"
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
)

// message has two packets. Its P_Key is key, or if that is 0 the first of the sender's
// table.
type message struct {
	from, to int32
	key      uint16
}

// keyed sends messages on a leaf-spine of 8 hosts with the given P_Key tables, and gives
// the network afterwards.
func keyed(t *testing.T, p *isolation.PKeys, messages []message, parts int) *fabric.Network {
	t.Helper()
	g, err := topology.TwoLevel{Endpoints: 8, Radix: 8, LeafEndpoints: 2, Spines: 2, NodeNICs: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := routing.Build(g)
	if err != nil {
		t.Fatal(err)
	}
	b := fabric.Builder{Classes: 1, Seed: 1, Tables: tables, App: ignore{}, PKeys: p}
	nic := infinibandNIC()
	sw := &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), ReadPorts: 2}
	for i, nd := range g.Nodes {
		if i < g.Endpoints {
			b.NIC(nd.Name, len(nd.Cables), nic)
		} else {
			b.InfiniBandSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.Static, sw)
		}
	}
	for _, c := range g.Cables {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, (400 * units.Gbps).PerByte(), 100*ns)
	}
	n, err := b.Build(topology.Partition(g, parts))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		from := fabric.Connection{Service: transport.UC, PKey: cmp.Or(m.key, p.Tables[m.from][0])}
		to := fabric.Connection{Service: transport.UC, PKey: p.Tables[m.to][0]}
		qp, _, err := n.Connect(m.from, m.to, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Partition(m.from).Post(m.from, qp, transport.WorkRequest{Op: transport.OpSend, Length: 8192}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Millisecond, 1, nil); err != nil {
		t.Fatal(err)
	}
	return n
}

type ignore struct{}

func (ignore) Complete(*fabric.Partition, int32, *transport.Completion) {}
func (ignore) Timer(*fabric.Partition, uint32)                          {}

// The eight hosts: two of tenant 1, full and limited; two of tenant 2; a
// limited member of each; and two of the default partition.
func tenants() [][]uint16 {
	return [][]uint16{{0x8001}, {0x0001}, {0x8002}, {0x8002}, {0x0001}, {0x0002}, {0xffff}, {0xffff}}
}

func TestPacketsOfAnotherPartitionAreDiscardedWhereKeysAreChecked(t *testing.T) {
	for _, c := range []struct {
		name            string
		ingress, egress bool
		from, to        int32
		trap            int // 0: it arrives
		port            string
	}{
		{"full to full", true, true, 2, 3, 0, ""},
		{"limited to full", true, true, 1, 0, 0, ""},
		{"full to limited", true, true, 0, 4, 0, ""},
		{"limited to limited", false, false, 1, 4, isolation.TrapHCA, "node4/nic0 port 1"},
		{"another tenant", false, false, 0, 2, isolation.TrapHCA, "node2/nic0 port 1"},
		{"another tenant, checked going out", false, true, 0, 2, isolation.TrapSwitch, "leaf1 port 1"},
		{"another tenant, checked coming in", true, false, 0, 2, isolation.TrapHCA, "node2/nic0 port 1"},
		{"limited to limited, checked going out", false, true, 1, 4, isolation.TrapSwitch, "leaf2 port 1"},
	} {
		p := &isolation.PKeys{Tables: tenants(), Ingress: c.ingress, Egress: c.egress}
		n := keyed(t, p, []message{{from: c.from, to: c.to}}, 1)
		s, v := n.Stats(), n.Violations()
		if c.trap == 0 {
			if s.Delivered != 2 || len(v) != 0 {
				t.Errorf("%s: %d of 2 packets delivered, violations %+v", c.name, s.Delivered, v)
			}
			continue
		}
		if s.Delivered != 0 || s.Dropped[counts.DropPKey] != 2 || len(v) != 1 {
			t.Errorf("%s: %d delivered and %d discarded of 2, violations %+v", c.name, s.Delivered, s.Dropped[counts.DropPKey], v)
			continue
		}
		if v[0].Trap != c.trap || v[0].Port != c.port || v[0].Packets != 2 || v[0].From != c.from || v[0].To != c.to || v[0].PKey != p.Tables[c.from][0] {
			t.Errorf("%s: %+v; want trap %d at %s for 2 packets", c.name, v[0], c.trap, c.port)
		}
	}
}

// A host that claims a key that the manager has not given it gets past the HCA of
// its victim, but not past a switch that checks incoming packets: the leaf's table
// is the manager's, not the host's.
func TestASwitchKeepsOutAKeyThatTheManagerHasNotGiven(t *testing.T) {
	rogue := []message{{from: 0, to: 2, key: 0x8002}}
	if s := keyed(t, &isolation.PKeys{Tables: tenants(), Egress: true}, rogue, 1).Stats(); s.Delivered != 2 {
		t.Errorf("with a check of outgoing packets and at the HCA alone %d of 2 packets arrive, want 2", s.Delivered)
	}
	promoted := []message{{from: 1, to: 4, key: 0x8001}} // a limited member that claims to be a full one
	if s := keyed(t, &isolation.PKeys{Tables: tenants(), Ingress: true}, promoted, 1).Stats(); s.Dropped[counts.DropPKey] != 2 {
		t.Errorf("%d of 2 packets of a limited member with a full key are discarded", s.Dropped[counts.DropPKey])
	}
	n := keyed(t, &isolation.PKeys{Tables: tenants(), Ingress: true}, rogue, 1)
	if s, v := n.Stats(), n.Violations(); s.Dropped[counts.DropPKey] != 2 || len(v) != 1 || v[0].Port != "leaf0 port 1" {
		t.Errorf("a switch that checks incoming packets discards %d of 2, want 2 at leaf0 port 1: %+v", s.Dropped[counts.DropPKey], v)
	}
}

// Every host sends to every other: the violations are the same however the network is
// cut, and exactly the packets between hosts with matching keys arrive.
func TestViolationsDoNotDependOnPartitions(t *testing.T) {
	var all []message
	matching := int64(0)
	for i, a := range tenants() {
		for j, b := range tenants() {
			if i == j {
				continue
			}
			all = append(all, message{from: int32(i), to: int32(j)})
			if a[0]&0x7fff == b[0]&0x7fff && (a[0]|b[0])&0x8000 != 0 {
				matching++
			}
		}
	}
	want := ""
	for _, parts := range []int{1, 2, 3} {
		n := keyed(t, &isolation.PKeys{Tables: tenants(), Egress: true}, all, parts)
		s := n.Stats()
		if s.Delivered != 2*matching || s.Dropped[counts.DropPKey] != 2*(int64(len(all))-matching) {
			t.Errorf("%d delivered and %d discarded; want %d of %d", s.Delivered, s.Dropped[counts.DropPKey], 2*matching, 2*len(all))
		}
		got := fmt.Sprintf("%+v", n.Violations())
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d partitions differ from 1:\n%s\n%s", parts, got, want)
		}
	}
}
