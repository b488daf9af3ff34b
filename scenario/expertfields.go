package scenario

import "weft/units"

// Experts is the mixture of experts of an exchange, and how a library carries it out.
//
// A rank is a GPU; it has tokens, and it has experts. A dispatch sends each token to its experts; a
// combine sends the results back, and the token's rank adds them up.
type Experts struct {
	// Library is the library whose kernels these are: it gives the fields that a user leaves out their
	// defaults.
	Library Library `yaml:"library,omitzero"`
	// Kernel is the kind of library kernel: low-latency or throughput.
	Kernel ExpertKernel `yaml:"kernel,omitzero"`
	// Tokens is the number of tokens of a rank.
	Tokens int `yaml:"tokens,omitzero" range:"1..1048576"`
	// Hidden is the number of elements of a token.
	Hidden int `yaml:"hidden,omitzero" range:"1..1048576"`
	// Count is the number of experts of a layer, without replicas.
	Count int `yaml:"count,omitzero" range:"1..65536"`
	// TopK is the number of experts of a token.
	TopK int `yaml:"top-k,omitzero" range:"1..64"`
	// Element is the type of a token's elements on the network.
	Element Element `yaml:"element,omitzero"`
	// ScaleGroup is the number of elements that share a scale of 4 bytes. 0: there are no scales.
	ScaleGroup int `yaml:"scale-group" range:"0..1048576"`

	// Gating is how tokens choose their experts: uniform, zipf or weights.
	Gating Gating `yaml:"gating,omitzero"`
	// Skew is the exponent of zipf: the weight of the i-th expert is 1/i^skew.
	Skew Ratio `yaml:"skew,omitzero"`
	// Weights are the measured shares of the experts, such as counts of tokens; one for each.
	Weights []int64 `yaml:"weights,omitzero" range:"0..1000000000000000"`
	// Histogram is a file with the weights: whole numbers, between spaces, commas or lines.
	Histogram string `yaml:"histogram,omitzero"`
	// NodeLimit is the most nodes on which a token's experts are (node-limited routing). 0: any.
	NodeLimit int `yaml:"node-limit" range:"0..1048576"`
	// Replicas is the number of further copies of experts; each goes to the expert whose copies
	// are the busiest.
	Replicas int `yaml:"replicas,omitzero" range:"0..65536"`
	// Placement is how experts are divided among ranks: contiguous, striped or balanced.
	Placement Placement `yaml:"placement,omitzero"`
	// ExpertBytes is the memory that an expert takes on its GPU, over all layers. 0: it is not
	// counted.
	ExpertBytes units.Bytes `yaml:"expert-bytes,omitzero" range:"0B..1TiB"`

	// RDMAOnly sends also between the GPUs of a node through their NICs.
	RDMAOnly bool `yaml:"rdma-only,omitzero"`
	// QueuePairs is the number of queue pairs from a rank to another. 0: as many as a rank has
	// experts, with low-latency kernels; else as many as there are channels.
	QueuePairs int `yaml:"queue-pairs,omitzero" range:"0..4096"`
	// NICs is the number of each GPU's own NICs that carry the exchange, its first ones. 0: all.
	NICs int `yaml:"nics,omitzero" range:"0..64"`
	// Posting is what posts work requests: the GPU's kernel (IBGDA), or proxy threads of the CPU.
	Posting Posting `yaml:"posting,omitzero"`
	// ProxyThreads is the number of proxy threads of a rank.
	ProxyThreads int `yaml:"proxy-threads,omitzero" range:"0..1024"`
	// ProxyTime is the time of a proxy thread for a work request.
	ProxyTime units.Time `yaml:"proxy-time" range:"0..1ms"`
	// CompletionTime is the time of a proxy thread for a completion, beside ProxyTime.
	CompletionTime units.Time `yaml:"completion-time" range:"0..1ms"`
	// CQMod is the number of work requests for each completion: the last of them is signalled (perftest's
	// --cq-mod).
	CQMod int `yaml:"cq-mod,omitzero" range:"0..32768"`
	// Signal is how a receiver learns that all its tokens are there: by an atomic after the last
	// WRITE, or by the immediate data of the last WRITE.
	Signal Signal `yaml:"signal,omitzero"`
	// Software is the time of the library's kernel at each end of a message, without the moving of
	// its bytes.
	Software units.Time `yaml:"software" range:"0..1s"`
	// StartSkew is the time within which ranks begin their kernels, each at a random moment of it. A
	// rank's time is from its own beginning.
	StartSkew units.Time `yaml:"start-skew,omitzero" range:"0..1s"`
	// CopyRate is the rate at which a rank's throughput kernel stores tokens at the GPUs of its node, the
	// own one too.
	CopyRate units.Rate `yaml:"copy-rate" range:"0bps..100Tbps"`
	// Channels is the number of channels of throughput kernels.
	Channels int `yaml:"channels" range:"0..1024"`
	// Chunk is the number of tokens that a channel of throughput kernels sends at a time.
	Chunk int `yaml:"chunk" range:"0..65536"`
	// ReceiveTokens is the number of tokens of a channel that fit the buffer in which a GPU receives
	// them from a rank of another node: the rank waits for room. 0: any number.
	ReceiveTokens int `yaml:"receive-tokens,omitzero" range:"0..1048576"`
}

// TokenBytes is the size of a token's elements with their scales.
func (x *Experts) TokenBytes() units.Bytes {
	n := units.Bytes(x.Hidden) * elementBytes[x.Element]
	if x.ScaleGroup > 0 {
		n += units.Bytes(ceilDiv(x.Hidden, x.ScaleGroup)) * scaleBytes
	}
	return n
}

// scaleBytes is the size of a scale: a float.
const scaleBytes = 4

var elementBytes = map[Element]units.Bytes{ElementFP8: 1, ElementBF16: 2}

// Copies is the number of experts with their replicas.
func (x *Experts) Copies() int { return x.Count + x.Replicas }

// Exchange is the direction in which tokens move between ranks and experts.
type Exchange string

// The exchanges.
const (
	Dispatch Exchange = "moe-dispatch" // from the tokens' ranks to those of their experts
	Combine  Exchange = "moe-combine"  // back
)

// TokenExchange is what carries the tokens of a training job to their experts and back.
type TokenExchange string

// The ways.
const (
	ExchangeAllToAll TokenExchange = "all-to-all" // NCCL's: a token goes to each of its experts
	ExchangeDispatch TokenExchange = "dispatch"   // a library's kernels: moe-dispatch there and moe-combine back
)

// Library is a library of kernels for experts.
type Library string

// The libraries.
const (
	DeepEP   Library = "deepep"
	HybridEP Library = "hybrid-ep" // NVIDIA's, for NVLink domains
	UCCLEP   Library = "uccl-ep"
)

// ExpertKernel is a kind of library kernel.
type ExpertKernel string

// The kinds.
const (
	LowLatency ExpertKernel = "low-latency" // a WRITE for each token and expert, to the expert's rank
	Throughput ExpertKernel = "throughput"  // a token crosses the network once for a node, and is forwarded there
)

// Element is the type of a token's elements.
type Element string

// The types.
const (
	ElementFP8  Element = "fp8"
	ElementBF16 Element = "bf16"
)

// Gating is how tokens choose their experts.
type Gating string

// The ways.
const (
	GatingUniform Gating = "uniform"
	GatingZipf    Gating = "zipf"
	GatingWeights Gating = "weights"
)

// Placement is how experts are divided among ranks.
type Placement string

// The placements.
const (
	PlacementContiguous Placement = "contiguous" // neighbours on a rank
	PlacementStriped    Placement = "striped"    // neighbours on neighbouring ranks
	PlacementBalanced   Placement = "balanced"   // the heaviest first, to the rank with the least load
)

// Posting is what posts work requests.
type Posting string

// The posters.
const (
	PostingGPU   Posting = "gpu"
	PostingProxy Posting = "proxy"
)

// Signal is how the end of a rank's tokens is told.
type Signal string

// The signals.
const (
	SignalAtomic    Signal = "atomic"
	SignalImmediate Signal = "immediate"
)
