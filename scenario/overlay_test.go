package scenario

import (
	"strings"
	"testing"
)

// overlaid is a scenario under an overlay.
func overlaid(t *testing.T, text, over string) *Resolved {
	t.Helper()
	f, err := Decode("scenario.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o, err := DecodeOverlay("over.yaml", []byte(over))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Under(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnOverlayChangesTheFieldsThatItNamesAndNothingElse(t *testing.T) {
	const over = "nccl: {base: 3/2}\ncluster: {node: {scale-up: {latency: 400ns}}}\n"
	for _, text := range []string{
		"cluster: {nodes: 2}\n",
		"cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr\n",
		"cluster: {nodes: 2, node: {preset: dgx-h100, scale-up: nvlink-4}}\nnccl: {proxy: 2}\n",
	} {
		r := overlaid(t, text, over)
		if r.NCCL.Base != (Ratio{Num: 3, Den: 2}) || r.Cluster.Node.ScaleUp.Latency.Exact() != "400ns" {
			t.Errorf("%q: base %v and latency %v, want 3/2 and 400ns", text, r.NCCL.Base, r.Cluster.Node.ScaleUp.Latency)
		}
		if r.Cluster.Nodes != 2 || r.Cluster.Node.GPUs != 8 || r.Cluster.Node.ScaleUp.Links != 18 {
			t.Errorf("%q: %d nodes of %d GPUs with %d links, want the scenario's and its presets' values", text, r.Cluster.Nodes, r.Cluster.Node.GPUs, r.Cluster.Node.ScaleUp.Links)
		}
	}
}

func TestAnOverlaysFabricIsEveryFabric(t *testing.T) {
	for text, want := range map[string]int{
		"cluster: {nodes: 2}\n": 3,
		"cluster: {nodes: 2}\nfabric: {preset: infiniband-ndr, mtu: 2KiB}\n":                         1,
		"cluster: {nodes: 2}\nfabrics: roce-v2-400g\n":                                               1,
		"cluster: {nodes: 2}\nfabrics: [roce-v2-400g, {preset: infiniband-ndr, name: b, mtu: 2KiB}]": 2,
	} {
		r := overlaid(t, text, "fabric: {nic: {tx-pipeline: 321ns}}\n")
		if len(r.Fabrics) != want {
			t.Errorf("%q: %d fabrics, want %d", text, len(r.Fabrics), want)
		}
		for i := range r.Fabrics {
			if got := r.Fabrics[i].NIC.TxPipeline.Exact(); got != "321ns" {
				t.Errorf("%q: the NIC of %s takes %s, want 321ns", text, r.Fabrics[i].Name, got)
			}
		}
	}
}

func TestAWrongOverlayIsNamed(t *testing.T) {
	f, err := Decode("scenario.yaml", []byte("cluster: {nodes: 2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for over, want := range map[string]string{
		"nccl: {bass: 2}":        "--overlay over.yaml",
		"nccl: {base: 1000}":     "1/100 to 100",
		"fabric: infiniband-ndr": "mapping",
		"[1, 2]":                 "mapping",
	} {
		o, err := DecodeOverlay("over.yaml", []byte(over))
		if err == nil {
			_, err = f.Under(o)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want it to have %q", over, err, want)
		}
	}
}

func FuzzOverlay(f *testing.F) {
	f.Add("nccl: {base: 3/2}\nfabric: {nic: {tx-pipeline: 321ns}}\n")
	f.Add("cluster: {node: {scale-up: {latency: 1us}}}\nfabrics: []\n")
	file, err := Decode("scenario.yaml", []byte("cluster: {nodes: 2}\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := DecodeOverlay("over.yaml", []byte(text))
		if err != nil {
			return
		}
		if g, err := file.Under(o); err == nil {
			if _, err := g.Resolve(); err != nil {
				t.Errorf("a scenario that takes the overlay does not resolve: %v", err)
			}
		}
	})
}
