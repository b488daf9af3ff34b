package serving

import (
	"slices"

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
	Prefill, Decode Pool // Decode without instances: those of Prefill compute answers, too
	Layers          int
	// Clients of a closed loop: each sends its next request when it has its answer. 0: requests arrive at their times.
	Clients int
	// Host is the time that a request takes of the front end of a group, before its prompt can be computed.
	Host units.Time
	// HostToken is the time in which the front end of a group passes on a token; it passes on one after the other.
	HostToken units.Time
	// Early: each layer leaves when it is computed; otherwise all leave after the prompt.
	Early bool
	// Lanes is the number of parts of the layers that leave one beside the other, from GPUs that hold different ones.
	Lanes int
}

// apart reports whether prompts and answers are computed in different instances.
func (j *Job) apart() bool { return j.Decode.Instances > 0 }

// Pool is instances that do the same work.
type Pool struct {
	Instances int
	Groups    int   // of an instance: each has requests of its own
	Stages    int   // of an instance's pipeline
	Tokens    int   // most of a group's iteration
	Requests  int   // most of a group
	Room      int64 // tokens whose keys and values a group can hold
	// Reserve: a request begins its answer when there is room for all of it. Otherwise it takes room token by token,
	// and if there is none the request that came last is evicted.
	Reserve bool
	// Drafts is the number of further tokens that are guessed for each token of an answer, and computed beside it. Of all that
	// are guessed a share of Holds/HoldsOf holds.
	Drafts         int
	Holds, HoldsOf int64
	// Time is the time of an iteration through all stages, given the work of each group.
	Time func(groups []Work) units.Time
	// Between is the time from one stage to the next on a network that takes no time; nil: none.
	Between func(groups []Work) units.Time
}

// Work is what a group computes in an iteration.
type Work struct {
	Chunks   []llm.Chunk // of prompts
	Requests int         // that get a token of their answers
	Drafts   int         // further tokens of theirs that are guessed
	Context  int64       // tokens before these, in all
}

// Answers is the work at a token of each of a number of answers.
func (p *Pool) Answers(requests int, context int64) Work {
	return Work{Requests: requests, Drafts: requests * p.Drafts, Context: context}
}

// PerStep is the mean number of tokens that an answer gets in an iteration.
func (p *Pool) PerStep() float64 {
	if p.Drafts == 0 {
		return 1
	}
	return 1 + float64(p.Drafts)*float64(p.Holds)/float64(p.HoldsOf)
}

// hold is the number of guessed tokens that hold in a step of a request, counted from 1. Requests have the same mean, and
// their good steps at different times.
func (p *Pool) hold(request, step int) int {
	if p.Drafts == 0 {
		return 0
	}
	until := func(n int) int64 { return int64(n) * int64(p.Drafts) * p.Holds / p.HoldsOf }
	return int(until(request+step) - until(request+step-1))
}

// Tokens is the number of tokens.
func (w *Work) Tokens() int {
	n := w.Requests + w.Drafts
	for _, c := range w.Chunks {
		n += c.Tokens
	}
	return n
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
	// Iterate takes an iteration through the stages of its instance, each of which works at one at a time, in order. The world
	// calls the scheduler's Timer with over when the iteration is over, and, if there are several stages, with free when the
	// first one is free: after the times that it takes, or later if something slows it.
	Iterate(k *Iteration, over, free uint64)
}

// Iteration is the work of an instance from now on.
type Iteration struct {
	Decode   bool // of decode's instances
	Instance int
	Groups   []Work
	Takes    units.Time // all stages together, if nothing slows it
}

// Tokens is the number of tokens of the fullest group.
func (k *Iteration) Tokens() (most int) {
	for i := range k.Groups {
		most = max(most, k.Groups[i].Tokens())
	}
	return most
}

// Stage is the time of one of a number of stages, if nothing slows it: alike, but for what does not divide.
func (k *Iteration) Stage(which, stages int) units.Time {
	return k.Takes*units.Time(which+1)/units.Time(stages) - k.Takes*units.Time(which)/units.Time(stages)
}

// Answers reports whether no prompt takes part.
func (k *Iteration) Answers() bool {
	return !slices.ContainsFunc(k.Groups, func(w Work) bool { return len(w.Chunks) > 0 })
}

// Record is the times of a request. A time that did not come is negative.
type Record struct {
	Read     units.Time // its front end is done with it: its prompt can be computed
	Begun    units.Time // prefill began with it
	Computed units.Time // prefill has its first token
	Sent     units.Time // the first keys and values could leave
	First    units.Time // decode has its keys and values: the first token is told
	Done     units.Time
	Evicted  int // how often its keys and values were given up
}
