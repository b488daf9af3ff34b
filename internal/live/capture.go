package live

import (
	"net/netip"
	"time"

	"weft/wire"
	"weft/wire/pcap"
)

// capture writes packets as they stand on the wire, from the IP header on. What
// the kernel adds is written as it adds it: TTL 64 is a guess for what arrives.
type capture struct {
	w     *pcap.Writer
	local netip.AddrPort
	buf   []byte
	err   error
}

// sent writes a packet that goes out: headers with a short payload behind them,
// or a long payload in parts; padding and ICRC.
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

// arrived writes a packet that has come.
func (c *capture) arrived(from netip.AddrPort, id uint16, b []byte) {
	c.begin(from, c.local, id, len(b))
	c.buf = append(c.buf, b...)
	c.end()
}

// begin writes the IP and UDP headers of n bytes.
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
	if c.err == nil {
		c.err = c.w.Write(time.Now().UnixNano(), c.buf)
	}
}
