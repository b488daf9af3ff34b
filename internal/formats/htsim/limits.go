package htsim

const (
	// maxNodes is more than any cluster has.
	maxNodes = 1 << 20
	// maxConnections keeps a matrix below some gigabytes.
	maxConnections = 1 << 22
	// maxNumber keeps times and sizes within 63 bits of picoseconds and bytes.
	maxNumber = 1 << 50
)
