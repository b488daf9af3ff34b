package ncclxml

const (
	// maxBytes is a node of thousands of devices.
	maxBytes = 4 << 20
	// maxDepth is deeper than any chain of PCI switches.
	maxDepth = 64
	// mostMbps is the rate of no network port.
	mostMbps = 100_000_000
	// maxDevices is the maximum of a scenario's node.
	maxDevices = 1024
)
