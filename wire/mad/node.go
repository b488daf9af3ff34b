package mad

import (
	"bytes"

	"weft/units"
)

// NodeInfo is the type, GUIDs and ports of a node (IBA vol. 1, 14.2.5.3).
type NodeInfo struct {
	BaseVersion  uint8
	ClassVersion uint8
	Type         uint8 // 1 channel adapter, 2 switch, 3 router
	NumPorts     uint8 // physical ports
	SystemGUID   units.GUID
	NodeGUID     units.GUID
	PortGUID     units.GUID // GUID of the port that received the request; of a switch, port 0's
	PartitionCap uint16     // entries of the P_Key table
	DeviceID     uint16
	Revision     uint32
	LocalPort    uint8  // the port that received the request
	VendorID     uint32 // 24 bits
}

func (n *NodeInfo) layout(c *codec) {
	bits(c, 8, &n.BaseVersion)
	bits(c, 8, &n.ClassVersion)
	bits(c, 8, &n.Type)
	bits(c, 8, &n.NumPorts)
	bits(c, 64, &n.SystemGUID)
	bits(c, 64, &n.NodeGUID)
	bits(c, 64, &n.PortGUID)
	bits(c, 16, &n.PartitionCap)
	bits(c, 16, &n.DeviceID)
	bits(c, 32, &n.Revision)
	bits(c, 8, &n.LocalPort)
	bits(c, 24, &n.VendorID)
}

// NodeDescription is a node's free text, padded with zeros (IBA vol. 1,
// 14.2.5.2).
type NodeDescription [64]byte

// Describe is a description with the first bytes of a text, as many as fit.
func Describe(text string) NodeDescription {
	var d NodeDescription
	copy(d[:], text)
	return d
}

// String is the text up to the first zero.
func (d *NodeDescription) String() string {
	if end := bytes.IndexByte(d[:], 0); end >= 0 {
		return string(d[:end])
	}
	return string(d[:])
}

func (d *NodeDescription) layout(c *codec) { raw(c, d[:]) }
