package protocol

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// infiniBand is InfiniBand (IBA vol. 1).
var infiniBand = Protocol{
	Name: "infiniband", Title: "InfiniBand",
	Port:    Credits,
	MTU:     MTU{Name: "an InfiniBand", Only: []units.Bytes{256, 512, 1024, 2048, 4096}, Want: "256B, 512B, 1KiB, 2KiB or 4KiB"}, // 9.6.1
	Routing: []string{"deterministic", "adaptive"},

	ServiceLevels: true,
	SubnetManager: true,
	Controls:      cc.InfiniBand,
	Reads:         true,
	Planned:       true,
	Logs:          []string{"IB"},

	Bytes: func(op wire.Opcode, payload int, f Framing) int {
		return wire.InfiniBandBytes(op, payload, f.GRH) + f.Delimiters
	},
}
