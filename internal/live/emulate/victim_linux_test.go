package emulate_test

import (
	"os"
	"testing"

	"weft/internal/live/emulate"
	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
)

// victims runs the writers of examples/pfc-victim.yaml as programs on one of its fabrics: two write to
// NIC 8, which is slow on some of them, and NIC 2 writes to NIC 9. It gives the rate of the last in GB/s.
func victims(t *testing.T, fabric int) (rate float64, r *emulate.Report) {
	t.Helper()
	text, err := os.ReadFile("../../../examples/pfc-victim.yaml")
	if err != nil {
		t.Fatal(err)
	}
	resolved := simtest.Resolve(t, string(text))
	resolved.Fabrics = []scenario.Fabric{resolved.Fabrics[fabric]}
	var series *results.Series
	socket, end := startResolved(t, resolved, emulate.Options{Dilation: 1000, Sim: sim.Options{Series: func(s *results.Series) { series = s }}})
	const message = 8 << 20
	slow, other := open(t, socket, "node1/nic0", message), open(t, socket, "node1/nic1", message)
	var from []*side
	for i, peer := range []*side{slow, slow.another(t), other} {
		s := open(t, socket, []string{"node0/nic0", "node0/nic1", "node0/nic2"}[i], message)
		connect(t, s, peer)
		from = append(from, s)
	}
	for i, to := range []*side{slow, slow, other} {
		from[i].write(t, to)
	}
	for _, s := range from {
		s.completion(t)
	}
	r = end()
	if series == nil || !series.Simulation.Complete {
		t.Error("an emulation that its user ends has no complete series")
	}
	for _, d := range r.Devices {
		if d.NIC == "node1/nic1" {
			rate = float64(d.BytesReceived) / (d.Last - d.First).Seconds() / 1e9
		}
	}
	return rate, r
}

// TestASlowNICHasAVictim: with PFC alone, programs that write to a slow NIC slow a third one down that shares
// only an uplink with them, and the results name it. DCQCN gives most of its rate back.
func TestASlowNICHasAVictim(t *testing.T) {
	healthy, _ := victims(t, 0)
	behind, r := victims(t, 1)
	cured, _ := victims(t, 2)
	t.Logf("%.1f GB/s, %.1f with a slow NIC, %.1f with DCQCN", healthy, behind, cured)
	if behind > healthy/2 || cured < 1.2*behind {
		t.Errorf("the third writer has %.1f GB/s, %.1f with a slow NIC, %.1f with DCQCN; want less than half, and then more", healthy, behind, cured)
	}
	p := r.Results.Fabrics[0].Points[0].Pauses
	if p == nil {
		t.Fatal("no pauses were recorded")
	}
	want := map[string]bool{"node0/nic0 to node1/nic0": false, "node0/nic1 to node1/nic0": false, "node0/nic2 to node1/nic1": true}
	for _, f := range p.Flows {
		if victim, ok := want[f.Name]; !ok || victim != f.Victim {
			t.Errorf("%+v; want the victims %v", results.PausedFlow{Name: f.Name, Victim: f.Victim}, want)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("no pauses of %v", want)
	}
}
