package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCollectivesDoNotDependOnPartitions runs one collective at a time, so that all
// cores are its own, in one, two, three and seven partitions, and holds that it was cut.
func TestCollectivesDoNotDependOnPartitions(t *testing.T) {
	const (
		thin  = "cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 8}\n"
		rails = "cluster: {nodes: 8, node: dgx-h100}\n"
		trees = "cluster: {nodes: 8, node: dgx-h100}\ntopology: {shape: fat-tree, levels: 2, radix: 16}\n"
	)
	for _, c := range []struct{ name, cluster, fabrics, workload string }{
		{"ring of single NICs", thin, "infiniband-ndr roce-v2-400g tcp-400g", "collective: all-reduce, algorithm: ring, sizes: [1MiB]"},
		{"hierarchical on rails", rails, "infiniband-ndr roce-v2-400g tcp-400g", "collective: all-reduce, algorithm: hierarchical, sizes: [4MiB]"},
	} {
		for _, fabric := range strings.Fields(c.fabrics) {
			t.Run(fmt.Sprintf("%s/%s", c.name, fabric), func(t *testing.T) {
				r := resolve(t, c.cluster+"fabrics: ["+fabric+"]\nworkload: {"+c.workload+"}")
				var want []byte
				for _, workers := range []int{1, 2, 3, 7} {
					got, err := json.Marshal(run(t, r, workers))
					if err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = got
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%d cores:\n%s\none core:\n%s", workers, got, want)
					}
				}
			})
		}
	}
}
