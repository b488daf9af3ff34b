package wire

import "encoding/binary"

// Packet is a transport packet from the BTH to the end of the payload: the common part of
// InfiniBand and RoCE v2. The opcode determines the valid extended headers.
type Packet struct {
	BTH       BTH
	EEContext uint32 // RDETH, 24 bits
	DETH      DETHeader
	SRQ       uint32 // XRCETH, 24 bits
	RETH      RETHeader
	Atomic    AtomicETHeader
	AETH      AETHeader
	Original  uint64 // AtomicAckETH: the value before the atomic
	Immediate uint32 // ImmDt
	Invalid   RKey   // IETH: the key to invalidate
	// Payload is without padding. After Parse it lies in the parsed buffer.
	Payload []byte
}

// AppendTo appends the packet with the padding for its payload; the ICRC, which depends on the
// headers in front, is the caller's. It sets PadCount. It fails for an invalid opcode.
func (p *Packet) AppendTo(b []byte) ([]byte, error) {
	b, err := p.AppendHeaders(b, len(p.Payload))
	if err != nil {
		return b, err
	}
	b = append(b, p.Payload...)
	return append(b, make([]byte, p.BTH.PadCount)...), nil
}

// AppendHeaders appends the headers of a packet whose payload, of the given length, lies elsewhere.
// It sets PadCount. It fails for an invalid opcode.
func (p *Packet) AppendHeaders(b []byte, payload int) ([]byte, error) {
	if !p.BTH.Opcode.Valid() {
		return b, ErrOpcode
	}
	p.BTH.PadCount = uint8(-payload & 3)
	b = p.BTH.AppendTo(b)
	h := p.BTH.Opcode.Headers()
	if h.Has(RDETH) {
		b = binary.BigEndian.AppendUint32(b, p.EEContext&0xff_ffff)
	}
	if h.Has(DETH) {
		b = p.DETH.AppendTo(b)
	}
	if h.Has(XRCETH) {
		b = binary.BigEndian.AppendUint32(b, p.SRQ&0xff_ffff)
	}
	if h.Has(RETH) {
		b = p.RETH.AppendTo(b)
	}
	if h.Has(AtomicETH) {
		b = p.Atomic.AppendTo(b)
	}
	if h.Has(AETH) {
		b = p.AETH.AppendTo(b)
	}
	if h.Has(AtomicAckETH) {
		b = binary.BigEndian.AppendUint64(b, p.Original)
	}
	if h.Has(ImmDt) {
		b = binary.BigEndian.AppendUint32(b, p.Immediate)
	}
	if h.Has(IETH) {
		b = binary.BigEndian.AppendUint32(b, uint32(p.Invalid))
	}
	if h.Has(CNPPad) {
		b = append(b, make([]byte, CNPPadBytes)...)
	}
	return b, nil
}

// Parse reads a packet that fills b, without its ICRC. It refuses a payload behind an opcode
// without payload.
func (p *Packet) Parse(b []byte) error {
	if err := p.BTH.Parse(b); err != nil {
		return err
	}
	op := p.BTH.Opcode
	switch {
	case !op.Valid():
		return ErrOpcode
	case p.BTH.Version != 0:
		return ErrVersion
	case len(b) < op.HeaderBytes():
		return ErrTruncated
	}
	p.parseHeaders(op.Headers(), b[BTHBytes:])
	payload := b[op.HeaderBytes():]
	pad := int(p.BTH.PadCount)
	switch {
	case pad > len(payload):
		return ErrPad
	case len(payload)%4 != 0:
		return ErrLength
	case len(payload) > 0 && !op.HasPayload():
		return ErrLength
	}
	p.Payload = payload[:len(payload)-pad]
	return nil
}

// parseCut reads the captured part of a packet of size bytes, and returns the length of its
// payload.
func (p *Packet) parseCut(b []byte, size int) (payload int, err error) {
	if err := p.BTH.Parse(b); err != nil {
		return 0, err
	}
	op := p.BTH.Opcode
	switch payload = size - op.HeaderBytes() - int(p.BTH.PadCount); {
	case !op.Valid():
		return 0, ErrOpcode
	case p.BTH.Version != 0:
		return 0, ErrVersion
	case len(b) < op.HeaderBytes():
		return 0, ErrTruncated
	case payload < 0:
		return 0, ErrPad
	case size%4 != 0, payload > 0 && !op.HasPayload():
		return 0, ErrLength
	}
	p.parseHeaders(op.Headers(), b[BTHBytes:])
	p.Payload = b[op.HeaderBytes():]
	p.Payload = p.Payload[:min(payload, len(p.Payload))]
	return payload, nil
}

// parseHeaders reads the extended headers of set h, which b is long enough for.
func (p *Packet) parseHeaders(h Headers, b []byte) {
	if h.Has(RDETH) {
		p.EEContext = binary.BigEndian.Uint32(b) & 0xff_ffff
		b = b[RDETHBytes:]
	}
	if h.Has(DETH) {
		_ = p.DETH.Parse(b)
		b = b[DETHBytes:]
	}
	if h.Has(XRCETH) {
		p.SRQ = binary.BigEndian.Uint32(b) & 0xff_ffff
		b = b[XRCETHBytes:]
	}
	if h.Has(RETH) {
		_ = p.RETH.Parse(b)
		b = b[RETHBytes:]
	}
	if h.Has(AtomicETH) {
		_ = p.Atomic.Parse(b)
		b = b[AtomicETHBytes:]
	}
	if h.Has(AETH) {
		_ = p.AETH.Parse(b)
		b = b[AETHBytes:]
	}
	if h.Has(AtomicAckETH) {
		p.Original = binary.BigEndian.Uint64(b)
		b = b[AtomicAckETHBytes:]
	}
	if h.Has(ImmDt) {
		p.Immediate = binary.BigEndian.Uint32(b)
		b = b[ImmDtBytes:]
	}
	if h.Has(IETH) {
		p.Invalid = RKey(binary.BigEndian.Uint32(b))
	}
}
