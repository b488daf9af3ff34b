package nccl

import (
	"fmt"

	"weft/internal/sim/collective"
)

// GPU is a generation of GPUs.
type GPU uint8

// The generations with different constants in NCCL, and AMD's, which runs RCCL. NCCL's rules "from
// Hopper on" are not RCCL's.
const (
	Volta GPU = iota
	Ampere
	CDNA3 // MI300X, MI325X
	Hopper
	Blackwell
	numGPUs
)

func (g GPU) String() string {
	if g < numGPUs {
		return [...]string{"Volta", "Ampere", "CDNA3", "Hopper", "Blackwell"}[g]
	}
	return fmt.Sprintf("GPU(%d)", uint8(g))
}

// CPU is the vendor of the nodes' processors.
type CPU uint8

// The vendors with different constants in NCCL.
const (
	OtherCPU CPU = iota
	Intel
	AMD
	numCPUs
)

// Algo is an algorithm of NCCL, in its order.
type Algo uint8

// NCCL's algorithms (ncclAlgoStr), and Direct for the operations that have
// none: all-to-all and send/recv.
const (
	Tree Algo = iota
	Ring
	CollNetDirect
	CollNetChain
	NVLS
	NVLSTree
	PAT
	numAlgos
	Direct = numAlgos
)

// String is the name that NCCL_ALGO takes.
func (a Algo) String() string {
	if a <= Direct {
		return [...]string{"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT", "Direct"}[a]
	}
	return fmt.Sprintf("Algo(%d)", uint8(a))
}

// program is the algorithm of package collective that corresponds to a, false if there is none. PAT
// is the Bruck algorithm.
func (a Algo) program() (collective.Algo, bool) {
	switch a {
	case Tree:
		return collective.Tree, true
	case Ring:
		return collective.Ring, true
	case NVLS:
		return collective.NVLS, true
	case NVLSTree:
		return collective.NVLSTree, true
	case PAT:
		return collective.Bruck, true
	case Direct:
		return collective.Direct, true
	case CollNetDirect:
		return collective.CollNetDirect, true
	case CollNetChain:
		return collective.CollNetChain, true
	default:
		return 0, false
	}
}

// Proto is a protocol of NCCL: the way in which a GPU signals that data has arrived.
type Proto uint8

// NCCL's protocols.
const (
	LL     Proto = iota // 4 bytes of flag with every 4 of data
	LL128               // 8 bytes of flag with every 120 of data
	Simple              // one flag for a whole slot
	numProtos
)

// String is the name that NCCL_PROTO takes.
func (p Proto) String() string {
	if p < numProtos {
		return [...]string{"LL", "LL128", "Simple"}[p]
	}
	return fmt.Sprintf("Proto(%d)", uint8(p))
}

// WireBytes is the size of a message on the wire: LL doubles it, LL128 sends whole lines of 128
// bytes for every 120 (src/include/device.h).
func (p Proto) WireBytes(bytes int64) int64 {
	switch p {
	case LL:
		return (bytes + 7) / 8 * 16
	case LL128:
		return (bytes + 119) / 120 * 128
	default:
		return bytes
	}
}

// fraction is the share of data in the bytes on the wire.
func (p Proto) fraction() float64 {
	return [numProtos]float64{LL: 8. / 16, LL128: 120. / 128, Simple: 1}[p]
}

type link uint8

const (
	linkNVLink link = iota
	linkPCI
	linkNet
	numLinks
)

// Cluster is the input of NCCL's cost model about a cluster.
type Cluster struct {
	Nodes   int
	PerNode int // GPUs of a node
	GPU     GPU
	// NVLink is the rate of a GPU's NVLinks in each direction together, in GB/s as NCCL counts it:
	// links times LinkGBps. Without NVLink it is 0, and PCIe is used.
	NVLinkGBps float64
	PCIeGBps   float64 // between the GPUs of a node without NVLink, in GB/s
	NICs       int     // of a node
	// NIC is the rate of a NIC in each direction to and from GPU memory, in GB/s: the minimum of
	// the port (50 for 400 Gb/s) and its PCIe link.
	NICGBps  float64
	NVSwitch bool
	NVLS     bool // in-switch reduction; needs NVSwitch and Hopper or later
	CollNet  bool // reduction in the network, with the plugin for it
	CPU      CPU
	Plugin   Plugin // for the network; empty is NCCL's net_ib
	// Release is NCCL's.
	Release Release
	// Reckoned takes NCCL's own constants for the times of kernels, not the measured ones.
	Reckoned bool
	// Figures replaces the measured times of kernels; nil is those in use.
	Figures *Figures
	// NoPXN is NCCL_PXN_DISABLE: no rank uses a NIC through another GPU.
	NoPXN bool
	// Tuner is the rules of a tuner plug-in.
	Tuner []Rule
	// Only selects the algorithms and protocols that may be chosen, as NCCL_ALGO and NCCL_PROTO do;
	// nil is all that NCCL enables.
	Only func(Algo, Proto) bool
}

// Ranks is the number of GPUs.
func (c Cluster) Ranks() int { return c.Nodes * c.PerNode }

// Layout is the cluster's numbering of ranks.
func (c Cluster) Layout() collective.Layout {
	return collective.Layout{Nodes: c.Nodes, PerNode: c.PerNode, NICs: c.NICs, OwnRails: c.NoPXN}
}

func (c Cluster) check() error {
	switch {
	case c.Nodes < 1 || c.PerNode < 1:
		return fmt.Errorf("nccl: a cluster of %d nodes with %d GPUs each does not exist", c.Nodes, c.PerNode)
	case c.GPU >= numGPUs || c.CPU >= numCPUs:
		return fmt.Errorf("nccl: unknown %v or CPU vendor %d", c.GPU, c.CPU)
	case c.PerNode > 1 && c.NVLinkGBps <= 0 && c.PCIeGBps <= 0:
		return fmt.Errorf("nccl: the GPUs of a node have neither NVLink nor PCIe between them")
	case c.Nodes > 1 && (c.NICs < 1 || c.NICGBps <= 0):
		return fmt.Errorf("nccl: %d nodes with %d NICs of %g GB/s each are not connected", c.Nodes, c.NICs, c.NICGBps)
	}
	return nil
}

// scale is the column of the tables byNodes.
func (c Cluster) scale() int { return min(c.Nodes, 3) - 1 }

// intra is the kind of link between the GPUs of a node.
func (c Cluster) intra() link {
	if c.NVLinkGBps > 0 || c.PerNode == 1 {
		return linkNVLink
	}
	return linkPCI
}

// llMax is the maximum rate of LL.
func (c Cluster) llMax() float64 {
	switch {
	case c.Nodes == 1:
		return c.tuning().llMax[c.GPU][0]
	case c.CPU == AMD:
		return c.tuning().llMax[Ampere][c.scale()]
	default:
		return c.tuning().llMax[Volta][c.scale()]
	}
}
