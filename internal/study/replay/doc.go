// Package replay runs a workload from another program's files on the fabrics of a scenario: its
// distinct phases packet by packet, or the whole workload as it is.
package replay
