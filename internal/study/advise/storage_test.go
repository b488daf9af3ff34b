package advise

import (
	"context"
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
)

// With shared storage a design keeps ports of its leaves free, besides the uplinks for its
// oversubscription. 128 nodes fill 4 units of rails, and 16 ports of storage are 2 more places on
// each rail.
func TestStorageOnTheFabricHasFreePorts(t *testing.T) {
	free := func(more string) (ports, leaves int) {
		p, err := Read("x.yaml", []byte(fmt.Sprintf("design: {gpus: 1024, fabrics: infiniband, shapes: rail-optimised%s", more)))
		if err != nil {
			t.Fatal(err)
		}
		made, err := designsOf(context.Background(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := made[0].Design
		spec, err := network.Shape(&d.Resolved.Fabrics[0].Topology, &d.Resolved.Cluster)
		if err != nil {
			t.Fatal(err)
		}
		g, err := spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		places := d.Count.Switches[0] * d.Radix / 2 // as many down as up
		if built := topology.Tally(g); built != d.Count || d.Count.Nodes != 128 {
			t.Errorf("%s: built %+v, planned %+v", more, built, d.Count)
		}
		return places - d.Count.Endpoints, d.Count.Switches[0]
	}
	if ports, leaves := free("}"); ports != 0 || leaves != 32 {
		t.Errorf("without storage %d ports of %d leaves are free", ports, leaves)
	}
	if ports, leaves := free("}\norganisation: {storage-on-fabric: true}"); ports < 16 || leaves != 40 {
		t.Errorf("with storage %d ports of %d leaves are free, want 16 and more of 40", ports, leaves)
	}
	if ports, leaves := free(", spare-ports: 300}\norganisation: {storage-on-fabric: true}"); ports < 300 || leaves != 48 {
		t.Errorf("with 300 ports asked for, %d ports of %d leaves are free, want 300 and more of 48", ports, leaves)
	}
}
