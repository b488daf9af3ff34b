package scenario

import "weft/units"

// Serving is a job that answers requests with a language model: some nodes compute the prompts
// (prefill) and pass the keys and values of their tokens on to others, which compute the answers
// (decode). Or the same nodes compute both.
type Serving struct {
	// Model is the model that answers.
	Model Model `yaml:"model"`
	// Precision is the format of its weights and matrix products: bf16 or fp8.
	Precision Precision `yaml:"precision"`
	// Framework is the share of the rate of kernels measured alone that computations reach.
	Framework Ratio `yaml:"framework"`
	// Collocated: the GPUs of prefill compute answers, too, beside chunks of prompts; there is no
	// decode, and keys and values stay where they are.
	Collocated bool `yaml:"collocated"`
	// Prefill is the GPUs that compute prompts: the cluster's first nodes.
	Prefill Pool `yaml:"prefill"`
	// Decode is the GPUs that compute answers: the nodes after those of prefill.
	Decode Pool `yaml:"decode"`
	// Speculation is the tokens of answers that are guessed.
	Speculation Speculation `yaml:"speculation,omitzero"`
	// Load is the requests.
	Load ServingLoad `yaml:"load"`
	// Limits are the times that a request may take to count as good.
	Limits ServingLimits `yaml:"limits"`
	// HostRequest is the hosts' time for a request before its prompt can be computed: the server's front end, the tokenizer, the
	// way to the scheduler. A front end takes one request after the other.
	HostRequest units.Time `yaml:"host-request" range:"0..100s"`
	// HostToken is the hosts' time for a token of an answer on its way to the client: detokenizer, stream, the server's front
	// end, which each part of an instance with requests of its own has one of. It passes on one token after the other.
	HostToken units.Time `yaml:"host-token" range:"0..1s"`
	// HostIteration is the time of the scheduler between two iterations of an instance, in which its GPUs wait.
	HostIteration units.Time `yaml:"host-iteration" range:"0..1s"`
	// HostLayer is the hosts' time for launching the kernels of a layer, three times as long for one with experts. An iteration
	// with prompts of more than GraphTokens in all, which no CUDA graph holds, takes at least that of all layers.
	HostLayer units.Time `yaml:"host-layer" range:"0..1s"`
	// GraphTokens is the number of tokens of the largest CUDA graph of iterations with prompts.
	GraphTokens int `yaml:"graph-tokens" range:"0..1073741824"`
	// KV is how the keys and values get from prefill to decode.
	KV KVTransfer `yaml:"kv"`
	// Experts is which experts of a mixture tokens choose, and where these are.
	Experts ServingExperts `yaml:"experts,omitzero"`
}

// Speculation is speculative decoding by layers of the model itself (multi-token prediction) or by a model of as many
// layers: tokens of an answer are guessed, and computed beside the next one, and those that hold are kept.
type Speculation struct {
	// Draft is the number of tokens that are guessed for each answer in an iteration. Each takes one more layer.
	Draft int `yaml:"draft,omitzero" range:"0..16"`
	// Accepted is the share of the guessed tokens that hold.
	Accepted Ratio `yaml:"accepted,omitzero"`
}

// ServingExperts is which experts tokens choose, and where the experts are, as in Experts. The rest of the exchanges
// follows from the model, the pools and the library.
type ServingExperts struct {
	// Library is the library whose kernels exchange the tokens.
	Library Library `yaml:"library,omitzero"`
	// Gating is how tokens choose their experts: uniform, zipf or weights.
	Gating Gating `yaml:"gating,omitzero"`
	// Skew is the exponent of zipf: the weight of the i-th expert is 1/i^skew.
	Skew Ratio `yaml:"skew,omitzero"`
	// Weights are the measured shares of the experts, such as counts of tokens; one for each.
	Weights []int64 `yaml:"weights,omitzero" range:"0..1000000000000000"`
	// Histogram is a file with the weights: whole numbers, between spaces, commas or lines.
	Histogram string `yaml:"histogram,omitzero"`
	// NodeLimit is the most nodes on which a token's experts are. 0: any with low-latency kernels, four with
	// throughput kernels.
	NodeLimit int `yaml:"node-limit,omitzero" range:"0..1048576"`
	// Placement is how experts are divided among ranks: contiguous, striped or balanced.
	Placement Placement `yaml:"placement,omitzero"`
	// StartSkew is the time within which ranks begin their kernels.
	StartSkew units.Time `yaml:"start-skew,omitzero" range:"0..1s"`
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
	// Tokens is the most tokens that an instance computes in an iteration; a longer prompt takes
	// several (chunked prefill).
	Tokens int `yaml:"tokens" range:"1..100000000"`
	// Requests is the most requests that an instance works on at a time.
	Requests int `yaml:"requests" range:"1..1000000"`
	// Reserve: a request begins its answer when there is memory for all of it. Otherwise each token
	// takes memory when it is computed; if there is none, the request that came last is evicted, and computed again later.
	Reserve bool `yaml:"reserve"`
	// Overlap divides an iteration into halves: while one computes, the other's tokens go to experts
	// and come back.
	Overlap bool `yaml:"overlap"`
	// Memory is the share of the GPUs' memory for weights, keys and values.
	Memory Ratio `yaml:"memory"`
}

// ServingLoad is the requests of a serving job, if they do not come from a trace.
type ServingLoad struct {
	// Rate is the mean number of requests that arrive in a second, at exponential intervals.
	Rate Ratio `yaml:"rate"`
	// Concurrency, if not 0, is the number of clients of a closed loop: each sends its next request when it has the answer
	// to the one before. Requests then come at no rate.
	Concurrency int `yaml:"concurrency,omitzero" range:"0..1000000"`
	// Burst is the number of requests that arrive together; 0: each alone.
	Burst int `yaml:"burst,omitzero" range:"0..1000000"`
	// Requests is the number of requests.
	Requests int `yaml:"requests" range:"1..1000000"`
	// Prompt is the mean number of tokens of a prompt.
	Prompt int `yaml:"prompt" range:"1..10000000"`
	// Output is the mean number of tokens of an answer.
	Output int `yaml:"output" range:"1..10000000"`
	// Lengths says whether all prompts and answers are alike, or exponentially distributed.
	Lengths LengthDistribution `yaml:"lengths"`
	// PrefixHits is the share of a prompt's tokens whose keys and values an instance still has.
	PrefixHits Ratio `yaml:"prefix-hits"`
}

// ServingLimits are the times that a request may take to count as good.
type ServingLimits struct {
	// FirstToken is the longest time to the first token.
	FirstToken units.Time `yaml:"first-token" range:"0..1000000s"`
	// PerToken is the longest mean time of the tokens after the first.
	PerToken units.Time `yaml:"per-token" range:"0..1000000s"`
}

// KVTransfer is how the keys and values of a prompt get from the GPUs that computed them to those
// that go on with them.
type KVTransfer struct {
	// Precision is the format of a key or value: bf16 or fp8.
	Precision Precision `yaml:"precision"`
	// Send says when a layer leaves: layers as soon as it is computed, whole after the prompt.
	Send KVSend `yaml:"send"`
	// Operation is the operation: the prefill's GPU writes, or the decode's reads.
	Operation KVOperation `yaml:"operation"`
	// Page is the number of tokens of a page: pages lie anywhere in memory, and each is a work
	// request of its own. 0: the tokens of a request are contiguous.
	Page int `yaml:"page" range:"0..1000000"`
	// Layout is the order of the numbers in a page: nhd has the heads of a token together, hnd
	// the tokens of a head. It matters if the two sides have different numbers of heads.
	Layout KVLayout `yaml:"layout"`
	// NICs is the number of NICs that a GPU sprays the slices of a layer over: its own, then the
	// next ones of its node.
	NICs int `yaml:"nics" range:"1..1024"`
	// OwnNICs is the number of each GPU's own NICs, its last ones, that carry keys and values alone:
	// exchanges with experts have the others. 0: both have all.
	OwnNICs int `yaml:"own-nics" range:"0..63"`
	// Slice is the most bytes of a work request. 0: a page.
	Slice units.Bytes `yaml:"slice" range:"0..1GiB"`
	// Class is the 802.1p priority of keys and values; on InfiniBand the service level. 0: that of
	// the fabric's other data.
	Class int `yaml:"class" range:"0..15"`
	// Rate is the most that the library moves from a node or to one in a second, whatever its NICs could. 0: no bound.
	Rate units.Rate `yaml:"rate" range:"0bps..1000Tbps"`
	// Share is the share of the NICs' rate that the library reaches.
	Share Ratio `yaml:"share"`
	// LayerTime is the time of the library for a layer's transfer; a GPU's layers go one after
	// the other.
	LayerTime units.Time `yaml:"layer-time" range:"0..1s"`
}
