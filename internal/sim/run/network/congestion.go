package network

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// dataOverhead is the length of a packet of RoCE v2 over IPv4 without RETH, without its payload:
// the NIC's pacing counts it.
const dataOverhead = 82

// telemetry is the number of bytes of telemetry in a packet with an operation code.
func telemetry(f *scenario.Fabric, op wire.Opcode) int {
	if control := scenario.ControlOf(&f.CC); control != nil && op != wire.CNP {
		return int(control.Telemetry)
	}
	return 0
}

// notification sets the notification of marks between the queue pairs of a fabric, and the bytes
// that their pacing counts. NICs send the notifications of a port.
func notification(f *scenario.Fabric, c *transport.Config, n *fabric.NIC) {
	control := scenario.ControlOf(&f.CC)
	switch {
	case control == nil || protocol.Of(f.Kind).Unordered:
	case control.For == cc.InfiniBand:
		c.Marks, c.CNPInterval = transport.MarksAcked, 0 // BECN on acknowledgements; else a CNP
		c.PacedOverhead = units.Bytes(wire.InfiniBandBytes(wire.RCWriteMiddle, 0, f.IB.GRH))
	default:
		c.PacedOverhead = dataOverhead + control.Telemetry
		if control.Notifications == nil {
			return
		}
		period, ofPort := control.Notifications(scenario.ValuesOf(&f.CC))
		if c.CNPInterval = period; ofPort {
			c.CNPInterval, n.CNPInterval = 0, period
		}
	}
}

// fecn is the marking of an InfiniBand fabric's switches. The maker of the switch defines the
// thresholds in bytes for the values 15 to 1, and none has published them: sixteenths of a lane's
// input buffer, with 15 as one sixteenth, are an assumption.
func fecn(f *scenario.Fabric) marking.FECN {
	control := scenario.ControlOf(&f.CC)
	if control == nil || control.Marking == nil {
		return marking.FECN{}
	}
	m := control.Marking(scenario.ValuesOf(&f.CC))
	return marking.FECN{
		Threshold:   int32(max(1, f.IB.Buffer/16*units.Bytes(16-m.Threshold))),
		MarkingRate: uint16(m.Rate), PacketSize: uint16(m.PacketSize), Victims: m.Victims,
	}
}
