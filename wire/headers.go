package wire

// The sizes of InfiniBand's headers and checksums.
const (
	LRHBytes  = 8  // local route header (IBA vol. 1, 7.7)
	GRHBytes  = 40 // global route header, the layout of IPv6 (IBA vol. 1, 8.3)
	BTHBytes  = 12 // base transport header (IBA vol. 1, 9.2)
	ICRCBytes = 4  // invariant CRC (IBA vol. 1, 7.8.1)
	VCRCBytes = 2  // variant CRC (IBA vol. 1, 7.8.2)
)

// The sizes of the extended transport headers (IBA vol. 1, 9.3).
const (
	RDETHBytes        = 4  // reliable datagram: the EE context
	XRCETHBytes       = 4  // extended reliable connection: the shared receive queue (IBA vol. 1, annex A14)
	DETHBytes         = 8  // datagram: Q_Key and source queue pair
	RETHBytes         = 16 // RDMA: address, R_Key, length
	AtomicETHBytes    = 28 // atomic: address, R_Key, swap or add, compare
	AETHBytes         = 4  // acknowledge: syndrome and MSN
	AtomicAckETHBytes = 8  // the value before the atomic
	ImmDtBytes        = 4  // immediate data
	IETHBytes         = 4  // the R_Key to invalidate
	CNPPadBytes       = 16 // reserved bytes of a congestion notification (IBA vol. 1, A17.9.3)
)

// The sizes of the headers of Ethernet and IP and of the parts around a frame.
const (
	EthernetBytes     = 14 // destination, source, type (IEEE 802.3, 3.1.1)
	VLANBytes         = 4  // tag (IEEE 802.1Q, clause 9)
	IPv4Bytes         = 20 // without options (RFC 791)
	IPv6Bytes         = 40 // without extensions (RFC 8200)
	UDPBytes          = 8  // RFC 768
	TCPBytes          = 20 // without options (RFC 9293)
	TCPTimestampBytes = 12 // the option, 10 bytes, and two of padding (RFC 7323, appendix A)
	FCSBytes          = 4  // frame check sequence (IEEE 802.3, 3.2.9)

	// EthernetMinFrame is the shortest frame, from the destination to the FCS;
	// shorter ones are padded (IEEE 802.3, 4A.4.2).
	EthernetMinFrame = 64

	// EthernetGapBytes are the bytes around each frame that are on the cable and in no buffer:
	// preamble and start delimiter 8, inter-packet gap 12 (IEEE 802.3, 3.2.1, 3.2.2 and 4A.4.2).
	EthernetGapBytes = 8 + 12
)

// Headers is a set of the extended transport headers that follow a BTH. Their order on the wire is
// the order of these constants.
type Headers uint16

// The extended transport headers.
const (
	RDETH Headers = 1 << iota
	DETH
	XRCETH
	RETH
	AtomicETH
	AETH
	AtomicAckETH
	ImmDt
	IETH
	CNPPad
)

// headerSizes is the size of each header, in the order of their bits.
var headerSizes = [...]int{
	RDETHBytes, DETHBytes, XRCETHBytes, RETHBytes, AtomicETHBytes, AETHBytes,
	AtomicAckETHBytes, ImmDtBytes, IETHBytes, CNPPadBytes,
}

// Has reports whether all headers of x are in h.
func (h Headers) Has(x Headers) bool { return h&x == x }

// Bytes is the size of all headers of h together.
func (h Headers) Bytes() int {
	total := 0
	for i, size := range headerSizes {
		if h.Has(1 << i) {
			total += size
		}
	}
	return total
}
