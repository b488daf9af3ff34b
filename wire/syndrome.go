package wire

import (
	"fmt"

	"weft/units"
)

// rnrTimers are the waiting times of RNR NAKs by code, in tens of microseconds (IBA vol. 1,
// 9.7.5.2.8, table 46).
var rnrTimers = [32]int64{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRTimer is the waiting time of a code of an RNR NAK.
func RNRTimer(code uint8) units.Time {
	return units.Time(rnrTimers[code&0x1f]) * 10 * units.Microsecond
}

// RNRTimerCode is the code of the shortest wait not shorter than t; t is at most the longest,
// 655.36 ms, of code 0.
func RNRTimerCode(t units.Time) uint8 {
	for code := uint8(1); code < uint8(len(rnrTimers)); code++ {
		if RNRTimer(code) >= t {
			return code
		}
	}
	return 0
}

// nakReasons are the values of a NAK (IBA vol. 1, table 45).
var nakReasons = [...]string{
	"PSN sequence error", "invalid request", "remote access error", "remote operational error", "invalid RD request",
}

// String is the meaning of the syndrome.
func (s Syndrome) String() string {
	switch s.Kind() {
	case SyndromeACK:
		return "ACK"
	case SyndromeRNR:
		return fmt.Sprintf("RNR NAK, wait %v", RNRTimer(s.Value()))
	case SyndromeNAK:
		if int(s.Value()) < len(nakReasons) {
			return "NAK: " + nakReasons[s.Value()]
		}
	}
	return fmt.Sprintf("reserved syndrome %#02x", uint8(s))
}
