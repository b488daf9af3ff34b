package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// besideOf are the streams of a fabric with a field beside, of 4 nodes with 8 NICs.
func besideOf(beside string) ([]Stream, error) {
	f, err := Decode("s.yaml", []byte("cluster: {nodes: 4, node: dgx-h100}\nfabric: {preset: infiniband-ndr, beside: ["+beside+"]}\n"))
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	return r.Fabrics[0].Beside, nil
}

// TestStreamsAreNamedAsResultsNameNICs: one NIC, a range, a whole node, and one NIC for many.
func TestStreamsAreNamedAsResultsNameNICs(t *testing.T) {
	for beside, want := range map[string]string{
		"{from: node1/nic2, to: node3/nic0, bytes: 1MiB}":                       "10>24",
		`{from: "node[0-2]/nic0", to: node3/nic0, bytes: 1MiB}`:                 "0>24 8>24 16>24",
		`{from: node3/nic7, to: ["node[0-1]/nic0", node2/nic1], bytes: 1MiB}`:   "31>0 31>8 31>17",
		`{from: "node0/nic[0-1]", to: "node1/nic[0-1]", bytes: 1M}`:             "0>8 1>9",
		"{from: node0, to: node1, bytes: 1MiB}":                                 "0>8 1>9 2>10 3>11 4>12 5>13 6>14 7>15",
		"{src: 3, dst: 9, bytes: 1MiB}":                                         "3>9",
		`{from: node0/nic0, to: node1/nic0, bytes: 1MiB, load: 25%, name: "x"}`: "0>8",
	} {
		list, err := besideOf(beside)
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%d>%d", s.Src, s.Dst))
			if s.Load.Num > 0 && (s.Depth != 16 || s.Load.Float() != 0.25) {
				t.Errorf("%s: depth %d, load %v", beside, s.Depth, s.Load)
			}
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v (%v), want %s", beside, got, err, want)
		}
	}
	for beside, want := range map[string]string{
		`{from: "node[0-2]/nic0", to: "node[0-1]/nic1", bytes: 1MiB}`: "from stands for 3 NICs and to for 2",
		"{from: node9/nic0, to: node0/nic0, bytes: 1MiB}":             "fabrics[0].beside[0].from[0]: \"node9/nic0\" is no NIC of the cluster: want node0 to node3",
		"{from: node1/nic0, bytes: 1MiB}":                             "fabrics[0].beside[0].to: no NIC is named",
		"{from: node1/nic0, to: node1/nic0, bytes: 1MiB}":             "to itself",
		"{from: node1/nic0, dst: 3, bytes: 1MiB}":                     "take the others out",
		"{from: node1/nic0, to: node2/nic0, bytes: 1MiB, load: 120%}": "more than the link carries",
	} {
		if _, err := besideOf(beside); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", beside, err, want)
		}
	}
}
