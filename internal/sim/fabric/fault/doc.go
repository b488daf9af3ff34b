// Package fault is the faults of a run and the reactions of the control plane to them (plan.go), in the
// order in which they happen at a link (link.go) and at a row of the forwarding tables (row.go), and the
// sets of ports that the tables will ever have (portsets.go). Package fabric makes them happen.
package fault
