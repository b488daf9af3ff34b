package network

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/transport/cc"
	"weft/internal/test/simtest"
	"weft/scenario"
	"weft/units"
)

// TestScenariosRunTheSetsThatAreValidated compares the DCQCN sets of the catalog with the
// sets of the algorithm's package, which the validation cases run: the same name means
// the same parameters.
func TestScenariosRunTheSetsThatAreValidated(t *testing.T) {
	for catalog, preset := range map[string]string{
		"dcqcn-paper": "paper", "dcqcn-firmware": "firmware", "dcqcn-firmware-averaged": "firmware-averaged", "dcqcn-ns3": "ns3", "dcqcn-ns3-paper": "ns3-paper",
	} {
		r := simtest.Resolve(t, "fabrics: [{preset: roce-v2-400g, cc: "+catalog+"}]\nworkload: {collective: all-reduce, sizes: [1KiB]}\n")
		f := &r.Fabrics[0]
		got := cc.DCQCNOf(cc.Link{Rate: f.Link.Rate(), Packet: f.MTU}, scenario.ValuesOf(&f.CC))
		want, err := cc.DCQCNPreset(preset, 400*units.Gbps)
		if err != nil {
			t.Fatal(err)
		}
		if catalog == "dcqcn-ns3" || catalog == "dcqcn-ns3-paper" {
			want.CNPInterval = 0 // marks are echoed in every acknowledgement
		}
		if got.FirstCNPRate == want.LineRate {
			got.FirstCNPRate = 0 // the same for a queue pair that begins at the line rate
		}
		if got != want {
			t.Errorf("%s:\n%+v in the catalog\n%+v in the algorithm", catalog, got, want)
		}
	}
}

// TestASwitchFromSONiCIsBuiltWithItsNumbers compares the built switch with the numbers of
// the file, written out once more.
func TestASwitchFromSONiCIsBuiltWithItsNumbers(t *testing.T) {
	r := simtest.Resolve(t, "fabrics: [{preset: roce-v2-400g, switch: {sonic: ../../../roce/sonic/testdata/config_db.json}, ethernet: {dscp: 3}}]\nworkload: {collective: all-reduce, sizes: [1KiB]}\n")
	f := &r.Fabrics[0]
	c := classesOf(f, r)
	s := EthernetSwitch(f, c, 32)
	data, ok := c.of(3)
	if !ok || s.PFC.Lossless != 1<<data {
		t.Fatalf("classes %v, lossless %b", c.Used, s.PFC.Lossless)
	}
	if s.Shared != 67_108_864 || s.Reserve != 19_456 || s.Headroom != 283_648 || s.Xon != 19_456 || s.XonOffset != 0 || s.StaticXoff != 0 || s.AlphaNum != s.AlphaDen {
		t.Errorf("%+v", s)
	}
	if e := s.ECN[data]; e.KMin != 1_048_576 || e.KMax != 2_097_152 || e.PMax != 1<<32/20 {
		t.Errorf("%+v", e)
	}
	if w := s.Schedule.Weights; w[data] != 15*fullFrame {
		t.Errorf("weights %v", w)
	}
}

// TestAHeadroomPoolTakesThePlaceOfThePortsHeadroom checks the bytes that are left to share.
func TestAHeadroomPoolTakesThePlaceOfThePortsHeadroom(t *testing.T) {
	left := func(pool string) int64 {
		r := simtest.Resolve(t, "fabrics: [{preset: roce-v2-400g, switch: {buffer: 32MiB}, ethernet: {pfc: {headroom: 200KiB, reserve: 0B"+pool+"}}}]\nworkload: {collective: all-reduce, sizes: [1KiB]}\n")
		return EthernetSwitch(&r.Fabrics[0], classesOf(&r.Fabrics[0], r), 32).Shared
	}
	if got := left(""); got != 32<<20-32*200<<10 {
		t.Errorf("with headroom of their own %d bytes are shared", got)
	}
	if got := left(", headroom-pool: 1MiB"); got != 31<<20 {
		t.Errorf("with a pool %d bytes are shared", got)
	}
}

// TestAPortsOwnHeadroomIsNotShared: what two of four ports lack, and a third has not at all, is left to share.
func TestAPortsOwnHeadroomIsNotShared(t *testing.T) {
	r := simtest.Resolve(t, `cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: roce-v2-400g, switch: {buffer: 32MiB}, ethernet: {pfc: {headroom: 200KiB, reserve: 0B}}, switches: [
  {names: [switch], ports: ["[1-2]"], set: [ethernet.pfc.headroom=50KiB]}, {names: [switch], ports: [3], set: ['ethernet.pfc.priorities=[]']}]}]
workload: {collective: all-reduce, sizes: [1KiB]}
`)
	f := &r.Fabrics[0]
	g, err := topology.SingleSwitch{Endpoints: 4, Radix: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	n := &g.Nodes[g.Endpoints]
	n.Name = "switch"
	s := ethernetSwitchOf(f, classesOf(f, r), n)
	if want := int64(32<<20 - (2*50+200)<<10); s.Shared != want {
		t.Errorf("%d bytes are shared, want %d", s.Shared, want)
	}
	for i, want := range []int32{50 << 10, 50 << 10, 200 << 10, 200 << 10} {
		if p := &s.Ports[i]; p.Headroom != want || (p.Lossless == 0) != (i == 2) {
			t.Errorf("port %d has %d bytes of headroom, lossless %b", i+1, p.Headroom, p.Lossless)
		}
	}
}
