package protocol

import "weft/wire"

// iwarp is iWARP (RFC 5040, 5041, 5044): RDMA over TCP in the NIC.
var iwarp = Protocol{
	Name: "iwarp", Title: "iWARP",
	TCP:     NICTCP,
	MTU:     ipMTU,
	Routing: ipRouting,

	OutOfOrder: "put in order by the NIC's TCP",

	Bytes: segmentBytes,
	Full: func(mtu int, f Framing) (payload, bytes int) {
		unit := wire.MPAUnit(mtu-wire.IPv4Bytes-wire.TCPBytes-wire.TCPTimestampBytes, f.Markers)
		markers := 0
		if f.Markers {
			markers = unit / (wire.MPAMarkerSpan - wire.MPAMarkerBytes) * wire.MPAMarkerBytes
		}
		return unit - wire.FPDUBytes(wire.DDPTaggedBytes), segmentBytes(0, unit+markers, f)
	},
}
