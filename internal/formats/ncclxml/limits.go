package ncclxml

const (
	// maxBytes is a node of thousands of devices.
	maxBytes = 4 << 20
	// maxDepth is deeper than PCI switches are put behind each other.
	maxDepth = 64
	// maxDevices is what a scenario's node may have.
	maxDevices = 1024
)
