package transport

// Every bound of this package, with its reason.
const (
	// MaxMessageBytes is the longest message of the connected services (IBA
	// vol. 1, 9.4.3: 2^31 bytes).
	MaxMessageBytes = 1 << 31

	// MaxOutstandingPSNs bounds the PSNs between the oldest unacknowledged
	// packet and the newest: less than half of the circle of 2^24, so that
	// "before" and "after" stay unambiguous (IBA vol. 1, 9.7.2). A message may
	// not need more; the longest one does, at path MTUs up to 256.
	MaxOutstandingPSNs = 1<<23 - 1

	// MaxSendQueue and MaxRecvQueue bound the rings of posted work. 32768 is
	// the largest max_qp_wr that current NICs report; a collective that posts
	// more at once has a bug.
	MaxSendQueue = 1 << 15
	MaxRecvQueue = 1 << 15

	// minRing is the first size of a ring, of sends when a second is posted before
	// the first has finished: a handful of work requests costs 160 bytes, and most
	// queue pairs of a large fabric never hold more.
	minRing = 4

	// MaxReadResources bounds the READs that a responder serves at once, and
	// so the READs that a requester may have outstanding. NICs report 16
	// (max_qp_rd_atom); the field in the CM messages has eight bits.
	MaxReadResources = 128

	// MaxReorder bounds the distance ahead of the expected PSN at which a packet is placed out of
	// order. 2^15 packets of 4 KiB are 128 MiB in flight, which is 1 ms at 1 Tb/s: beyond any
	// fabric's reordering. A packet farther ahead is dropped and counted as lost.
	MaxReorder = 1 << 15

	// minReorder is the first size of the reorder bitmap, in packets.
	minReorder = 256

	// MaxEntropyValues bounds the entropy values of a queue pair. The UET
	// specification (3.6.16.3) has 256 for a typical number; a packet holds one in
	// eight bits.
	MaxEntropyValues = 256

	// MaxOpenMessages bounds the messages that an unordered queue pair holds parts
	// of: with a packet of each in its window there cannot be more.
	MaxOpenMessages = MaxReorder

	// MaxPathMTU bounds a path MTU. InfiniBand ends at 4096, jumbo frames near 9000; other
	// simulators use other values. Pacing multiplies a packet's bits by 10^12 ps in an int64, which
	// overflows slightly above this.
	MaxPathMTU = 1 << 20

	// MaxRetryExponent is the 5-bit Local ACK Timeout (IBA vol. 1, 9.7.6.1.3).
	MaxRetryExponent = 31

	// rnrInfinite is the RNR retry count that means "for ever" (IBA vol. 1,
	// 9.7.5.2.8).
	rnrInfinite = 7
)
