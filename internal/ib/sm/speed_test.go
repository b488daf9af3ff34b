package sm_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// The manager reads every link speed from PortInfo, and a path has the rate of four lanes.
func TestTheManagerSeesEveryGenerationOfLinks(t *testing.T) {
	g, err := topology.SingleSwitch{Endpoints: 3}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for speed, rate := range map[subnet.Speed]uint8{
		subnet.SDR: 3, subnet.DDR: 6, subnet.QDR: 7, subnet.FDR: 12, subnet.EDR: 16, subnet.HDR: 17, subnet.NDR: 21, subnet.XDR: 23,
	} {
		link := subnet.Link{Width: 4, Speed: speed}
		s, err := subnet.FromGraph(g, link)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, s)
		o := &office{world: w, master: w.manager("A", 0, sm.Config{}), asker: &host{name: "asker", at: subnet.End{Node: 2, Port: 1}, m: sm.New(sm.Config{Route: minhop})}}
		w.start(o.master)
		w.run(5 * units.Second)
		w.hosts = append(w.hosts, o.asker)
		for at := range o.master.m.Subnet().Nodes[0].Ports[1:] {
			if got := o.master.m.Subnet().Nodes[0].Ports[at+1].Link; got != link {
				t.Errorf("a cable of %v is read as %v", link, got)
			}
		}
		d := o.one(mad.Get, mad.AttrPathRecord, mad.PathSLID|mad.PathDLID, &mad.PathRecord{SLID: o.lid(1), DLID: o.lid(2)})
		var r mad.PathRecord
		_ = mad.Parse(d.SAData(), &r)
		if r.Rate != rate {
			t.Errorf("%v: the path's rate is %d, want %d", link, r.Rate, rate)
		}
	}
}
