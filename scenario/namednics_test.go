package scenario

import (
	"fmt"
	"slices"
	"testing"
)

// TestFlowsAreNamedAsStreamsAre: a flow with names stands for one from each of its NICs, with the rest of
// its fields.
func TestFlowsAreNamedAsStreamsAre(t *testing.T) {
	f, err := Decode("s.yaml", []byte(`cluster: {nodes: 4, node: dgx-h100}
fabric: infiniband-ndr
workload:
  pattern: flows
  flows:
    - {from: "node[0-1]/nic3", to: node3/nic0, bytes: 1MiB, start: 2us}
    - {src: 5, dst: 6, bytes: 2MiB}
    - {from: node1/nic0, to: "node0/nic[0-1]", bytes: 4MiB}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Workload.AllFlows(&r.Cluster) {
		got = append(got, fmt.Sprintf("%d>%d %s %v", f.Src, f.Dst, f.Bytes.Exact(), f.Start))
	}
	want := []string{"3>24 1MiB 2 us", "11>24 1MiB 2 us", "5>6 2MiB 0 ps", "8>0 4MiB 0 ps", "8>1 4MiB 0 ps"}
	if !slices.Equal(got, want) {
		t.Errorf("flows %q, want %q", got, want)
	}
}

// TestAResolvedReceiverIsReadBack: a resolved scenario states every field, and its named receivers stay valid.
func TestAResolvedReceiverIsReadBack(t *testing.T) {
	f, err := Decode("s.yaml", []byte("cluster: {nodes: 2, node: dgx-h100}\nfabric: {preset: roce-v2-400g, ethernet: {pfc: {receivers: [{nics: \"node1/nic[2-3]\", drain: 40Gbps}]}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode("resolved.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	back, err := again.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Fabrics[0].Ethernet.PFC.Receivers[0].Members(&back.Cluster); !slices.Equal(got, []int{10, 11}) {
		t.Errorf("receivers %v, want NICs 10 and 11", got)
	}
}
