package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"weft/internal/base/topology"
	"weft/internal/face/doc"
	"weft/internal/face/draw"
	"weft/internal/face/report"
	"weft/internal/sim/run/network"
	"weft/internal/sim/scenario"
)

func newTopology(e *Env) *cobra.Command {
	var c choice
	var svg string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "topology FILE",
		Short: "count switches, cables and ports of a scenario's fabrics, and draw them",
		Example: `  weft topology examples/h100-128.yaml
  weft topology examples/h100-128.yaml --fabric infiniband-ndr --svg fabric.svg`,
		Args:              args(1, 1, "one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := c.load(e, given[0])
			if err != nil {
				return err
			}
			return c.placed(showTopology(e, r, svg, asJSON))
		},
	}
	svgFlag(cmd, &svg, "the (first) fabric")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	c.register(cmd)
	return cmd
}

// counted is the bill of one fabric's topology.
type counted struct {
	Fabric    string         `json:"fabric"`
	Shape     string         `json:"shape"`
	Nodes     int            `json:"nodes"`
	Endpoints int            `json:"endpoints"`
	Services  int            `json:"management_ports"`
	Switches  map[string]int `json:"switches"`
	Cables    map[string]int `json:"cables"`
	Used      int            `json:"switch_ports_used"`
	Free      int            `json:"switch_ports_free"`
	count     topology.Count
	spec      topology.Spec
}

func showTopology(e *Env, r *scenario.Resolved, svg string, asJSON bool) error {
	var all []counted
	for i := range r.Fabrics {
		one, err := countFabric(r, &r.Fabrics[i])
		if err != nil {
			return &network.Refusal{Fabric: r.Fabrics[i].Name, Field: "topology", Err: fmt.Errorf("it cannot be built: %w", err)}
		}
		all = append(all, one)
	}
	if svg != "" {
		if err := writeDrawing(e, r, all[0], svg); err != nil {
			return err
		}
		if svg == "-" {
			return nil
		}
	}
	if asJSON {
		return printJSON(e, map[string]any{"fabrics": all})
	}
	if err := doc.Grid(topologyRows(all)).Write(e.Stdout, e.style()); err != nil {
		return err
	}
	if cut := report.CutRadix(r); cut != "" {
		_, err := fmt.Fprintln(e.Stdout, "\n"+doc.Wrap(cut+".", e.style().Columns()))
		return err
	}
	return nil
}

func countFabric(r *scenario.Resolved, f *scenario.Fabric) (counted, error) {
	spec, err := network.Shape(&f.Topology, &r.Cluster)
	if err != nil {
		return counted{}, err
	}
	n, err := spec.Count()
	if err != nil {
		return counted{}, err
	}
	c := counted{
		Fabric: f.Name, Shape: string(f.Topology.Shape), Nodes: n.Nodes, Endpoints: n.Endpoints, Services: n.Services,
		Switches: map[string]int{"leaf": n.Switches[0], "spine": n.Switches[1], "core": n.Switches[2], "total": n.TotalSwitches()},
		Cables:   map[string]int{"total": n.TotalCables()},
		Used:     n.PortsUsed, Free: n.PortsFree, count: n, spec: spec,
	}
	for kind, cables := range n.Cables {
		c.Cables[topology.CableKind(kind).String()] = cables
	}
	return c, nil
}

// topologyRows is a column per fabric, without rows that are zero for all.
func topologyRows(all []counted) [][]string {
	head, shape := []string{""}, []string{"shape"}
	for _, c := range all {
		head, shape = append(head, c.Fabric), append(shape, c.Shape)
	}
	rows := [][]string{head, shape}
	add := func(label string, always bool, of func(counted) int) {
		row, zero := []string{label}, true
		for _, c := range all {
			n := of(c)
			zero = zero && n == 0
			row = append(row, strconv.Itoa(n))
		}
		if always || !zero {
			rows = append(rows, row)
		}
	}
	add("nodes", true, func(c counted) int { return c.Nodes })
	add("NIC ports", true, func(c counted) int { return c.Endpoints })
	add("management ports", false, func(c counted) int { return c.Services })
	add("switches", true, func(c counted) int { return c.count.TotalSwitches() })
	for level, name := range []string{"leaf", "spine", "core"} {
		add("  "+name, false, func(c counted) int { return c.count.Switches[level] })
	}
	add("cables", true, func(c counted) int { return c.count.TotalCables() })
	for kind := range all[0].count.Cables {
		add("  "+topology.CableKind(kind).String(), false, func(c counted) int { return c.count.Cables[kind] })
	}
	add("switch ports in use", true, func(c counted) int { return c.Used })
	add("switch ports free", true, func(c counted) int { return c.Free })
	return rows
}

// writeDrawing writes the drawing of a fabric.
func writeDrawing(e *Env, r *scenario.Resolved, c counted, svg string) error {
	graph, err := c.spec.Build()
	if err != nil {
		return fmt.Errorf("the topology of %s cannot be built: %w", c.Fabric, err)
	}
	return e.writeText(svg, draw.Graph(graph, r.Name+": "+c.Fabric))
}
