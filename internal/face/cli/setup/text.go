package setup

import (
	"fmt"
	"strings"

	"weft/internal/sim/catalog"
	"weft/scenario"
)

// text is the scenario with comments, for a file of that name. It resolves: otherwise the error says what does not fit.
func (o *own) text(file string) (string, error) {
	presets, err := o.check()
	if err != nil {
		return "", err
	}
	node, err := catalog.Lookup(catalog.Node, o.node)
	if err != nil {
		return "", err
	}
	r, err := resolved(fmt.Sprintf("cluster: {node: %s, nodes: %d}\nfabrics: [%s]\n", o.node, o.nodes, strings.Join(presets, ", ")))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %d nodes: %s.\n#\n%s\n", o.nodes, node.Title, o.commands(file))
	fmt.Fprintf(&b, "name: %s\n\ncluster:\n  nodes: %d\n  node: %-14s # %s; weft catalog node lists others\n\n",
		o.title(), o.nodes, o.node, parts(&r.Cluster.Node))
	b.WriteString(o.topology(r))
	b.WriteString("\nfabrics: # weft catalog fabric lists others, weft catalog fabric NAME shows every value\n")
	for _, p := range presets {
		fmt.Fprintf(&b, "  - %s\n", p)
	}
	b.WriteString("\n" + o.job(&r.Cluster.Node))
	b.WriteString("\n# Every field, its meaning and its range: weft schema, docs/SCENARIO.md.\nrun: {seed: 1}\n")
	_, err = resolved(b.String())
	return b.String(), err
}

func (o *own) title() string {
	return fmt.Sprintf("%d x %s, %s", o.nodes, o.node, o.shape)
}

// parts are what a node has.
func parts(n *scenario.Node) string { return fmt.Sprintf("%d GPUs, %d NICs", n.GPUs, n.NICs) }

// trains reports whether the work is a training job.
func (o *own) trains() bool { return strings.HasPrefix(o.work, "llama") }

// commands are the first commands for the scenario.
func (o *own) commands(file string) string {
	lines := [][2]string{
		{"weft compare " + file, "which fabric is faster, by how much, and why"},
		{"weft run " + file + " --out run --series", "one run, link by link; weft ui run shows it"},
		{"weft topology " + file, "switches, cables, and whether everybody reaches everybody"},
	}
	if o.trains() {
		lines = [][2]string{
			{"weft train " + file, "how long a step takes on each fabric, and what the network costs"},
			{"weft topology " + file, "switches, cables, and whether everybody reaches everybody"},
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "#   %-40s %s\n", l[0], l[1])
	}
	return b.String()
}

// topology is the section of that name.
func (o *own) topology(r *scenario.Resolved) string {
	var b strings.Builder
	fmt.Fprintf(&b, "topology:\n  shape: %s\n", o.shape)
	if o.tapered() {
		fmt.Fprintf(&b, "  oversubscription: %-4s # downlinks of a leaf to its uplinks\n", shown(o.oversubscription))
	}
	nics := r.Cluster.Node.NICs * max(1, r.Fabrics[0].NIC.Ports)
	if n := o.perLeaf(r.Fabrics[0].Topology.Radix, nics); o.shape == leafSpine && n > 0 {
		fmt.Fprintf(&b, "  hosts-per-leaf: %-6d # NIC ports: %d whole nodes\n", n*nics, n)
	}
	fmt.Fprintf(&b, "  # radix: %-13d # ports of a switch; this is the smallest switch of the fabrics\n", r.Fabrics[0].Topology.Radix)
	b.WriteString("  cables: {node-leaf: 5m, leaf-spine: 30m}\n")
	return b.String()
}

// shown is a ratio as 2:1.
func shown(r scenario.Ratio) string { return fmt.Sprintf("%d:%d", r.Num, r.Den) }

// perLeaf is how many whole nodes a leaf takes, if its downlinks and uplinks are in the ratio of oversubscription.
func (o *own) perLeaf(radix, nics int) int {
	down := float64(radix) * o.oversubscription.Float() / (1 + o.oversubscription.Float())
	return min(o.nodes, int(down)/nics)
}

// job is the section workload or training.
func (o *own) job(n *scenario.Node) string {
	if !o.trains() {
		return fmt.Sprintf("workload:\n  collective: %s\n  sizes: {from: 1KiB, to: 256MiB, factor: 4} # or a list: [1MiB, 64MiB]\n", o.work)
	}
	tensor, pipeline := min(4, n.GPUs), 1
	if o.work == "llama3-70b" {
		tensor = min(8, n.GPUs)
		for pipeline < 4 && o.nodes%(2*pipeline) == 0 {
			pipeline *= 2
		}
	}
	replicas := o.nodes * n.GPUs / (tensor * pipeline)
	return fmt.Sprintf(`training:
  model: %s # weft catalog model lists others
  precision: bf16
  parallel: {tensor: %d, pipeline: %d} # and as many replicas as the GPUs allow: %d
  batch: {global: %d, micro: 1} # sequences a step
`, o.work, tensor, pipeline, replicas, 16*replicas)
}
