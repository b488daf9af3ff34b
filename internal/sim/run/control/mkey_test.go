package control

import (
	"strings"
	"testing"

	"weft/internal/ib/subnet"
	"weft/internal/test/simtest"
	"weft/units"
)

// The master ends. A standby that knows its key takes the subnet over as if there were no
// key. A standby that does not know it waits for the leases, and gets no port if the leases
// never end.
func TestAStandbysKeyDecidesWhenItTakesOver(t *testing.T) {
	for _, c := range []struct {
		keys  string
		after units.Time // until the ports have the standby's key at the earliest
		most  units.Time
		key   uint64
	}{
		{"m-key: 5, m-key-protection: 2", 0, 10 * units.Second, 5},
		{"m-key: 5, m-key-protection: 2, m-key-lease: 4s, standby-m-key: 6", 4 * units.Second, 60 * units.Second, 6},
		{"m-key: 5, m-key-protection: 2, standby-m-key: 6", units.Forever, units.Forever, 5},
	} {
		text := strings.Replace(simtest.LeafSpine, "control: {", "control: {sm: {standby: true, poll: 1s, timeout: 10ms, "+c.keys+"}, ", 1) + simtest.BothFabrics
		r := simtest.Resolve(t, text)
		p, err := NewPlan(r, &r.Fabrics[0])
		if err != nil {
			t.Fatal(err)
		}
		m, err := newManagedSubnet(p, &r.Control, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.bringUp(); err != nil {
			t.Fatal(err)
		}
		begin, standby := m.now, m.hosts[1]
		m.hosts[0].ended = true
		m.agents.SetManager(m.hosts[0].at, false)
		sweeps := len(m.log.sweeps)
		has := func() bool {
			for i := range m.sub.Nodes {
				if m.agents.Info(subnet.End{Node: int32(i), Port: m.sub.Nodes[i].Base()}).MKey != c.key {
					return false
				}
			}
			n := len(m.log.sweeps)
			return m.master() == standby && n > sweeps && m.log.sweeps[n-1].up < units.Forever
		}
		took := m.runUntil(begin+200*units.Second, has)
		if m.failed != nil {
			t.Fatal(m.failed)
		}
		if never := c.after == units.Forever; took == never {
			t.Errorf("%s: taken over is %v", c.keys, took)
		}
		if after := m.now - begin; took && (after < c.after || after > c.most) {
			t.Errorf("%s: taken over after %v, want %v to %v", c.keys, after, c.after, c.most)
		}
	}
}
