package wire

import (
	"encoding/binary"

	"weft/units"
)

// BTH is the base transport header of every packet between queue pairs (IBA vol. 1, 9.2).
type BTH struct {
	Opcode    Opcode
	Solicited bool  // SE: the responder should raise an event
	MigReq    bool  // M: the state of path migration
	PadCount  uint8 // bytes of padding after the payload, 0 to 3
	Version   uint8 // TVer, 0; four bits
	PKey      uint16
	FECN      bool // the packet met congestion (IBA vol. 1, A10)
	BECN      bool // packets of the opposite direction met congestion
	DestQP    units.QPN
	AckReq    bool // A: the responder must acknowledge
	PSN       units.PSN
}

// The bits of the BTH's second and fifth byte, and of the ninth.
const (
	bthSolicited = 1 << 7
	bthMigReq    = 1 << 6
	bthFECN      = 1 << 7
	bthBECN      = 1 << 6
	bthAckReq    = 1 << 7
)

// AppendTo appends the 12 bytes of the header. Reserved bits are 0.
func (h *BTH) AppendTo(b []byte) []byte {
	b = append(b, byte(h.Opcode),
		flag(h.Solicited, bthSolicited)|flag(h.MigReq, bthMigReq)|h.PadCount&3<<4|h.Version&0xf,
		byte(h.PKey>>8), byte(h.PKey))
	b = binary.BigEndian.AppendUint32(b, uint32(flag(h.FECN, bthFECN)|flag(h.BECN, bthBECN))<<24|uint32(h.DestQP)&0xff_ffff)
	return binary.BigEndian.AppendUint32(b, uint32(flag(h.AckReq, bthAckReq))<<24|uint32(h.PSN)&units.PSNMask)
}

// Parse reads the header from the front of b. Reserved bits are ignored, as the
// specification asks of receivers.
func (h *BTH) Parse(b []byte) error {
	if len(b) < BTHBytes {
		return ErrTruncated
	}
	*h = BTH{
		Opcode:    Opcode(b[0]),
		Solicited: b[1]&bthSolicited != 0,
		MigReq:    b[1]&bthMigReq != 0,
		PadCount:  b[1] >> 4 & 3,
		Version:   b[1] & 0xf,
		PKey:      binary.BigEndian.Uint16(b[2:]),
		FECN:      b[4]&bthFECN != 0,
		BECN:      b[4]&bthBECN != 0,
		DestQP:    units.QPN(binary.BigEndian.Uint32(b[4:]) & 0xff_ffff),
		AckReq:    b[8]&bthAckReq != 0,
		PSN:       units.PSN(binary.BigEndian.Uint32(b[8:]) & units.PSNMask),
	}
	return nil
}

func flag(set bool, bit uint8) uint8 {
	if set {
		return bit
	}
	return 0
}
