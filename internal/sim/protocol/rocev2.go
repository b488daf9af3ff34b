package protocol

import "weft/wire"

// roceV2 is RoCE v2 (IBA vol. 1, annex A17): InfiniBand's transport in UDP.
var roceV2 = Protocol{
	Name: "roce-v2", Title: "RoCE v2",
	MTU: MTU{Name: "a RoCE v2", Least: 256, Most: 9000, Want: "256B to 4KiB, or up to 9000B for other simulators' cases"},

	CNPs:     true,
	Reads:    true,
	Settings: true,
	Planned:  true,
	Logs:     []string{"RoCE", "Ethernet"},

	Bytes: func(op wire.Opcode, payload int, f Framing) int {
		return wire.RoCEv2Bytes(op, payload, f.EthernetFraming)
	},
}
