package transport

import "weft/units"

// RetryTime is the Local ACK Timeout of exponent t: 4.096 us times 2^t; 0 means
// that there is no timer (IBA vol. 1, 9.7.6.1.3).
func RetryTime(t uint8) units.Time {
	if t == 0 {
		return 0
	}
	return 4096 * units.Nanosecond << min(t, MaxRetryExponent)
}
