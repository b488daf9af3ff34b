// Package isolation separates hosts: the P_Keys of an InfiniBand fabric (pkeys.go), the VLANs and VRFs
// of an Ethernet fabric (segments.go), and the record of packets that were discarded for them
// (violation.go).
package isolation
