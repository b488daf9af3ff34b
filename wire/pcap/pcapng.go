package pcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// The blocks of pcapng.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockSimple    = 3
	blockEnhanced  = 6

	byteOrderMagic = 0x1a2b3c4d
	optionEnd      = 0
	optionTsresol  = 9
)

// iface is an interface of a section.
type iface struct {
	link LinkType
	snap uint32
	// A timestamp counts units of 1/perSecond seconds.
	perSecond uint64
}

// section reads a section header from behind its type on; only the header states the byte order of
// the section.
func (c *Reader) section() error {
	head, err := c.read(8)
	if err != nil {
		return ErrTruncated
	}
	switch binary.LittleEndian.Uint32(head[4:]) {
	case byteOrderMagic:
		c.order = binary.LittleEndian
	case 0x4d3c2b1a:
		c.order = binary.BigEndian
	default:
		return ErrFormat
	}
	length := c.order.Uint32(head)
	if length < 28 || length > MaxPacket || length%4 != 0 {
		return fmt.Errorf("a section header of %d bytes", length)
	}
	if _, err := c.read(int(length) - 12); err != nil {
		return ErrTruncated
	}
	c.ifaces = c.ifaces[:0]
	return nil
}

// nextBlock reads blocks until one holds a packet.
func (c *Reader) nextBlock(p *Packet) error {
	for {
		c.start = c.at
		head, err := c.read(4)
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(head) == blockSection {
			if err := c.section(); err != nil {
				return err
			}
			continue
		}
		kind := c.order.Uint32(head)
		body, err := c.body()
		if err != nil {
			return err
		}
		switch kind {
		case blockInterface:
			err = c.addInterface(body)
		case blockEnhanced:
			return c.enhanced(body, p)
		case blockSimple:
			return c.simple(body, p)
		}
		if err != nil {
			return err
		}
	}
}

// body reads the length of a block, its content, and the second copy of the length at its end.
func (c *Reader) body() ([]byte, error) {
	head, err := c.read(4)
	if err != nil {
		return nil, ErrTruncated
	}
	length := c.order.Uint32(head)
	if length < 12 || length > MaxPacket || length%4 != 0 {
		return nil, fmt.Errorf("a block of %d bytes: valid are multiples of 4 from 12 to %d", length, MaxPacket)
	}
	all, err := c.read(int(length) - 8)
	if err != nil {
		return nil, ErrTruncated
	}
	body, tail := all[:length-12], all[length-12:]
	if again := c.order.Uint32(tail); again != length {
		return nil, fmt.Errorf("a block of %d bytes says %d at its end", length, again)
	}
	return body, nil
}

func (c *Reader) addInterface(body []byte) error {
	if len(body) < 8 {
		return ErrTruncated
	}
	if len(c.ifaces) == maxInterfaces {
		return fmt.Errorf("more than %d interfaces", maxInterfaces)
	}
	f := iface{link: LinkType(c.order.Uint16(body)), snap: c.order.Uint32(body[4:]), perSecond: 1e6}
	for o := body[8:]; len(o) >= 4; {
		code, size := c.order.Uint16(o), int(c.order.Uint16(o[2:]))
		if code == optionEnd || 4+size > len(o) {
			break
		}
		if code == optionTsresol && size == 1 {
			resolution, ok := perSecond(o[4])
			if !ok {
				return errors.New("a resolution of timestamps finer than 64 bits hold")
			}
			f.perSecond = resolution
		}
		o = o[min(len(o), 4+(size+3)&^3):]
	}
	c.ifaces = append(c.ifaces, f)
	return nil
}

// perSecond is the number of units per second that if_tsresol encodes: a power of 10, or with the
// upper bit set a power of 2.
func perSecond(resolution uint8) (uint64, bool) {
	power := resolution & 0x7f
	if resolution&0x80 != 0 {
		return 1 << power, power < 63
	}
	v := uint64(1)
	for range power {
		if v > 1e18 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

func (c *Reader) enhanced(body []byte, p *Packet) error {
	if len(body) < 20 {
		return ErrTruncated
	}
	at := c.order.Uint32(body)
	if int64(at) >= int64(len(c.ifaces)) {
		return fmt.Errorf("a packet of interface %d of %d", at, len(c.ifaces))
	}
	f := &c.ifaces[at]
	stamp := uint64(c.order.Uint32(body[4:]))<<32 | uint64(c.order.Uint32(body[8:]))
	captured, length := c.order.Uint32(body[12:]), c.order.Uint32(body[16:])
	if int64(captured) > int64(len(body)-20) {
		return ErrTruncated
	}
	*p = Packet{TimeNs: nanoseconds(stamp, f.perSecond), Link: f.link, Data: body[20 : 20+captured], Length: int(length)}
	return nil
}

func (c *Reader) simple(body []byte, p *Packet) error {
	if len(body) < 4 {
		return ErrTruncated
	}
	if len(c.ifaces) == 0 {
		return errors.New("a packet before any interface")
	}
	length := c.order.Uint32(body)
	captured := min(int64(length), int64(len(body)-4))
	if snap := int64(c.ifaces[0].snap); snap > 0 {
		captured = min(captured, snap)
	}
	*p = Packet{Link: c.ifaces[0].link, Data: body[4 : 4+captured], Length: int(length)}
	return nil
}

// nanoseconds converts a timestamp to nanoseconds; a timestamp that does not fit becomes the
// largest.
func nanoseconds(stamp, perSecond uint64) int64 {
	const most = 1<<63 - 1
	high, low := bits.Mul64(stamp, 1e9)
	if high >= perSecond {
		return most
	}
	ns, _ := bits.Div64(high, low, perSecond)
	return int64(min(ns, most))
}

// Writer writes a pcapng file of one interface, with timestamps in nanoseconds.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter begins a capture.
func NewWriter(w io.Writer, link LinkType) (*Writer, error) {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, blockSection)
	b = le.AppendUint32(b, 28)
	b = le.AppendUint32(b, byteOrderMagic)
	b = le.AppendUint32(b, 1) // version 1.0
	b = le.AppendUint64(b, 1<<64-1)
	b = le.AppendUint32(b, 28)

	b = le.AppendUint32(b, blockInterface)
	b = le.AppendUint32(b, 32)
	b = le.AppendUint16(b, uint16(link))
	b = le.AppendUint16(b, 0)
	b = le.AppendUint32(b, MaxPacket)
	b = le.AppendUint16(b, optionTsresol)
	b = le.AppendUint16(b, 1)
	b = append(b, 9, 0, 0, 0) // nanoseconds, and padding
	b = le.AppendUint32(b, optionEnd)
	b = le.AppendUint32(b, 32)
	_, err := w.Write(b)
	return &Writer{w: w}, err
}

// Write adds a packet. It uses only the time and the data of p.
func (w *Writer) Write(timeNs int64, data []byte) error {
	le := binary.LittleEndian
	pad := -len(data) & 3
	length := uint32(32 + len(data) + pad)
	b := le.AppendUint32(w.buf[:0], blockEnhanced)
	b = le.AppendUint32(b, length)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(uint64(timeNs)>>32))
	b = le.AppendUint32(b, uint32(timeNs))
	b = le.AppendUint32(b, uint32(len(data)))
	b = le.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	b = append(b, make([]byte, pad)...)
	b = le.AppendUint32(b, length)
	w.buf = b
	_, err := w.w.Write(b)
	return err
}
