package scenario

import "testing"

// readingsOf are the other values of a field of the first fabric.
func readingsOf(t *testing.T, fabric, path string) (values []string) {
	t.Helper()
	f, err := Decode("a", []byte("cluster: {nodes: 2, node: dgx-h100}\nfabrics: ["+fabric+"]\nworkload: {collective: all-reduce, sizes: [1KiB]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range Readings(r, 0) {
		if x.Path != path {
			continue
		}
		values = append(values, x.Value)
		other, err := WithReading(r, 0, x)
		if err != nil {
			t.Errorf("%s: %v", x.Value, err)
			continue
		}
		if got, _ := other.Fabrics[0].Text(path); got != x.Value || x.Own == x.Value || x.Source == "" {
			t.Errorf("with the reading %+v the value is %s", x, got)
		}
	}
	return values
}

// A value that the scenario states is known. The values of the catalog have the readings of its rows.
func TestReadingsAreOfValuesThatTheScenarioDoesNotState(t *testing.T) {
	for _, c := range []struct {
		fabric, path string
		want         int
	}{
		{"infiniband-ndr", "switch.latency", 2},
		{"{preset: infiniband-ndr, switch: {model: qm9700, latency: 200ns}}", "switch.latency", 0},
		{"infiniband-ndr", "ib.speedup", 2},
		{"infiniband-ndr", "nic.fence", 2},
		{"infiniband-ndr", "cc", 0},
		{"roce-v2-400g", "cc", 2},
		{"{preset: roce-v2-400g, cc: none}", "cc", 0},
		{"roce-v2-400g", "ethernet.pfc.alpha", 2},
		{"spectrum-x-400g", "cc", 1},
	} {
		if got := readingsOf(t, c.fabric, c.path); len(got) != c.want {
			t.Errorf("%s: %s has the readings %v, want %d", c.fabric, c.path, got, c.want)
		}
	}
}

// The catalog says where a value comes from, the scenario otherwise.
func TestTheSourceOfAValue(t *testing.T) {
	f, err := Decode("a", []byte("cluster: {nodes: 2, node: dgx-h100}\nfabrics: [{preset: roce-v2-400g, mtu: 1024B}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.SourceOf(0, "mtu"); got != "the scenario, or derived" {
		t.Errorf("the MTU of the scenario comes from %q", got)
	}
	if got := r.SourceOf(0, "switch.latency"); got == "the scenario, or derived" {
		t.Error("the latency of the catalog's switch has no source")
	}
}
