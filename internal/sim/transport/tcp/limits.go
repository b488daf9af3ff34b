package tcp

import "weft/units"

// The bounds of a connection, each with its reason.
const (
	// maxWindow bounds a receive window: 2^30 is the maximum of RFC 7323.
	maxWindow = 1 << 30

	// maxCwnd bounds the congestion window in packets, and with it the
	// scoreboard (24 bytes a packet): 190 MB of 1,448-byte segments is more
	// than 800 Gb/s need for 1.5 ms.
	maxCwnd = 1 << 17

	// maxMessages bounds the messages that are queued or unacknowledged. A collective keeps some
	// tens; more are an error of the caller.
	maxMessages = 1 << 20

	// maxSpans bounds the separate spans that a receiver keeps out of order.
	// Beyond it a segment is dropped, as Linux prunes its out-of-order queue;
	// it was not acknowledged, so the sender repairs it.
	maxSpans = 1 << 12

	// maxTimeouts in a row end a connection: Linux's tcp_retries2.
	maxTimeouts = 15

	// maxMSS keeps a segment's length in 16 bits: IP cannot carry more.
	maxMSS = 65535 - HeaderBytes
)

// maxRTO is Linux's TCP_RTO_MAX.
const maxRTO = 120 * units.Second
