package pcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// LinkType is the type of a captured packet's first header.
type LinkType uint32

// The link types of RDMA captures.
const (
	Ethernet   LinkType = 1
	Raw        LinkType = 101 // begins with an IP header
	InfiniBand LinkType = 247 // begins with an LRH
	LinuxSLL   LinkType = 113 // Linux's "cooked" capture
	LinuxSLL2  LinkType = 276 // and its second version, of tcpdump -i any
	ERF        LinkType = 197 // begins with a record header of Endace's capture cards
)

// Packet is one captured packet.
type Packet struct {
	// TimeNs is nanoseconds since 1970, 0 if the capture has no time.
	TimeNs int64
	Link   LinkType
	// Data is the captured bytes, valid until the next call; Length is the length of the packet on
	// the wire.
	Data   []byte
	Length int
}

// MaxPacket bounds the size of a packet or a block: the largest frame of a loopback capture with
// segmentation offload has 256 KiB.
const MaxPacket = 1 << 20

// maxInterfaces bounds the interfaces of a pcapng section.
const maxInterfaces = 1024

// Errors of reading.
var (
	ErrFormat    = errors.New("neither a pcap nor a pcapng file")
	ErrTruncated = errors.New("the capture ends inside a packet")
)

// Reader reads a capture from front to back.
type Reader struct {
	r      io.Reader
	order  binary.ByteOrder
	at     int64 // offset in the file
	start  int64 // offset of the current block or packet, for errors
	buf    []byte
	next   func(*Packet) error
	link   LinkType // type of a classic capture
	toNs   int64    // nanoseconds per unit of a classic capture's fraction
	ifaces []iface  // of a pcapng section
}

// NewReader reads the head of a capture and detects its format.
func NewReader(r io.Reader) (*Reader, error) {
	c := &Reader{r: r}
	head, err := c.read(4)
	if err != nil {
		return nil, ErrFormat
	}
	switch magic := binary.LittleEndian.Uint32(head); magic {
	case 0xa1b2c3d4, 0xa1b23c4d:
		c.order = binary.LittleEndian
		err = c.classic(magic)
	case 0xd4c3b2a1, 0x4d3cb2a1:
		c.order = binary.BigEndian
		err = c.classic(binary.BigEndian.Uint32(head))
	case blockSection:
		c.next = c.nextBlock
		err = c.section()
	default:
		err = ErrFormat
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Next reads the next packet into p. It returns io.EOF after the last.
func (c *Reader) Next(p *Packet) error {
	err := c.next(p)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("at byte %d: %w", c.start, err)
	}
	return err
}

// classic reads the rest of a pcap file's head.
func (c *Reader) classic(magic uint32) error {
	c.toNs = 1000
	if magic == 0xa1b23c4d {
		c.toNs = 1
	}
	head, err := c.read(20)
	if err != nil {
		return ErrTruncated
	}
	c.link = LinkType(c.order.Uint32(head[16:]) & 0x0fff_ffff)
	c.next = c.nextClassic
	return nil
}

func (c *Reader) nextClassic(p *Packet) error {
	c.start = c.at
	head, err := c.read(16)
	if err != nil {
		return err
	}
	seconds, fraction := c.order.Uint32(head), c.order.Uint32(head[4:])
	captured, length := c.order.Uint32(head[8:]), c.order.Uint32(head[12:])
	if captured > MaxPacket {
		return fmt.Errorf("a packet of %d bytes: at most %d are read", captured, MaxPacket)
	}
	data, err := c.read(int(captured))
	if err != nil {
		return ErrTruncated
	}
	*p = Packet{TimeNs: int64(seconds)*1e9 + int64(fraction)*c.toNs, Link: c.link, Data: data, Length: int(length)}
	return nil
}

// read reads n bytes into the reader's buffer. It returns io.EOF only if nothing is left.
func (c *Reader) read(n int) ([]byte, error) {
	if cap(c.buf) < n {
		c.buf = make([]byte, n)
	}
	got, err := io.ReadFull(c.r, c.buf[:n])
	c.at += int64(got)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrTruncated
	}
	return c.buf[:n], err
}
