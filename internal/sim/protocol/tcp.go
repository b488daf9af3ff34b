package protocol

import "weft/wire"

// tcp is sockets: TCP in the kernel.
var tcp = Protocol{
	Name: "tcp", Title: "TCP",
	TCP:     KernelTCP,
	MTU:     ipMTU,
	Routing: ipRouting,

	OutOfOrder: "put in order by the kernel",

	Bytes: segmentBytes,
	Full: func(mtu int, f Framing) (payload, bytes int) {
		ip := wire.IPv4Bytes
		if f.IPv6 {
			ip = wire.IPv6Bytes
		}
		payload = mtu - ip - wire.TCPBytes - wire.TCPTimestampBytes
		return payload, segmentBytes(0, payload, f)
	},
}

// The common properties of protocols on TCP.
var (
	ipMTU     = MTU{Name: "an IP", Least: 576, Most: 9216, Want: "576B to 9216B"}
	ipRouting = []string{"adaptive", "ecmp", "flowlet", "spray", "up-down"}
)

func segmentBytes(_ wire.Opcode, payload int, f Framing) int {
	return wire.TCPSegmentBytes(payload, f.EthernetFraming)
}
