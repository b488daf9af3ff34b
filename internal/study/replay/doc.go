// Package replay carries out a workload that was read from another program's files on
// the fabrics of a scenario: its distinct phases packet by packet, or all of it as it
// comes.
package replay
