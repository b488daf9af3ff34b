package nccl

// Figure is a measured constant of NCCL's kernels, or of the software between nodes.
type Figure int

// The figures. Times are in µs, rates in GB/s of a thread block unless it says more.
const (
	Launch         Figure = iota // launch and completion of one thread block
	LaunchDoubling               // the same in addition, for each doubling of the blocks

	LLFlag // from the arrival of a message until its flag is seen
	LLTrip // of the first trip of all threads of a block
	LLTurn // a turn without data
	LLRate

	LL128Flag
	LL128Trip
	LL128Turn
	LL128Rate
	LL128All // all thread blocks of a GPU together, to others

	SimpleFlag
	SimpleTurn
	SimpleSend // to another GPU
	SimpleCopy // to the own memory, or for a NIC
	SimpleAll  // all thread blocks of a GPU together, to others

	NVLSFlag
	NVLSTurn
	NVLSRate
	NVLSSwitch // the share of NCCL's own figure at which a GPU sends through the reducing switch

	// The software's time of a message between two nodes: from the kernel's store to the NIC, and
	// from the NIC to the kernel's poll, with the proxy thread at both ends. The sender's buffer is in
	// the host's memory with LL, where the proxy thread reads the flags, and in the GPU's with LL128
	// and Simple.
	BetweenLL
	BetweenGDR

	NumFigures
)

var figureNames = [NumFigures]string{
	"launch", "launch-doubling",
	"ll-flag", "ll-trip", "ll-turn", "ll-rate",
	"ll128-flag", "ll128-trip", "ll128-turn", "ll128-rate", "ll128-all",
	"simple-flag", "simple-turn", "simple-send", "simple-copy", "simple-all",
	"nvls-flag", "nvls-turn", "nvls-rate", "nvls-switch",
	"between-ll", "between-gdr",
}

// String is the figure's name in figures.csv.
func (f Figure) String() string { return figureNames[f] }

// Figures are the figures of a generation of GPUs; 0 is one that the generation does not have.
type Figures [NumFigures]float64

// turnFigures are the times of a turn of a protocol, or of NVLS.
type turnFigures struct{ delayUs, tripUs, fixedUs, sendGBps, copyGBps float64 }

func (f *Figures) ring(p Proto) turnFigures {
	switch p {
	case LL:
		return turnFigures{f[LLFlag], f[LLTrip], f[LLTurn], f[LLRate], f[LLRate]}
	case LL128:
		return turnFigures{f[LL128Flag], f[LL128Trip], f[LL128Turn], f[LL128Rate], f[LL128Rate]}
	default:
		return turnFigures{f[SimpleFlag], 0, f[SimpleTurn], f[SimpleSend], f[SimpleCopy]}
	}
}

// all is the rate of all thread blocks of a GPU together, 0 for no bound.
func (f *Figures) all(p Proto) float64 {
	switch p {
	case LL128:
		return f[LL128All]
	case Simple:
		return f[SimpleAll]
	}
	return 0
}

// between is the software's time of a message between two nodes. What Simple has in addition to
// LL128, the completion's test, occupies the proxy thread: [Overheads.Tests].
func (f *Figures) between(p Proto) float64 {
	if p == LL {
		return f[BetweenLL]
	}
	return f[BetweenGDR]
}

func (f *Figures) nvls() turnFigures {
	return turnFigures{f[NVLSFlag], 0, f[NVLSTurn], f[NVLSRate], f[NVLSRate]}
}
