package source

import (
	"fmt"
	"strings"
)

// Cluster is the content of a topology file: a scenario's cluster and fabrics.
type Cluster struct {
	Format string // display name, such as "NCCL topology"
	File   string
	// Fields are lines of YAML: a scenario, or the part that the file gives.
	Fields []string
	// Nodes is the number of nodes in the file; 0 if it describes one node as a pattern.
	Nodes int
	// Units and Assumptions are as in Workload. Values missing from the file keep the scenario's
	// defaults; an assumption names each.
	Units       []string
	Assumptions []string
}

// Assume adds a sentence to the assumptions.
func (c *Cluster) Assume(format string, args ...any) {
	c.Assumptions = append(c.Assumptions, fmt.Sprintf(format, args...))
}

// Field adds a line of YAML.
func (c *Cluster) Field(format string, args ...any) {
	c.Fields = append(c.Fields, fmt.Sprintf(format, args...))
}

// YAML is the scenario, with comments that state the source and the assumptions.
func (c *Cluster) YAML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# from %s: %s\n", c.File, c.Format)
	for _, u := range c.Units {
		fmt.Fprintf(&b, "# units: %s\n", u)
	}
	for _, a := range c.Assumptions {
		fmt.Fprintf(&b, "# assumed: %s\n", a)
	}
	for _, f := range c.Fields {
		b.WriteString(f)
		b.WriteByte('\n')
	}
	return b.String()
}
