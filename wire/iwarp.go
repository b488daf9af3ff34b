package wire

// The framing of iWARP between TCP and the application (RFC 5040, RDMAP; RFC 5041, DDP; RFC 5044,
// MPA). A message is cut into DDP segments. MPA adds a length before each segment, padding to a
// multiple of 4 and a CRC behind it: a framed protocol data unit (FPDU). A TCP segment with room
// for a full FPDU carries one. With markers, 4 bytes in every 512 of the stream point to the start
// of the FPDU.
const (
	// MPALengthBytes is the length before the segment (RFC 5044, 4.1).
	MPALengthBytes = 2
	// MPACRCBytes is the CRC behind it. Its bytes are there even if neither end computes it (RFC
	// 5044, 4.4).
	MPACRCBytes = 4
	// MPAMarkerBytes is the size of a marker, MPAMarkerSpan the distance of two markers in the
	// stream, marker included (RFC 5044, 4.3).
	MPAMarkerBytes = 4
	MPAMarkerSpan  = 512
	// DDPTaggedBytes is the header of a tagged segment, such as a part of an RDMA Write: control
	// fields of DDP and RDMAP, steering tag 4, offset 8 (RFC 5041, 4.2; RFC 5040, 4.1).
	DDPTaggedBytes = 14
	// DDPUntaggedBytes is the header of an untagged segment, such as a part of a Send: control
	// fields 2, RDMAP's steering tag to invalidate 4, queue number, message number and offset 4
	// each (RFC 5041, 4.3).
	DDPUntaggedBytes = 18
)

// MPAUnit is the longest FPDU, without markers, of a stream whose segments take emss
// bytes: MULPDU of RFC 5044, section 4.5, with its length and its CRC. It is a
// multiple of 4, so that only the last unit of a message has padding.
func MPAUnit(emss int, markers bool) int {
	mulpdu := emss - (MPALengthBytes + MPACRCBytes + emss%4)
	if markers {
		mulpdu -= MPAMarkerBytes * ((emss + MPAMarkerSpan - 1) / MPAMarkerSpan)
	}
	return mulpdu + MPALengthBytes + MPACRCBytes
}

// FPDUBytes is the size of an FPDU without payload, padding and markers.
func FPDUBytes(header int) int { return MPALengthBytes + header + MPACRCBytes }
