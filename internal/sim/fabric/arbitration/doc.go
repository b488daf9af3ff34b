// Package arbitration decides whose packet is next at a port: among the virtual lanes of InfiniBand by
// their weights (vlarb.go), among the priorities of Ethernet by strict order and deficit round robin
// (schedule.go).
package arbitration
