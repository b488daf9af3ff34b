package qos

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const policyText = `
# a policy with every section
port-groups
    port-group
        name: Storage
        use: "SRP Targets"
        port-guid: 0x10, 0x20-0x2f
        port-guid: 0x40
        port-name: "vs1 HCA-1/P1", vs2/P1
        partition: Part1
        pkey: 0x8234
        node-type: CA, SELF
    end-port-group
end-port-groups

qos-setup
    sl2vl-tables
    anything : here
    end-sl2vl-tables
end-qos-setup

qos-levels
    qos-level
        name: DEFAULT
        sl: 0
    end-qos-level
    qos-level
        name: WholeSet
        use: all limits
        sl: 1
        mtu-limit: 4
        rate-limit: 5
        packet-life: 8
        pkey: 0x8001
    end-qos-level
end-qos-levels

qos-match-rules
    qos-match-rule
        use: by class
        qos-class: 7-9,11
        source: Storage
        destination: Storage
        service-id: 0x10000000000000-0x1000000000FFFF
        pkey: 0x0F00-0x0FFF
        qos-level-name: WholeSet
    end-qos-match-rule
end-qos-match-rules

qos-ulps
    default : 3
    sdp, port-num 30000 : 0
    sdp : 1
    ipoib, pkey 0x8001 : 5
    ipoib : 4
    any, service-id 0x6234 : 6
    any, pkey 0x0ABC : 6
    srp, target-port-guid 0x1234 : 5
end-qos-ulps
`

func TestAPolicyIsRead(t *testing.T) {
	p, err := ReadPolicy("p", strings.NewReader(policyText))
	if err != nil {
		t.Fatal(err)
	}
	g := p.Groups[0]
	if want := []Range{{0x10, 0x10}, {0x20, 0x2f}, {0x40, 0x40}}; !reflect.DeepEqual(g.GUIDs, want) {
		t.Errorf("GUIDs %v, want %v", g.GUIDs, want)
	}
	if got, want := fmt.Sprint(g.Name, g.Names, g.Partitions, g.PKeys, g.Kinds), "Storage[vs1 HCA-1/P1 vs2/P1] [Part1] [{564 564}] [CA SELF]"; got != want {
		t.Errorf("the group is %s, want %s", got, want)
	}
	if p.Default.SL != 3 || len(p.Rules) != 8 {
		t.Fatalf("default level %d and %d rules; want 3, of qos-ulps, and 8", p.Default.SL, len(p.Rules))
	}
	m := p.Rules[0]
	if l := m.Level; l.Name != "WholeSet" || l.SL != 1 || *l.MTULimit != 4 || *l.RateLimit != 5 || *l.PacketLife != 8 || *l.PKey != 1 {
		t.Errorf("the rule's level is %+v", l)
	}
	if got, want := fmt.Sprint(m.Source, m.Destination, m.Classes, m.PKeys, m.Service()), "[Storage] [Storage] [{7 9} {11 11}] [{3840 4095}] true"; got != want {
		t.Errorf("the rule is %s, want %s", got, want)
	}
	for i, want := range []string{"sdp [] [] [] true", "sdp [] [] [] true", "ipoib [{1 1}] [] [] false", "ipoib [{32767 32767}] [] [] false", " [] [{25140 25140}] [] true", " [{2748 2748}] [] [] false", "srp [] [] [{4660 4660}] false"} {
		r := p.Rules[i+1]
		if got := fmt.Sprint(r.Protocol, " ", r.PKeys, " ", r.ServiceIDs, " ", r.TargetGUIDs, " ", r.Service()); got != want {
			t.Errorf("rule %d of qos-ulps is %q, want %q", i, got, want)
		}
	}
}

func TestMistakesOfAPolicyAreReportedWithTheirLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"port-group\n", "p:1: port-group stands in \"\""},
		{"port-groups\nend-qos-levels\n", "p:2: end-qos-levels where \"port-groups\" is open"},
		{"end-\n", "p:1: end- where \"\" is open"},
		{"port-groups\nend-\n", "p:2: end- where \"port-groups\" is open"},
		{"port-groups\n", "p:1: the file ends within port-groups"},
		{"hello\n", "p:1: expected a section or a field"},
		{"port-groups\nport-group\nport-guid: 9-3\n", "p:3: expected numbers or ranges"},
		{"port-groups\nport-group\nnode-type: HCA\n", "p:3: expected node-type"},
		{"port-groups\nport-group\ncolour: red\n", "p:3: a port-group has no \"colour\""},
		{"port-groups\nport-group\nend-port-group\n", "p:3: the port-group's name \"\" is empty"},
		{"qos-levels\nqos-level\nsl: 16\n", "p:3: expected sl: 0 to 15"},
		{"qos-match-rules\nqos-match-rule\nqos-level-name: x\nend-qos-match-rule\nend-qos-match-rules\n", "the rule names the qos-level \"x\""},
		{"qos-ulps\nany : 3\n", "p:2: expected service-id, pkey or target-port-guid behind any"},
		{"qos-ulps\nmpi : 3\n", "p:2: expected default, any, sdp"},
		{"qos-ulps\ndefault\n", "p:2: expected a protocol, a colon"},
		{"qos-ulps\ndefault : 99\n", "p:2: expected a service level from 0 to 15"},
	} {
		_, err := ReadPolicy("p", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %q", c.text, err, c.want)
		}
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add(policyText)
	f.Add("end-\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ReadPolicy("p", strings.NewReader(text)); (p == nil) == (err == nil) {
			t.Errorf("a policy %v and an error %v", p, err)
		}
	})
}
