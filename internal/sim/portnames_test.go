package sim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/sim"
)

// TestLinksHaveTheSitesNamesOfPorts: on an Ethernet fabric from a file the results name a link by the port's own name, and by a
// number where the file has a number.
func TestLinksHaveTheSitesNamesOfPorts(t *testing.T) {
	dir := t.TempDir()
	plan := "device,port,device,port\ngpu0,eth0,leaf0,Ethernet16\ngpu1,eth0,leaf0,Ethernet20\ngpu2,eth0,leaf0,7\n"
	if err := os.WriteFile(filepath.Join(dir, "plan.csv"), []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := sim.Run(t.Context(), resolveIn(t, dir, `
cluster: {node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {file: plan.csv}
fabric: roce-v2-400g
workload: {pattern: permutation, sizes: [1MiB]}
`), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range out.Fabrics[0].Points[0].Hottest {
		names = append(names, l.Name)
	}
	all := strings.Join(names, "\n")
	for _, want := range []string{"leaf0 Ethernet16 to gpu0/eth0", "leaf0 Ethernet20 to gpu1/eth0", "leaf0 port 7 to gpu2/eth0"} {
		if !strings.Contains(all, want) {
			t.Errorf("the links are\n%s\nwant %s", all, want)
		}
	}
}
