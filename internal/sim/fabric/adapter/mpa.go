package adapter

import (
	"weft/internal/sim/transport/tcp"
	"weft/units"
	"weft/wire"
)

// MPA is the framing of iWARP above TCP in a NIC: package wire has its headers.
// The simulated TCP stream contains neither markers nor padding; Overhead adds their
// bytes to the segments that carry them. A message by WRITE is followed by a Send
// without payload that tells the receiver of it, since RFC 5040 has no immediate
// data. Units are aligned to segments (RFC 5044, 4.5). A short unit shares the segment
// of the unit before it if it fits.
//
// The place of markers is counted in a stream without padding: over messages whose
// length is no multiple of 4 it is off by up to 3 bytes a message.
type MPA struct {
	// Unit is the length of the longest FPDU, which is TCP's MSS.
	Unit uint16
	// Sends: messages go by SEND instead of WRITE.
	Sends bool
	// Markers puts 4 bytes into every 512 of the stream.
	Markers bool
}

// header is the bytes before the payload of each unit of a message. notice is the bytes
// of the Send after the last unit.
func (m *MPA) header() (bytes, notice int64) {
	if m.Sends {
		return int64(wire.FPDUBytes(wire.DDPUntaggedBytes)), 0
	}
	return int64(wire.FPDUBytes(wire.DDPTaggedBytes)), int64(wire.FPDUBytes(wire.DDPUntaggedBytes))
}

// Stream is the bytes of TCP's stream that a message of some payload takes.
func (m *MPA) Stream(payload units.Bytes) units.Bytes {
	header, notice := m.header()
	room := int64(m.Unit) - header
	units64 := max(1, (int64(payload)+room-1)/room)
	return payload + units.Bytes(units64*header+notice)
}

// Payload is the inverse of Stream.
func (m *MPA) Payload(stream units.Bytes) units.Bytes {
	header, notice := m.header()
	framed := int64(stream) - notice
	return units.Bytes(framed - (framed+int64(m.Unit)-1)/int64(m.Unit)*header)
}

// Overhead is the bytes of a segment on the wire beyond its part of the stream: the padding
// of a message's last unit, and markers. The stream begins with a marker.
func (m *MPA) Overhead(s *tcp.Segment) (bytes uint16) {
	if s.Length == 0 {
		return 0
	}
	if s.Flags&tcp.FlagPSH != 0 {
		bytes = -s.Length & 3
	}
	if m.Markers {
		const span = wire.MPAMarkerSpan - wire.MPAMarkerBytes
		before, after := (s.Seq+span-1)/span, (s.Seq+uint64(s.Length)+span-1)/span
		bytes += uint16(after-before) * wire.MPAMarkerBytes
	}
	return bytes
}
