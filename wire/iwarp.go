package wire

// The framing of iWARP between TCP and the application (RFC 5040, RDMAP; RFC 5041,
// DDP; RFC 5044, MPA). A message is cut into segments of DDP; MPA puts a length
// before each, pads it to a multiple of 4 and a CRC behind it: a framed protocol
// data unit (FPDU), one to each segment of TCP that has room for a full one. With
// markers, 4 bytes in every 512 of the stream point to where the unit began.
const (
	// MPALengthBytes is the length before the segment (RFC 5044, 4.1).
	MPALengthBytes = 2
	// MPACRCBytes is the CRC behind it, which has its place even where nobody
	// computes it (RFC 5044, 4.4).
	MPACRCBytes = 4
	// MPAMarkerBytes is a marker, MPAMarkerSpan the bytes of the stream from one to
	// the next, itself included (RFC 5044, 4.3).
	MPAMarkerBytes = 4
	MPAMarkerSpan  = 512
	// DDPTaggedBytes is the header of a segment that says where its payload goes, as
	// those of an RDMA Write do: control fields of DDP and RDMAP, steering tag 4,
	// offset 8 (RFC 5041, 4.2; RFC 5040, 4.1).
	DDPTaggedBytes = 14
	// DDPUntaggedBytes is that of one which goes to a buffer of the receiver's, as
	// those of a Send do: control fields 2, what RDMAP keeps for the steering tag to
	// invalidate 4, queue number, message number and offset 4 each (RFC 5041, 4.3).
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

// FPDUBytes is what an FPDU takes beyond its payload, padding and markers aside.
func FPDUBytes(header int) int { return MPALengthBytes + header + MPACRCBytes }
