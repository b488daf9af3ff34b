package socket

import (
	"encoding/binary"
	"net/netip"
	"time"

	"weft/wire"
	"weft/wire/pcap"
)

// capture writes packets as on the wire, from the IP header on. Fields that the kernel fills in are
// written with Linux's values: for arriving packets, TTL 64 and the UDP checksum are guesses.
type capture struct {
	w     *pcap.Writer
	local netip.AddrPort
	buf   []byte
	err   error
}

// checksum writes the UDP checksum, over the addresses and lengths of the IP header and all bytes
// after it (RFC 768, RFC 8200).
func (c *capture) checksum() {
	head, addrs := wire.IPv4Bytes, c.buf[12:wire.IPv4Bytes]
	if c.buf[0]>>4 == 6 {
		head, addrs = wire.IPv6Bytes, c.buf[8:wire.IPv6Bytes]
	}
	udp := c.buf[head:]
	sum := uint64(wire.ProtocolUDP) + uint64(len(udp))
	for _, b := range [][]byte{addrs, udp} {
		for ; len(b) >= 2; b = b[2:] {
			sum += uint64(binary.BigEndian.Uint16(b))
		}
	}
	for sum > 0xffff { // RoCE packets are a multiple of 4 bytes
		sum = sum>>16 + sum&0xffff
	}
	out := ^uint16(sum)
	if out == 0 {
		out = 0xffff // 0 would mean no checksum
	}
	binary.BigEndian.PutUint16(udp[6:], out)
}

// sent writes an outgoing packet: headers with a short payload after them, or a long payload in
// parts; padding and ICRC.
func (c *capture) sent(to netip.AddrPort, id uint16, head []byte, parts [][]byte, long bool, trailer []byte) {
	n := len(head) + len(trailer)
	if long {
		for _, part := range parts {
			n += len(part)
		}
	}
	c.begin(c.local, to, id, n)
	c.buf = append(c.buf, head...)
	if long {
		for _, part := range parts {
			c.buf = append(c.buf, part...)
		}
	}
	c.buf = append(c.buf, trailer...)
	c.end()
}

// arrived writes a packet that has arrived.
func (c *capture) arrived(from, to netip.AddrPort, id uint16, b []byte) {
	c.begin(from, to, id, len(b))
	c.buf = append(c.buf, b...)
	c.end()
}

// begin writes the IP and UDP headers of a packet of n bytes.
func (c *capture) begin(src, dst netip.AddrPort, id uint16, n int) {
	size := uint16(wire.UDPBytes + n)
	c.buf = c.buf[:0]
	if a := src.Addr().Unmap(); a.Is4() {
		h := wire.IPv4Header{
			Length: wire.IPv4Bytes + size, ID: id, Flags: wire.DontFragment, TTL: 64, Protocol: wire.ProtocolUDP,
			Src: a.As4(), Dst: dst.Addr().Unmap().As4(),
		}
		c.buf = h.AppendTo(c.buf)
	} else {
		h := wire.IPv6Header{Length: size, NextHeader: wire.ProtocolUDP, HopLimit: 64, Src: a.As16(), Dst: dst.Addr().As16()}
		c.buf = h.AppendTo(c.buf)
	}
	u := wire.UDPHeader{Src: src.Port(), Dst: dst.Port(), Length: size}
	c.buf = u.AppendTo(c.buf)
}

func (c *capture) end() {
	c.checksum()
	if c.err == nil {
		c.err = c.w.Write(time.Now().UnixNano(), c.buf)
	}
}
