package protocol

import "weft/wire"

// roceV1 is RoCE v1 (IBA vol. 1, annex A16): InfiniBand's global route header directly in an
// Ethernet frame.
var roceV1 = Protocol{
	Name: "roce-v1", Title: "RoCE v1",
	MTU: MTU{Name: "a RoCE v1", Least: 256, Most: 4096, Want: "256B to 4KiB"},

	OneSegment: true,
	CNPs:       true,
	Reads:      true,

	Bytes: func(op wire.Opcode, payload int, f Framing) int {
		return wire.RoCEv1Bytes(op, payload, f.VLAN)
	},
}
