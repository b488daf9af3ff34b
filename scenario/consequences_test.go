package scenario

import (
	"strings"
	"testing"
)

// TestATypoIsOneError: values derived from the default in its place give no further errors.
func TestATypoIsOneError(t *testing.T) {
	for _, text := range []string{
		"cluster: {nodez: 2}\nfabrics: [{preset: infiniband-ndr, topology: {shape: torus, dims: [2, 2], hosts-per-leaf: 2}}]\n",
		"clustr: {nodes: 2}\nfabrics: [{preset: infiniband-ndr, topology: {shape: torus, dims: [2, 2], hosts-per-leaf: 2}}]\n",
		"workload: {patern: incast, fan-in: 3, sizes: [1MiB]}\n",
		"workload: {pattern: incst, fan-in: 3, sizes: [1MiB]}\n",
		"workload: {pattern: unifrm, transport: ud, operation: send, load: 0.3, duration: 1ms}\n",
		"fabrics: [{preset: infinibandx-ndr, ib: {sharp: true}}]\n",
		"fabrics: [infiniband-ndr, {preset: infinbiand-ndr, inspection: {rate: 200Gbps}}]\n",
		"cluster: {node: dgx-h1000, nodes: 4}\nworkload: {collective: broadcast, root: 31, sizes: [1KiB]}\n",
	} {
		f, err := Decode("s.yaml", []byte(text))
		if err == nil {
			_, err = f.Resolve()
		}
		if err == nil || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s%v, want one error", text, err)
		}
	}
}

// TestMistakesThatAreNotConnectedComeTogether: of two fabrics, or of a fabric and the run.
func TestMistakesThatAreNotConnectedComeTogether(t *testing.T) {
	for text, want := range map[string]int{
		"fabrics: [infinibandx-ndr, {preset: roce-v2-400g, beside: [{src: 0, dst: 0, bytes: 1MiB}]}]\n": 2,
		"run: {sed: 1}\nfabrics: [{preset: roce-v2-400g, beside: [{src: 0, dst: 0, bytes: 1MiB}]}]\n":   2,
		"cluster: {nodez: 1}\nworkload: {collectiv: x}\nfabrics: [nonsense]\n":                          3,
	} {
		_, err := Decode("s.yaml", []byte(text))
		if err == nil || strings.Count(err.Error(), "\n")+1 != want {
			t.Errorf("%s%v, want %d errors", text, err, want)
		}
	}
}
