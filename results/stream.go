package results

import "slices"

// Stream is the result of a traffic stream that ran beside a collective, up to the collective's
// end.
type Stream struct {
	Name      string  `json:"name"`         // in the scenario
	Operation string  `json:"operation"`    // write, read, nvme-read, nvme-write
	Class     int     `json:"class"`        // 802.1p priority, or InfiniBand's service level
	Messages  int64   `json:"messages"`     // that ended
	GBps      float64 `json:"gbytes_per_s"` // payload in GB/s of 1e9 bytes
	MeanPs    int64   `json:"mean_ps"`      // time of a message, from posting to completion
	P99Ps     int64   `json:"p99_ps"`       // its 99th percentile
	MaxPs     int64   `json:"max_ps"`       // its longest
}

// roundedStreams is a copy whose floats are rounded as in results.json.
func roundedStreams(list []Stream) []Stream {
	own := slices.Clone(list)
	for i := range own {
		own[i].GBps = rounded(own[i].GBps, bandwidthDigits)
	}
	return own
}
