package source

import (
	"fmt"
	"strings"
)

// Cluster is a topology file, as read: a scenario's cluster and fabrics.
type Cluster struct {
	Format string // for people, such as "NCCL topology"
	File   string
	// Fields are lines of YAML: a scenario, or the part of one that the file gives.
	Fields []string
	// Nodes is how many nodes the file gives; 0 where it gives one as a pattern.
	Nodes int
	// Units and Assumptions are those of Workload. What a file does not say keeps the
	// scenario's defaults, and an assumption names it.
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

// YAML is the scenario, with remarks that say what was read and how.
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
