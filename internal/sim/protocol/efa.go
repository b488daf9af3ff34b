package protocol

import (
	"weft/internal/sim/transport/cc"
	"weft/wire"
)

// efa is the Elastic Fabric Adapter of AWS with its transport SRD (scalable reliable datagrams):
// reliable, unordered, over many paths. Its packets are public only by their lengths, and its rate
// control not at all: NSCC stands in for it, without trimming.
var efa = Protocol{
	Name: "efa", Title: "EFA",
	Port: Trims,
	MTU:  MTU{Name: "an EFA", Least: 256, Most: 8928, Want: "256B to 8928B"},

	MarksLeaving: true,
	Unordered:    true,
	Controls:     cc.UltraEthernet,
	OutOfOrder:   "placed as it comes; messages finish in any order",

	Bytes: func(_ wire.Opcode, payload int, f Framing) int {
		return f.AroundIP() + efaHeaders + payload
	},
}

// efaHeaders is the length of the headers in an IP packet: a frame of 9000 bytes carries 8928 of
// payload (uccl, collective/efa/transport_config.h).
const efaHeaders = 72
