package wire

import (
	"encoding/binary"
	"hash/crc32"
)

// The ICRC covers the fields that no switch and no router changes; fields that may change are
// counted as ones (IBA vol. 1, 7.8.1; for RoCE v2 A17.3.3). It is the CRC-32 of Ethernet, stored
// with its least significant byte first. For RoCE v2, 8 bytes of ones in place of the LRH precede
// the headers. Verified against packets of Linux's soft-RoCE.

// icrcSeed is the CRC of eight bytes of ones.
var icrcSeed = crc32.ChecksumIEEE([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})

// ICRC computes invariant CRCs. It holds the masked headers meanwhile: a value that lives as long
// as its device allocates nothing per packet. It is not safe for concurrent use.
type ICRC struct {
	head [IPv6Bytes + UDPBytes + BTHBytes]byte
}

// V4 is the invariant CRC of a RoCE v2 packet over IPv4. The packet has an IPv4 header without
// options, a UDP header, the BTH and the rest, with padding and without the ICRC. It is at least as
// long as the three headers.
func (c *ICRC) V4(packet []byte) uint32 {
	head := c.head[:IPv4Bytes+UDPBytes+BTHBytes]
	copy(head, packet)
	head[1] = 0xff                  // type of service
	head[8] = 0xff                  // time to live
	head[10], head[11] = 0xff, 0xff // header checksum
	maskTransport(head[IPv4Bytes:])
	return crc32.Update(crc32.Update(icrcSeed, crc32.IEEETable, head), crc32.IEEETable, packet[len(head):])
}

// V6 is V4 for an IPv6 header without extensions.
func (c *ICRC) V6(packet []byte) uint32 {
	head := c.head[:]
	copy(head, packet)
	head[0] |= 0x0f // traffic class and flow label; the version stays
	head[1], head[2], head[3] = 0xff, 0xff, 0xff
	head[7] = 0xff // hop limit
	maskTransport(head[IPv6Bytes:])
	return crc32.Update(crc32.Update(icrcSeed, crc32.IEEETable, head), crc32.IEEETable, packet[len(head):])
}

// maskTransport masks the UDP checksum, FECN, BECN and the reserved bits next to them.
func maskTransport(udp []byte) {
	udp[6], udp[7] = 0xff, 0xff
	udp[UDPBytes+4] = 0xff
}

// AppendICRC appends an invariant CRC in wire format.
func AppendICRC(b []byte, crc uint32) []byte { return binary.LittleEndian.AppendUint32(b, crc) }
