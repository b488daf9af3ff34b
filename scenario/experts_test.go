package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// mixed resolves an exchange on six nodes.
func mixed(t *testing.T, experts string) *Resolved {
	t.Helper()
	f, err := Decode("experts.yaml", []byte(fmt.Sprintf(`
cluster: {nodes: 6, node: dgx-h100}
fabric: infiniband-ndr
workload: {exchange: moe-dispatch, experts: {count: 288, %s}}`, experts)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is printed of an exchange resolves to the same, also where a user has set a field to zero.
func TestAPrintedExchangeResolvesToItself(t *testing.T) {
	for _, experts := range []string{
		"", "kernel: throughput", "kernel: throughput, node-limit: 0, software: 0, copy-rate: 0", "scale-group: 0, element: fp8",
		"library: uccl-ep, proxy-time: 0", "gating: zipf, replicas: 48, placement: balanced", "posting: proxy, proxy-threads: 2, signal: immediate",
	} {
		r := mixed(t, experts)
		text, err := r.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Decode("printed.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := f.Resolve(); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s: %v\n%+v\nand printed\n%+v", experts, err, r.Workload, again.Workload)
		}
	}
}

// Throughput kernels on more than four nodes send a token to four at most, unless a user says other.
func TestThroughputKernelsHaveTheNodeLimitOfTheirTest(t *testing.T) {
	for experts, want := range map[string]int{"": 0, "kernel: throughput": 4, "kernel: throughput, node-limit: 0": 0, "kernel: throughput, node-limit: 2": 2} {
		if got := mixed(t, experts).Workload.Experts.NodeLimit; got != want {
			t.Errorf("%q: a limit of %d nodes, want %d", experts, got, want)
		}
	}
}

// A histogram has whole numbers between spaces, commas or lines, and comments; another word is
// reported with its line.
func TestAHistogramIsReadFromItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts.txt")
	if err := os.WriteFile(path, []byte("# tokens of each expert\n"+strings.Repeat("12, 7\t0\n5;", 72)), 0o600); err != nil {
		t.Fatal(err)
	}
	x := mixed(t, "histogram: "+path).Workload.Experts
	if x.Gating != GatingWeights || len(x.Weights) != 288 || !slices.Equal(x.Weights[:5], []int64{12, 7, 0, 5, 12}) || x.Histogram != "" {
		t.Errorf("%s, %d weights: %v", x.Gating, len(x.Weights), x.Weights[:5])
	}
	if _, err := histogramOf("1 2\n3 -4\n"); err == nil || !strings.Contains(err.Error(), `line 2: "-4" is no weight`) {
		t.Errorf("%v, want the line of the negative weight", err)
	}
	if _, err := histogramOf("# nothing\n"); err == nil {
		t.Error("a histogram without numbers is read")
	}
}

// FuzzHistogram: a text gives weights within their bounds, or an error.
func FuzzHistogram(f *testing.F) {
	for _, text := range []string{"1 2 3", "# c\n1,2;3\r\n", "-1", "9999999999999999999", "\x00", "1e3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		weights, err := histogramOf(text)
		if (err == nil) != (len(weights) > 0) {
			t.Fatalf("%d weights and %v", len(weights), err)
		}
		for _, w := range weights {
			if w < 0 || w > mostWeight {
				t.Fatalf("a weight of %d", w)
			}
		}
	})
}

// answering is a serving job on two and two nodes.
func answering(model, experts string) (*Resolved, error) {
	f, err := Decode("serving.yaml", []byte(fmt.Sprintf(`
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr]
serving:
  model: %s
  prefill: {nodes: 2, data: 16, tokens: 256}
  decode: {nodes: 2, data: 16, requests: 16}
  experts: %s
`, model, experts)))
	if err != nil {
		return nil, err
	}
	return f.Resolve()
}

// Experts that a serving job's tokens cannot choose are refused, with the reason.
func TestTheRoutingOfAServingJobIsChecked(t *testing.T) {
	for _, c := range []struct{ model, experts, want string }{
		{"deepseek-v3", "{weights: [1, 2]}", "2 weights are given for 256 experts"},
		{"deepseek-v3", "{gating: uniform, skew: 2}", "a skew is for gating: zipf"},
		{"deepseek-v3", "{node-limit: 3}", "a limit of 3 nodes"},
		{"deepseek-v3", "{histogram: none.txt}", "none.txt cannot be read"},
		{"deepseek-v3", "{gating: zipf, kernel: throughput}", "no such field"},
		{"{preset: deepseek-v3, experts: 100}", "{node-limit: 1}", "filled up with 12 copies"},
	} {
		if _, err := answering(c.model, c.experts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %q", c.experts, c.model, err, c.want)
		}
	}
	if _, err := answering("llama3-8b", "{gating: zipf}"); err == nil {
		t.Error("a model without experts has gating")
	}
}

// A pool without nodes has those that the other leaves, or half of the cluster.
func TestAPoolHasTheNodesThatTheOtherLeaves(t *testing.T) {
	for _, c := range []struct {
		pools           string
		prefill, decode int
	}{
		{"prefill: {tensor: 8}\n  decode: {tensor: 8}", 3, 4},
		{"prefill: {nodes: 5, tensor: 8}\n  decode: {tensor: 8}", 5, 2},
		{"prefill: {tensor: 8}\n  decode: {nodes: 1, tensor: 8}", 6, 1},
		{"prefill: {nodes: 2, tensor: 8}\n  decode: {nodes: 3, tensor: 8}", 2, 3},
		{"prefill: {nodes: 2, tensor: 8}\n  collocated: true", 2, 0},
	} {
		f, err := Decode("pools.yaml", []byte("cluster: {nodes: 7}\nserving:\n  model: llama3-8b\n  "+c.pools+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Errorf("%s: %v", c.pools, err)
			continue
		}
		if s := &r.Serving; s.Prefill.Nodes != c.prefill || s.Decode.Nodes != c.decode {
			t.Errorf("%s: %d nodes of prefill and %d of decode, want %d and %d", c.pools, s.Prefill.Nodes, s.Decode.Nodes, c.prefill, c.decode)
		}
	}
}

// What is printed of a serving job's experts resolves to the same.
func TestAPrintedRoutingResolvesToItself(t *testing.T) {
	for _, experts := range []string{"{gating: zipf}", "{node-limit: 1, placement: striped, start-skew: 5us, library: deepep}"} {
		r, err := answering("deepseek-v3", experts)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Decode("printed.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := f.Resolve(); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s: %v\n%+v\nand printed\n%+v", experts, err, r.Serving.Experts, again.Serving.Experts)
		}
	}
}
