package roce

import "weft/units"

// quantumBits is the unit of a pause time (IEEE 802.3, 31B.2).
const quantumBits = 512

// peerQuanta is the number of quanta that a port may take from the pause frame to the end of its
// last packet (IEEE 802.3, 31B.3.7; as in SONiC, 800 Gb/s has the value of 400 Gb/s).
var peerQuanta = map[units.Rate]int64{
	100 * units.Mbps: 1,
	1 * units.Gbps:   2,
	10 * units.Gbps:  67,
	25 * units.Gbps:  80,
	40 * units.Gbps:  118,
	50 * units.Gbps:  147,
	100 * units.Gbps: 394,
	200 * units.Gbps: 453,
	400 * units.Gbps: 905,
	800 * units.Gbps: 905,
}

// PeerResponse is the number of bytes that a peer at a speed may still send
// after a pause frame has reached it. ok is false for a speed that the
// standard does not list.
func PeerResponse(speed units.Rate) (bytes int64, ok bool) {
	q, ok := peerQuanta[speed]
	return q * quantumBits / 8, ok
}
