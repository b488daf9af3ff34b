package results

// Exchange is the result of an exchange of tokens with experts. Bytes are the mean of a rank.
type Exchange struct {
	TokenBytes int64 `json:"token_bytes"` // of a token on the network
	// Bytes is what the kernels' tests divide by the time: of all tokens of a rank, once for each
	// expert with low-latency kernels; once for each node that they go to with throughput kernels, and
	// inside one node once for each rank. Forwarded is once for each rank, if that is not Bytes.
	Bytes        int64     `json:"bytes"`
	Forwarded    int64     `json:"forwarded_bytes,omitempty"`
	NetworkBytes int64     `json:"network_bytes"` // that a rank sends through NICs
	NVLinkBytes  int64     `json:"nvlink_bytes"`  // that a rank sends over the scale-up network
	Messages     int64     `json:"messages"`      // WRITEs with data that a rank posts
	MostTokens   int64     `json:"most_tokens"`   // of the rank whose experts get the most, each as often as it comes
	MeanTokens   int64     `json:"mean_tokens"`   // of a rank's experts
	Kernel       RankTimes `json:"kernel_ps"`
}

// RankTimes is the times of the ranks' kernels, in picoseconds.
type RankTimes struct {
	Min  int64 `json:"min"`
	Mean int64 `json:"mean"`
	P50  int64 `json:"p50"`
	P99  int64 `json:"p99"`
	Max  int64 `json:"max"`
}

// Rate is a number of bytes over the mean time of the kernels, in GB/s of 1e9 bytes.
func (e *Exchange) Rate(bytes int64) float64 {
	if e.Kernel.Mean == 0 {
		return 0
	}
	return float64(bytes) / float64(e.Kernel.Mean) * 1e3
}
