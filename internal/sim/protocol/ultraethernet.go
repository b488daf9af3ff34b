package protocol

import (
	"weft/internal/sim/transport/cc"
	"weft/wire"
)

// ultraEthernet is Ultra Ethernet's transport (UET specification 1.0).
var ultraEthernet = Protocol{
	Name: "ultra-ethernet", Title: "Ultra Ethernet",
	Port: Trims,
	MTU:  MTU{Name: "an Ultra Ethernet", Least: 256, Most: 8192, Want: "256B to 8KiB"},

	MarksLeaving: true, // 3.6.13
	Unordered:    true,
	Controls:     cc.UltraEthernet,
	OutOfOrder:   "placed as it comes; messages finish in any order",

	Bytes: func(_ wire.Opcode, payload int, f Framing) int {
		return wire.UETBytes(payload, f.EthernetFraming)
	},
}
