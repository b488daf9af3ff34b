package fabric_test

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/pauses"
	"weft/units"
)

// A failed NIC below leaf 1 pauses its leaf, which pauses the spine, which pauses
// leaf 0, which pauses the sender: the cause of each pause is the port before it.
func TestPausesLeadFromTheVictimToTheRoot(t *testing.T) {
	g, err := topology.TwoLevel{Endpoints: 4, LeafEndpoints: 2, Radix: 4, Spines: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := &flows{}
	n, err := buildWith(g, f, func(b *fabric.Builder, nic *fabric.NIC, eth *fabric.EthernetSwitch) {
		eth.StaticXoff, nic.PFC.Quanta = 64<<10, 65535
		b.Receive(2, &fabric.Receiver{Failed: true, Until: 800 * units.Microsecond})
	})
	if err != nil {
		t.Fatal(err)
	}
	n.RecordPauses()
	if err := f.send(n, 0, 2, 1<<20); err != nil {
		t.Fatal(err)
	}
	const end = 2 * units.Millisecond
	if err := n.Run(end, 1, nil); err != nil {
		t.Fatal(err)
	}
	all := n.Pausings(end)
	var way []string
	for at := 0; at >= 0 && len(way) <= len(all); {
		x := all[at]
		way = append(way, n.LinkName(x.Link))
		at = slices.IndexFunc(all, func(y pauses.Pausing) bool {
			return slices.ContainsFunc(y.Causes, func(c pauses.Cause) bool { return c.Port == x.Link })
		})
	}
	if len(way) != 4 || !strings.HasSuffix(way[0], "to "+g.Nodes[2].Name) || !strings.HasPrefix(way[3], g.Nodes[0].Name) {
		t.Fatalf("from the root to the victim the pauses lead by %q: want 4 links, the first to %s and the last from %s", way, g.Nodes[2].Name, g.Nodes[0].Name)
	}
	if root := all[0]; root.Paused != 800*units.Microsecond || root.Count != 1 || root.Causes != nil {
		t.Errorf("the root was paused %d times for %v, with %d causes: want once for 800 us and none", root.Count, root.Paused, len(root.Causes))
	}
	for _, x := range all {
		sum := units.Time(0)
		for _, s := range x.Slices {
			sum += s
		}
		if sum != x.Paused || x.Width != all[0].Width {
			t.Errorf("%s: slices of %v hold %v, and it was paused for %v", n.LinkName(x.Link), x.Width, sum, x.Paused)
		}
	}
}
