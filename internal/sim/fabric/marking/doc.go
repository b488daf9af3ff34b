// Package marking decides which packets a congested switch marks: ECN at an egress queue of an
// Ethernet switch (ecn.go), FECN at an output lane of an InfiniBand switch (fecn.go). Package fabric
// sets the mark and counts it: its function markCongestion.
package marking
