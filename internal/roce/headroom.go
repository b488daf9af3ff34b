package roce

import (
	"fmt"
	"math"

	"weft/units"
)

// signalSpeed is the speed of a signal in a cable, in m/s, as SONiC assumes it.
const signalSpeed = 198e6

// smallPacket is the smallest packet, in bytes. Pattern.SmallPercent is the share of such packets.
const smallPacket = 64

// peerFallbackKiB is the amount of data that a peer may still send if the standard lists no
// response time for the speed (SONiC, asic_table.j2).
const peerFallbackKiB = 3.8

// Port is the port whose buffer is sized.
type Port struct {
	Speed units.Rate
	Cable units.Length
	MTU   units.Bytes // the longest frame that the port may send
	Lanes int         // eight doubles the pipeline's share
	// Gearbox is the delay of one gearbox in bytes; most ports have none.
	Gearbox units.Bytes
}

// Pattern is the worst traffic expected on the lossless priority (SONiC's
// LOSSLESS_TRAFFIC_PATTERN).
type Pattern struct {
	SmallPercent int         // share of packets of 64 bytes, 0 to 100
	MTU          units.Bytes // length of the other packets
}

// Term is one part of a sum, with the reason for it.
type Term struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`
	Why   string  `json:"why"`
}

// Headroom is the buffer that a lossless priority needs, and the terms that it is computed from:
//
//	Xoff = ⌈Pattern.MTU + Occupancy · Σ Terms⌉ + the chip's extra
type Headroom struct {
	Terms []Term
	// Occupancy is the buffer that one byte of packets takes in the worst case, in bytes. It is
	// above 1 because a cell never holds parts of two packets.
	Occupancy float64
	Profile
}

// Profile is the buffer of a lossless priority in the fields of a switch's configuration.
type Profile struct {
	Xoff units.Bytes // buffer behind the threshold: the headroom proper
	Xon  units.Bytes // the queue drains down to this before the peer may send again
	// Size is the buffer reserved for the priority: XON and XOFF, or XON alone if the headroom is
	// in a pool that ports share.
	Size units.Bytes
}

// Headroom computes the buffer of a lossless priority as SONiC does for NVIDIA's chips. shared says
// that XOFF comes out of a shared headroom pool. It returns an error for values that no port has.
func (a *ASIC) Headroom(port Port, pattern Pattern, shared bool) (Headroom, error) {
	if err := check(port, pattern); err != nil {
		return Headroom{}, err
	}
	h := Headroom{Terms: a.terms(port), Occupancy: a.occupancy(pattern)}
	sum := 0.0
	for _, t := range h.Terms {
		sum += t.Bytes
	}
	h.Xoff = roundUp(float64(pattern.MTU)+sum*h.Occupancy) + roundUp(a.ExtraKiB*1024)
	pipeline, overhead := a.PipelineKiB, units.Bytes(0)
	if port.Lanes == 8 {
		pipeline, overhead = 2*pipeline, port.MTU
	}
	h.Xon = roundUp(pipeline * 1024)
	h.Size = h.Xon
	if !shared {
		h.Size = roundUp(float64(h.Xoff + h.Xon + overhead))
	}
	return h, nil
}

// terms are the bytes that still arrive after the queue has passed its threshold.
func (a *ASIC) terms(port Port) []Term {
	metres := float64(port.Cable) / float64(units.Metre)
	cable := 2 * metres * float64(port.Speed) / signalSpeed / 8
	terms := []Term{
		{"packet being sent", float64(port.MTU), "the pause frame waits for the end of a packet of the port's MTU that has just begun"},
		{"cable, both ways", cable, fmt.Sprintf("2 × %v at 198,000 km/s and %v: the pause frame on its way there, data on its way here", port.Cable, port.Speed)},
	}
	if port.Gearbox > 0 {
		terms = append(terms, Term{"gearboxes", 2 * float64(port.Gearbox), "one at each end"})
	}
	terms = append(terms, Term{"MAC and PHY", a.MACPHYKiB * 1024, "between the buffer and the wire"}, peerTerm(port.Speed))
	if a.TileNs > 0 {
		terms = append(terms, Term{"tile", a.TileNs * 1e-9 * float64(port.Speed) / 8, fmt.Sprintf("%.0f ns between the tiles of the chip", a.TileNs)})
	}
	return terms
}

func peerTerm(speed units.Rate) Term {
	if bytes, ok := PeerResponse(speed); ok {
		return Term{"peer's response", float64(bytes), fmt.Sprintf("%d quanta of 512 bit times until the peer has stopped (IEEE 802.3, 31B.3.7)", peerQuanta[speed])}
	}
	return Term{"peer's response", peerFallbackKiB * 1024, fmt.Sprintf("the standard lists no response time at %v: SONiC's fallback of %.1f KiB", speed, peerFallbackKiB)}
}

// occupancy is the buffer that a byte takes, as in the script: badly filled cells weigh as much as
// 64 bytes do in the mean size of a packet.
func (a *ASIC) occupancy(p Pattern) float64 {
	cell := float64(a.Cell)
	worst := 2 * cell / (1 + cell) // a packet of one byte more than a cell
	if cell > 2*smallPacket {
		worst = math.Ceil(cell / smallPacket) // one small packet to a cell
	}
	share := float64(p.SmallPercent) / 100
	weight := smallPacket / (share*smallPacket + (1-share)*float64(p.MTU))
	return 1 - weight + weight*worst
}

// MaxCable is the longest cable that is accepted: at 100 km and 400 Gb/s the
// cable alone holds 50 MB, more than any switch has for one port.
const MaxCable = 100_000 * units.Metre

func check(port Port, p Pattern) error {
	switch {
	case port.Speed <= 0:
		return fmt.Errorf("a port of %v: the speed is above 0", port.Speed)
	case port.Cable < 0 || port.Cable > MaxCable:
		return fmt.Errorf("a cable of %v: valid is 0 to %v", port.Cable, MaxCable)
	case port.MTU < 64 || port.MTU > 65535:
		return fmt.Errorf("a port MTU of %d bytes: valid is 64 to 65535", port.MTU)
	case p.SmallPercent < 0 || p.SmallPercent > 100:
		return fmt.Errorf("%d %% small packets: valid is 0 to 100", p.SmallPercent)
	case p.MTU < 64 || p.MTU > port.MTU:
		return fmt.Errorf("a lossless MTU of %d bytes: valid is 64 to the port's MTU, %d", p.MTU, port.MTU)
	}
	return nil
}

// roundUp rounds up to whole KiB, as the script does.
func roundUp(bytes float64) units.Bytes { return units.Bytes(math.Ceil(bytes/1024) * 1024) }
