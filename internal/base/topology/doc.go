// Package topology is the graph of a fabric: endpoints (network ports of
// hosts), switches and the cables between them, with builders for the shapes
// that are deployed. It knows nothing of time or of packets.
package topology
