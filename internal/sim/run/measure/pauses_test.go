package measure_test

import (
	"bytes"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
)

// runExample runs an example of the repository on some cores.
func runExample(t *testing.T, name string, cores int) []byte {
	t.Helper()
	file, err := scenario.Load("../../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	out, err := sim.Run(t.Context(), r, sim.Options{Workers: cores})
	if err != nil {
		t.Fatal(err)
	}
	checkVictim(t, name, out)
	text, err := out.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhoPausedWhomDoesNotDependOnCores(t *testing.T) {
	for _, name := range []string{"pfc-victim.yaml", "pfc-storm.yaml"} {
		if !bytes.Equal(runExample(t, name, 1), runExample(t, name, 7)) {
			t.Errorf("%s: the results on one core and on seven differ", name)
		}
	}
}

// checkVictim checks the point of both examples: if NIC 8 is slow or failed, it is the root
// of all pauses, and the flow that shares only buffers with it is the victim.
func checkVictim(t *testing.T, name string, out *results.Results) {
	t.Helper()
	for _, f := range out.Fabrics {
		p := f.Points[0].Pauses
		if p == nil {
			t.Fatalf("%s, %s: no pauses", name, f.Name)
		}
		if f.Name == "no slow NIC" {
			continue
		}
		for i := range p.Links {
			at := i
			for p.Links[at].After >= 0 {
				at = p.Links[at].After
			}
			if root := p.Links[at].By; root != "node1/nic0" {
				t.Errorf("%s, %s: %s is paused in the end by %s: want node1/nic0", name, f.Name, p.Links[i].Name, root)
			}
		}
		victims := 0
		for _, x := range p.Flows {
			to := x.Name[len(x.Name)-len("node1/nic0"):]
			if x.Victim != (to != "node1/nic0") {
				t.Errorf("%s, %s: %s is a victim: %t", name, f.Name, x.Name, x.Victim)
			}
			if x.Victim {
				victims++
			}
		}
		if victims == 0 {
			t.Errorf("%s, %s: no victim", name, f.Name)
		}
	}
}
