package serving

import (
	"weft/internal/sim/workload/llm"
	"weft/units"
)

// Request is a prompt that wants an answer.
type Request struct {
	Arrival units.Time
	Prompt  int // tokens
	Output  int // tokens, with the first, which prefill computes
	Cached  int // tokens of the prompt whose keys and values prefill still has; fewer than Prompt
}

// Job is the pools of a serving job and the times of their iterations.
type Job struct {
	Prefill, Decode Pool
	Layers          int
	// Early: each layer leaves when it is computed; otherwise all leave after the prompt.
	Early bool
	// PrefillTime is the time of an iteration of prefill, given the chunks of each group.
	PrefillTime func(groups [][]llm.Chunk) units.Time
	// DecodeTime is the time of an iteration of decode, in which the fullest group computes a token of
	// each of a number of requests with a number of tokens before it in all.
	DecodeTime func(requests int, context int64) units.Time
}

// Pool is instances that do the same work.
type Pool struct {
	Instances int
	Groups    int   // of an instance: each has requests of its own
	Stages    int   // of an instance's pipeline
	Tokens    int   // most of a group's iteration; of prefill
	Requests  int   // most of a group
	Room      int64 // tokens whose keys and values a group can hold
}

// Site is a group of an instance.
type Site struct{ Instance, Group int }

// Shipment is the keys and values of tokens of a request on their way from prefill to decode. Layer l
// is computed at At + (l+1) × Each.
type Shipment struct {
	Request  int
	From, To Site
	Tokens   int
	At, Each units.Time
}

// World is what surrounds a scheduler: a clock, and the way from prefill to decode.
type World interface {
	Now() units.Time
	// At makes the world call the scheduler's Timer with the tag at a time, later than now.
	At(at units.Time, tag uint64)
	// Ship begins a shipment. The world calls the scheduler's Delivered with its number when it has
	// arrived, later than now. Numbers count from 0.
	Ship(s Shipment)
	// Iterate makes the world call the scheduler's Timer with the tag when an iteration is over: after the
	// time that it takes, or later if something slows it.
	Iterate(k *Iteration, tag uint64)
}

// Iteration is the work of an instance from now on.
type Iteration struct {
	Instance int
	Chunks   [][]llm.Chunk // of prefill, by group; nil: of decode
	Requests int           // of decode: of the fullest group
	Context  int64         // of decode: the tokens before, in the group with the most
	Takes    units.Time    // if nothing slows it
}

// Tokens is the number of tokens of the fullest group.
func (k *Iteration) Tokens() (most int) {
	for _, chunks := range k.Chunks {
		sum := 0
		for _, c := range chunks {
			sum += c.Tokens
		}
		most = max(most, sum)
	}
	return max(most, k.Requests)
}

// Record is the times of a request. A time that did not come is negative.
type Record struct {
	Begun    units.Time // prefill began with it
	Computed units.Time // prefill has its first token
	Sent     units.Time // the first keys and values could leave
	First    units.Time // decode has its keys and values: the first token is told
	Done     units.Time
}
