package calibrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/study/measured"
	"weft/scenario"
	"weft/units"
)

// slack is the part by which a bus bandwidth may exceed what the wires carry: decimals, and rates of
// links that are rounded.
const slack = 1.02

// plausible returns an error if the described cluster cannot have printed the table: its GPUs are of
// another generation, or a bus bandwidth is above what the wires carry.
func (t *Task) plausible(r *scenario.Resolved) error {
	if err := t.sameGPUs(&r.Cluster.Node.GPU); err != nil {
		return err
	}
	limit, who := t.carried(r)
	if t.wires = limit; limit == 0 {
		return nil
	}
	factor := measured.BusFactor(scenario.Collective(t.Table.Op), t.Ranks())
	for _, row := range t.Table.Rows {
		if bus := cmp.Or(row.BusGBps, row.AlgGBps*factor); bus > limit*slack { // a table of times has no busbw
			return &beyondWires{fmt.Sprintf("the busbw of %.4g GB/s on line %d is above %.0f GB/s, the most that the %s of the described cluster carry: the log is of another cluster, or on other nodes (--cluster, --fabric, --nodes)", bus, row.Line, limit, who)}
		}
	}
	return nil
}

// beyondWires is the error of a table that is faster than the wires.
type beyondWires struct{ text string }

func (e *beyondWires) Error() string { return e.text }

// sameGPUs returns an error if the list of devices names several GPUs, or one of another generation
// than the cluster's.
func (t *Task) sameGPUs(gpu *scenario.GPU) error {
	names := t.Table.GPUs
	if len(names) == 0 {
		return nil
	}
	model, architecture := gpuNamed(names[0])
	for _, name := range names[1:] {
		if other, _ := gpuNamed(name); other != model {
			return fmt.Errorf("its list of devices names different GPUs (%s): a cluster has one kind here, and the slower ones decide", strings.Join(names, ", "))
		}
	}
	switch {
	case model == "" || model == gpu.Model:
	case architecture != gpu.Architecture:
		return fmt.Errorf("its GPUs are %s, and the cluster's %s: give the log's cluster (--cluster)", names[0], gpu.Model)
	default:
		t.Told = append(t.Told, fmt.Sprintf("the list of devices names %s, and the cluster has %s", names[0], gpu.Model))
	}
	return nil
}

// gpuNamed is the catalog's GPU in a name as a driver prints it; empty if it is none.
func gpuNamed(name string) (model string, architecture scenario.Architecture) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' })
	for _, e := range catalog.Entries(catalog.GPU) {
		if fact, ok := e.Get("architecture"); ok && slices.Contains(words, e.Name) {
			return e.Name, scenario.Architecture(fact.Value)
		}
	}
	return "", ""
}

// carried is the largest bus bandwidth in GB/s that the wires carry, and which wires; 0 if no bound
// is known. Each GPU sends and receives its part of the data once, or twice in an all-reduce unless a
// switch reduces; between nodes a node sends for all its GPUs.
func (t *Task) carried(r *scenario.Resolved) (gbps float64, who string) {
	op, node := scenario.Collective(t.Table.Op), &r.Cluster.Node
	reduced := 1.
	if op == scenario.AllReduce {
		reduced = 2
	}
	n, ranks := float64(t.Nodes), float64(t.Ranks())
	nics := float64(r.Fabrics[0].Link.Rate()) * float64(node.NICs) / float64(8*units.Gbps)
	between := (ranks - 1) / ranks * max(reduced, n/(n-1)) * nics
	switch {
	case op == scenario.SendRecv || op == scenario.Broadcast:
		return 0, ""
	case t.Nodes == 1 && node.ScaleUp.Rate() > 0:
		return reduced * float64(node.ScaleUp.LinkRate) * float64(node.ScaleUp.LinksTo(t.GPUs-1)) / float64(8*units.Gbps), "links of a GPU"
	case t.Nodes == 1:
		return 0, ""
	case op == scenario.AllToAll:
		between /= float64(t.GPUs)
	}
	return between, "NICs of a node"
}
