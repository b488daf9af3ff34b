package runstore

import "slices"

// Stream is what a stream beside a collective got done until the collective
// ended.
type Stream struct {
	Name      string  `json:"name"`
	Operation string  `json:"operation"`
	Class     int     `json:"class"` // 802.1p priority, or InfiniBand's service level
	Messages  int64   `json:"messages"`
	GBps      float64 `json:"gbytes_per_s"` // payload, 1e9
	MeanPs    int64   `json:"mean_ps"`      // of a message, from its posting to its end
	P99Ps     int64   `json:"p99_ps"`
	MaxPs     int64   `json:"max_ps"`
}

// roundedStreams is a copy whose floats are rounded as in results.json.
func roundedStreams(list []Stream) []Stream {
	own := slices.Clone(list)
	for i := range own {
		own[i].GBps = rounded(own[i].GBps, bandwidthDigits)
	}
	return own
}
