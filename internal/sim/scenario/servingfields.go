package scenario

import "weft/units"

// Serving is a job that answers requests with a language model: some nodes compute the prompts
// (prefill) and pass the keys and values of their tokens on to others, which compute the answers
// (decode).
type Serving struct {
	// Model is the model that answers.
	Model Model `yaml:"model"`
	// Prefill is the GPUs that compute prompts: the cluster's first nodes.
	Prefill Pool `yaml:"prefill"`
	// Decode is the GPUs that compute answers: the nodes after those of prefill.
	Decode Pool `yaml:"decode"`
	// KV is how the keys and values get from prefill to decode.
	KV KVTransfer `yaml:"kv"`
}

// Pool is the GPUs of a serving job that do the same work, in instances of tensor × data × pipeline
// GPUs.
type Pool struct {
	// Nodes is the number of nodes.
	Nodes int `yaml:"nodes" range:"0..1000000"`
	// Tensor is the number of GPUs that each layer's attention is divided over.
	Tensor int `yaml:"tensor" range:"1..65536"`
	// Data is the number of parts of an instance that have requests of their own; they share the
	// experts of a layer (attention with data parallelism).
	Data int `yaml:"data" range:"1..65536"`
	// Pipeline is the number of stages that the layers are divided over.
	Pipeline int `yaml:"pipeline" range:"1..10000"`
}

// KVTransfer is how the keys and values of a prompt get from the GPUs that computed them to those
// that go on with them.
type KVTransfer struct {
	// Precision is the format of a key or value: bf16 or fp8.
	Precision Precision `yaml:"precision"`
	// Operation is the operation: the prefill's GPU writes, or the decode's reads.
	Operation Operation `yaml:"operation"`
	// Page is the number of tokens of a page: pages lie anywhere in memory, and each is a work
	// request of its own. 0: the tokens of a request are contiguous.
	Page int `yaml:"page" range:"0..1000000"`
	// Layout is the order of the numbers in a page: nhd has the heads of a token together, hnd
	// the tokens of a head. It matters if the two sides have different numbers of heads.
	Layout KVLayout `yaml:"layout"`
	// NICs is the number of NICs that a GPU sprays the slices of a layer over: its own, then the
	// next ones of its node.
	NICs int `yaml:"nics" range:"1..1024"`
	// Slice is the most bytes of a work request. 0: a page.
	Slice units.Bytes `yaml:"slice" range:"0..1GiB"`
	// LayerTime is the time of the library for a layer's transfer; a GPU's layers go one after
	// the other.
	LayerTime units.Time `yaml:"layer-time" range:"0..1s"`
}
