package transport

import "weft/units"

// The AETH syndrome (IBA vol. 1, 9.7.5.1.2, table 44): three bits of kind,
// five of value.
const (
	syndromeKindMask  = 0xe0
	syndromeValueMask = 0x1f

	syndromeACK = 0x00 // value: encoded credit count
	syndromeRNR = 0x20 // value: RNR timer
	syndromeNAK = 0x60 // value: NAK code

	// SyndromeACK is what this responder sends: an ACK whose credit count of
	// 31 says that it does no end-to-end flow control.
	SyndromeACK = syndromeACK | 31

	// NAKSequence, of code 0, asks for everything from the packet's PSN on.
	NAKSequence = syndromeNAK
	// NAKInvalidRequest refuses a request that makes no sense where it stands.
	NAKInvalidRequest = syndromeNAK | 1
	// NAKRemoteAccess refuses an R_Key, an address or an access right.
	NAKRemoteAccess = syndromeNAK | 2
	// NAKRemoteOperational says that the responder itself failed.
	NAKRemoteOperational = syndromeNAK | 3
)

// SyndromeRNR is the syndrome of a receiver-not-ready NAK with a timer code.
func SyndromeRNR(code uint8) uint8 { return syndromeRNR | code&syndromeValueMask }

// rnrTimers is the RNR NAK timer field (IBA vol. 1, 9.7.5.2.8, table 46).
var rnrTimers = [32]units.Time{
	655360 * units.Microsecond, 10 * units.Microsecond, 20 * units.Microsecond, 30 * units.Microsecond,
	40 * units.Microsecond, 60 * units.Microsecond, 80 * units.Microsecond, 120 * units.Microsecond,
	160 * units.Microsecond, 240 * units.Microsecond, 320 * units.Microsecond, 480 * units.Microsecond,
	640 * units.Microsecond, 960 * units.Microsecond, 1280 * units.Microsecond, 1920 * units.Microsecond,
	2560 * units.Microsecond, 3840 * units.Microsecond, 5120 * units.Microsecond, 7680 * units.Microsecond,
	10240 * units.Microsecond, 15360 * units.Microsecond, 20480 * units.Microsecond, 30720 * units.Microsecond,
	40960 * units.Microsecond, 61440 * units.Microsecond, 81920 * units.Microsecond, 122880 * units.Microsecond,
	163840 * units.Microsecond, 245760 * units.Microsecond, 327680 * units.Microsecond, 491520 * units.Microsecond,
}

// RNRTime is how long a requester waits after an RNR NAK with a timer code.
func RNRTime(code uint8) units.Time { return rnrTimers[code&syndromeValueMask] }

// RNRCode is the timer code of the shortest wait that is no shorter than t; t is
// at most the longest, 655.36 ms, of code 0.
func RNRCode(t units.Time) uint8 {
	for code := uint8(1); code < uint8(len(rnrTimers)); code++ {
		if rnrTimers[code] >= t {
			return code
		}
	}
	return 0
}

// RetryTime is the Local ACK Timeout of exponent t: 4.096 us times 2^t; 0 means
// that there is no timer (IBA vol. 1, 9.7.6.1.3).
func RetryTime(t uint8) units.Time {
	if t == 0 {
		return 0
	}
	return 4096 * units.Nanosecond << min(t, MaxRetryExponent)
}
