package wire

import (
	"encoding/binary"
	"hash/crc32"
	"net/netip"
)

// ICRCFlow computes the invariant CRCs of the packets from one UDP endpoint to another; the payload
// need not follow the headers in memory. It holds the masked IP and UDP headers, for IPv4 without
// fragmentation. It allocates nothing, and is not safe for concurrent use.
type ICRCFlow struct {
	// The headers: IP 20 or 40 bytes, UDP 8.
	head [IPv6Bytes + UDPBytes]byte
	ip   int // length of the IP header
	// The known CRCs of the IP and UDP headers, for the two packet sizes seen last: the first
	// packet of a message is longer than the others.
	known [2]icrcPrefixes
}

// icrcPrefixes are the CRCs behind the UDP headers of packets of one size, by IP
// identification.
type icrcPrefixes struct {
	udpBytes int
	has      uint16 // bit i: of[i] is valid
	of       [16]uint32
}

// NewICRCFlow makes the flow from src to dst, which are both IPv4 or both IPv6.
func NewICRCFlow(src, dst netip.AddrPort) ICRCFlow {
	f := ICRCFlow{ip: IPv6Bytes}
	h := f.head[:0]
	if a, b := src.Addr().Unmap(), dst.Addr().Unmap(); a.Is4() {
		f.ip = IPv4Bytes
		v4 := IPv4Header{Flags: DontFragment, TOS: 0xff, TTL: 0xff, Protocol: ProtocolUDP, Src: a.As4(), Dst: b.As4()}
		h = v4.AppendTo(h)
		f.head[10], f.head[11] = 0xff, 0xff // header checksum
	} else {
		v6 := IPv6Header{NextHeader: ProtocolUDP, HopLimit: 0xff, Src: a.As16(), Dst: b.As16()}
		h = v6.AppendTo(h)
		f.head[0], f.head[1], f.head[2], f.head[3] = 0x6f, 0xff, 0xff, 0xff
	}
	u := UDPHeader{Src: src.Port(), Dst: dst.Port(), Checksum: 0xffff}
	u.AppendTo(h)
	return f
}

// Begin is the state of the CRC behind the BTH, which is the first 12 bytes of b. The packet has
// that IP identification (IPv6 has none) and that many bytes of UDP header and data. The rest of b,
// and all other bytes up to the padding, follow by ICRCUpdate.
func (f *ICRCFlow) Begin(id uint16, udpBytes int, b []byte) uint32 {
	return ICRCUpdate(bthCRC(f.prefix(id, udpBytes), (*[BTHBytes]byte)(b)), b[BTHBytes:])
}

// bthTables[k][v] is the CRC of the byte v and k zeros behind it, from state 0.
var bthTables = buildBTHTables()

func buildBTHTables() (all [BTHBytes]crc32.Table) {
	all[0] = *crc32.IEEETable
	for k := 1; k < len(all); k++ {
		for v, c := range all[k-1] {
			all[k][v] = all[0][c&0xff] ^ c>>8
		}
	}
	return all
}

// bthCRC continues a CRC over a BTH, whose fifth byte counts as ones. hash/crc32 takes so few bytes one after
// the other; here the look-ups do not wait for each other.
func bthCRC(crc uint32, b *[BTHBytes]byte) uint32 {
	t := &bthTables
	x := ^crc ^ binary.LittleEndian.Uint32(b[:])
	return ^(t[11][x&0xff] ^ t[10][x>>8&0xff] ^ t[9][x>>16&0xff] ^ t[8][x>>24] ^
		t[7][0xff] ^ t[6][b[5]] ^ t[5][b[6]] ^ t[4][b[7]] ^
		t[3][b[8]] ^ t[2][b[9]] ^ t[1][b[10]] ^ t[0][b[11]])
}

// prefix is the CRC behind the UDP header. The segments of large datagrams have the identifications
// 0, 1, 2 …, so that most CRCs are known.
func (f *ICRCFlow) prefix(id uint16, udpBytes int) uint32 {
	p := &f.known[0]
	if p.udpBytes != udpBytes {
		f.known[0], f.known[1] = f.known[1], f.known[0]
		if p.udpBytes != udpBytes {
			*p = icrcPrefixes{udpBytes: udpBytes}
		}
	}
	if id >= uint16(len(p.of)) {
		return f.calculate(id, udpBytes)
	}
	if p.has>>id&1 == 0 {
		p.of[id] = f.calculate(id, udpBytes)
		p.has |= 1 << id
	}
	return p.of[id]
}

// calculate is prefix for an unknown CRC.
func (f *ICRCFlow) calculate(id uint16, udpBytes int) uint32 {
	h := f.head[:f.ip+UDPBytes]
	if f.ip == IPv4Bytes {
		binary.BigEndian.PutUint16(h[2:], uint16(IPv4Bytes+udpBytes))
		binary.BigEndian.PutUint16(h[4:], id)
	} else {
		binary.BigEndian.PutUint16(h[4:], uint16(udpBytes))
	}
	binary.BigEndian.PutUint16(h[f.ip+4:], uint16(udpBytes))
	return ICRCUpdate(icrcSeed, h)
}

// ICRCUpdate continues a CRC over b.
func ICRCUpdate(crc uint32, b []byte) uint32 { return crc32.Update(crc, crc32.IEEETable, b) }

// idToEnd is the number of bytes of an IPv4 packet from behind the identification to the end of the
// UDP header.
const idToEnd = IPv4Bytes - 6 + UDPBytes

// SolveID finds the IP identification for which a packet's ICRC is got. calculated is the CRC with
// identification 0, and udpBytes is as in Begin. A CRC is linear: the difference of the two CRCs is
// the identification, carried through the bytes behind it. Undoing those bytes leaves 16 bits of
// identification, and 16 bits that are 0 if the packets differ in nothing else.
//
// A damaged packet passes with a probability of 2^-16 instead of 2^-32.
func SolveID(calculated, got uint32, udpBytes int) (id uint16, ok bool) {
	d := calculated ^ got
	n := idToEnd - UDPBytes + udpBytes - ICRCBytes
	for k := 0; n>>k != 0; k++ {
		if n>>k&1 != 0 {
			d = backwards[k].times(d)
		}
	}
	// The CRC processed the bytes of the identification last: undo them bit by bit to recover them.
	d = backwards[1].times(d)
	return uint16(d&0xff)<<8 | uint16(d>>8&0xff), d>>16 == 0
}

// crcMatrix is a linear map of a CRC's 32 bits.
type crcMatrix [32]uint32

func (m *crcMatrix) times(v uint32) (out uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		out ^= m[i] & -(v & 1)
	}
	return out
}

// backwards[k] undoes 2^k bytes of zeros.
var backwards = buildBackwards()

func buildBackwards() (all [17]crcMatrix) {
	for i := range 32 {
		v := uint32(1) << i
		for range 8 { // undo: v = v>>1 ^ (IEEE if the outgoing bit was 1)
			if v>>31 != 0 {
				v = (v^crc32.IEEE)<<1 | 1
			} else {
				v <<= 1
			}
		}
		all[0][i] = v
	}
	for k := 1; k < len(all); k++ {
		for i := range 32 {
			all[k][i] = all[k-1].times(all[k-1][i])
		}
	}
	return all
}
