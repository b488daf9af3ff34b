package verbs

import (
	"fmt"

	"weft/verbs/internal/foreign"
)

// Access is a set of rights, with the numbers of ibv_access_flags.
type Access uint8

// The rights.
const (
	AccessLocalWrite Access = 1 << iota
	AccessRemoteWrite
	AccessRemoteRead
	AccessRemoteAtomic
	AccessMWBind    // of a region: memory windows may be bound to it
	AccessZeroBased // of a window: its addresses begin at 0
)

const (
	remoteRights = AccessRemoteWrite | AccessRemoteRead | AccessRemoteAtomic
	accessAll    = AccessLocalWrite | remoteRights
)

// MR is a registered memory region.
type MR struct {
	pd *PD
	reach
	key     uint32
	windows int // windows bound to it
	valid   bool
}

// reach is memory that a key gives access to: its start, and the rights.
type reach struct {
	buf    []byte
	addr   uint64
	access Access
}

// region is the memory region of a key, nil if the key does not match exactly.
func (d *Device) region(key uint32) *MR {
	if mr, ok := d.keys[key>>8].(*MR); ok && mr.key == key {
		return mr
	}
	return nil
}

// span is the bytes from addr on; nil if they are not all in the region, the region lacks the
// rights need, or it does not belong to pd.
func (m *MR) span(pd *PD, addr uint64, length uint64, need Access) []byte {
	if !m.valid || m.pd != pd {
		return nil
	}
	return m.reach.span(addr, length, need)
}

// span is the bytes from addr on, nil if they are not all there with those rights.
func (r *reach) span(addr, length uint64, need Access) []byte {
	if r.access&need != need || addr < r.addr {
		return nil
	}
	off := addr - r.addr
	if off > uint64(len(r.buf)) || length > uint64(len(r.buf))-off {
		return nil
	}
	return r.buf[off : off+length : off+length]
}

// RegMR registers a buffer at an address that the device chooses. The caller owns the buffer; the
// registration keeps it from being garbage-collected.
func (p *PD) RegMR(buf []byte, access Access) (*MR, error) {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	return p.register(buf, freshAddr(), access)
}

// RegMRIOVA registers a buffer at an address that the caller chooses.
func (p *PD) RegMRIOVA(buf []byte, addr uint64, access Access) (*MR, error) {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	return p.register(buf, addr, access)
}

// checkRegion checks the parameters of a region.
func (p *PD) checkRegion(buf []byte, addr uint64, access Access) error {
	switch {
	case p.dev.closed:
		return ErrClosed
	case access&^(accessAll|AccessMWBind) != 0:
		return invalid("access %#x has unknown rights", uint8(access))
	case access&(AccessRemoteWrite|AccessRemoteAtomic) != 0 && access&AccessLocalWrite == 0:
		return invalid("remote write and atomic need local write")
	case addr+uint64(len(buf)) < addr:
		return invalid("%d bytes at %#x run over the end of the addresses", len(buf), addr)
	}
	return nil
}

func (p *PD) register(buf []byte, addr uint64, access Access) (*MR, error) {
	if err := p.checkRegion(buf, addr, access); err != nil {
		return nil, err
	}
	mr := &MR{pd: p, reach: reach{buf: buf, addr: addr, access: access}, valid: true}
	key, err := p.dev.keys.assign(mr)
	if err != nil {
		return nil, err
	}
	mr.key = key
	p.refs++
	return mr, nil
}

// Addr is the virtual address of the first byte.
func (m *MR) Addr() uint64 { return m.addr }

// LKey is the key for the work requests of this device.
func (m *MR) LKey() uint32 { return m.key }

// RKey is the key that a peer needs.
func (m *MR) RKey() uint32 { return m.key }

// Len is the length of the region in bytes.
func (m *MR) Len() int { return len(m.buf) }

// Dereg ends the registration. Work requests that still use the region, local or a peer's, fail. It
// returns ErrBusy while a memory window is bound to the region.
func (m *MR) Dereg() error {
	m.pd.dev.port.Lock()
	defer m.pd.dev.port.Unlock()
	if !m.valid {
		return ErrClosed
	}
	if m.windows > 0 {
		return fmt.Errorf("%w: %d memory windows are bound to the region", ErrBusy, m.windows)
	}
	m.valid = false
	m.pd.dev.keys.remove(m.key)
	m.pd.refs--
	return nil
}

// Reregister replaces a region by another with the same key (ibv_rereg_mr(3)): of a protection
// domain, a buffer, the address of its first byte, and rights. Work requests posted for the old
// region fail, as after Dereg. If it returns an error, the old region stands.
func (m *MR) Reregister(pd *PD, buf []byte, addr uint64, access Access) (*MR, error) {
	m.pd.dev.port.Lock()
	defer m.pd.dev.port.Unlock()
	switch {
	case !m.valid:
		return nil, ErrClosed
	case m.windows > 0:
		return nil, fmt.Errorf("%w: %d memory windows are bound to the region", ErrBusy, m.windows)
	case pd.dev != m.pd.dev:
		return nil, invalid("the protection domain is of another device")
	}
	if err := pd.checkRegion(buf, addr, access); err != nil {
		return nil, err
	}
	next := &MR{pd: pd, reach: reach{buf: buf, addr: addr, access: access}, key: m.key, valid: true}
	m.valid = false
	m.pd.refs--
	pd.refs++
	pd.dev.keys[m.key>>8] = next
	return next, nil
}

// SGE is a scatter-gather element of a work request. The verbs have 32 bits of length and a message
// 31: a longer element is refused, not truncated.
type SGE struct {
	Addr   uint64
	Length uint64
	LKey   uint32
}

// SGE is the part of the region from offset on.
func (m *MR) SGE(offset, length int) SGE {
	return SGE{Addr: m.addr + uint64(offset), Length: uint64(length), LKey: m.key}
}

// segment is a checked SGE.
type segment struct {
	mr  *MR
	off uint64
	n   uint32
}

// segments checks a list of SGEs and appends their memory. If any is wrong, ok is false, and the
// result has only their length: access to them fails later.
func (p *PD) segments(
	to []segment, list []SGE, need Access,
) (_ []segment, total uint64, ok bool, err error) {
	if len(list) > MaxSGE {
		return to, 0, false, invalid("%d SGEs: at most %d", len(list), MaxSGE)
	}
	ok = true
	for _, s := range list {
		if s.Length > MaxMessage-total {
			return to, 0, false, invalid("%d bytes and %d more: a message has at most %d", total, s.Length,
				uint64(MaxMessage))
		}
		if s.Length == 0 {
			continue
		}
		total += s.Length
		mr := p.dev.region(s.LKey)
		if mr == nil || mr.span(p, s.Addr, s.Length, need) == nil {
			ok = false
			continue
		}
		to = append(to, segment{mr, s.Addr - mr.addr, uint32(s.Length)})
	}
	if !ok {
		to = to[:0]
	}
	return to, total, ok, nil
}

// gather appends n bytes of the segments from offset on. False says that a region is no longer
// registered, or its memory is gone.
func gather(parts [][]byte, segs []segment, offset, n uint64) ([][]byte, bool) {
	for n > 0 {
		part := piece(segs, offset, n)
		if len(part) == 0 || !segs[0].mr.pd.dev.isPresent(part) {
			return parts, false
		}
		parts = append(parts, part)
		offset, n = offset+uint64(len(part)), n-uint64(len(part))
	}
	return parts, true
}

// piece is the memory of the segments from offset on: n bytes, or as many as lie in one segment;
// none if its region is no longer registered.
func piece(segs []segment, offset, n uint64) []byte {
	for i := range segs {
		s := &segs[i]
		if offset >= uint64(s.n) {
			offset -= uint64(s.n)
			continue
		}
		if !s.mr.valid {
			return nil
		}
		return s.mr.buf[s.off+offset : s.off+offset+min(n, uint64(s.n)-offset)]
	}
	return nil
}

// scatter copies b to the segments from offset on; false says that a region is no longer
// registered, or its memory is gone.
func scatter(segs []segment, offset uint64, b []byte) bool {
	for len(b) > 0 {
		part := piece(segs, offset, uint64(len(b)))
		if len(part) == 0 || !segs[0].mr.pd.dev.store(part, b[:len(part)]) {
			return false
		}
		offset, b = offset+uint64(len(part)), b[len(part):]
	}
	return true
}

func (a Access) String() string {
	return flags(a, []string{
		"IBV_ACCESS_LOCAL_WRITE", "IBV_ACCESS_REMOTE_WRITE", "IBV_ACCESS_REMOTE_READ",
		"IBV_ACCESS_REMOTE_ATOMIC", "IBV_ACCESS_MW_BIND",
		"IBV_ACCESS_ZERO_BASED",
	})
}

// store copies to registered memory; false says that the memory is gone.
func (d *Device) store(to, from []byte) bool {
	if d.foreign {
		return foreign.Copy(to, from)
	}
	copy(to, from)
	return true
}

// isPresent reports whether registered memory can be read.
func (d *Device) isPresent(b []byte) bool { return !d.foreign || foreign.Present(b) }
