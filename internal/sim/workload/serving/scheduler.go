package serving

import (
	"weft/internal/sim/workload/llm"
	"weft/units"
)

// Scheduler runs a job: requests wait in one line for prefill, take part in its iterations, pass to
// decode and take part in its iterations until their answers are complete. It is a state machine: the
// world calls Begin once, then Timer and Delivered.
type Scheduler struct {
	job      *Job
	world    World
	requests []Request // in the order of arrival
	records  []Record
	arrived  int   // requests so far
	waiting  []int // for prefill, in order
	prefill  []prefiller
	decode   []decoder
	landless []int  // computed, without room in decode, in order
	progress []int  // by request: tokens of the prompt that iterations have taken
	produced []int  // by request: tokens of the answer
	from, to []Site // by request; to is valid if placed
	placed   []bool
	pending  []int // by request: shipments on their way, and one more until the prompt is computed
	shipped  []int // by shipment: its request
	undone   int
	backlog  [2]int // requests without a first token when half, and when all have arrived
}

// prefiller is an instance of prefill.
type prefiller struct {
	busy   bool // its first stage
	groups []prefillGroup
	going  []iteration // in the pipeline, the oldest first
}

type prefillGroup struct {
	running []int // requests that are not computed
	used    int64 // tokens that are held
}

// iteration is the work of an instance between two times.
type iteration struct {
	began, takes units.Time
	work         []share
}

// share is a request's chunk of an iteration.
type share struct{ request, tokens int }

// decoder is an instance of decode.
type decoder struct {
	busy   bool
	groups []decodeGroup
}

type decodeGroup struct {
	running []int // take part in the iteration
	joining []int // take part in the next
	count   int   // requests that have a place, with those on their way
	used    int64 // tokens that are held or promised
	context int64 // tokens of those running
}

// NewScheduler is a scheduler of requests in the order of arrival. Each must fit a group of both
// pools.
func NewScheduler(j *Job, w World, requests []Request) *Scheduler {
	n := len(requests)
	s := &Scheduler{
		job: j, world: w, requests: requests, records: make([]Record, n), progress: make([]int, n), produced: make([]int, n),
		from: make([]Site, n), to: make([]Site, n), placed: make([]bool, n), pending: make([]int, n),
		prefill: make([]prefiller, j.Prefill.Instances), decode: make([]decoder, j.Decode.Instances), undone: n,
	}
	for i := range s.records {
		s.records[i] = Record{-1, -1, -1, -1, -1}
	}
	for i := range s.prefill {
		s.prefill[i].groups = make([]prefillGroup, j.Prefill.Groups)
	}
	for i := range s.decode {
		s.decode[i].groups = make([]decodeGroup, j.Decode.Groups)
	}
	return s
}

// Records are the times of the requests.
func (s *Scheduler) Records() []Record { return s.records }

// End is the time of the last complete answer.
func (s *Scheduler) End() (last units.Time) {
	for i := range s.records {
		last = max(last, s.records[i].Done)
	}
	return last
}

// Undone is the number of requests that have no complete answer.
func (s *Scheduler) Undone() int { return s.undone }

// Backlog is the number of requests without a first token at the time when half of the requests have
// arrived, and when all have.
func (s *Scheduler) Backlog() (half, all int) { return s.backlog[0], s.backlog[1] }

// The kinds of timers, above a number.
const (
	timerArrival = iota // a request arrives
	timerStage          // the first stage of a prefill instance is free
	timerPrefill        // an iteration of prefill is over
	timerDecode         // an iteration of decode is over
)

// timerShift separates the kind of a tag from its number.
const timerShift = 48

func (s *Scheduler) at(t units.Time, kind, number int) { s.world.At(t, tagOf(kind, number)) }

func tagOf(kind, number int) uint64 { return uint64(kind)<<timerShift | uint64(number) }

// Begin begins at time zero.
func (s *Scheduler) Begin() { s.nextArrival() }

func (s *Scheduler) nextArrival() {
	if s.arrived < len(s.requests) {
		s.at(s.requests[s.arrived].Arrival, timerArrival, s.arrived)
	}
}

// Timer is called at a time that the scheduler asked for.
func (s *Scheduler) Timer(tag uint64) {
	number := int(tag & (1<<timerShift - 1))
	switch tag >> timerShift {
	case timerArrival:
		s.arrive()
	case timerStage:
		s.prefill[number].busy = false
		s.fill(number)
	case timerPrefill:
		s.computed(number)
		if s.job.Prefill.Stages == 1 {
			s.prefill[number].busy = false
			s.fill(number)
		}
	case timerDecode:
		s.decoded(number)
	}
}

// arrive takes the requests that have arrived.
func (s *Scheduler) arrive() {
	for s.arrived < len(s.requests) && s.requests[s.arrived].Arrival <= s.world.Now() {
		s.waiting = append(s.waiting, s.arrived)
		s.progress[s.arrived] = s.requests[s.arrived].Cached
		s.arrived++
		s.countBacklog()
	}
	s.nextArrival()
	s.fillAll()
}

func (s *Scheduler) countBacklog() {
	for i, at := range [2]int{(len(s.requests) + 1) / 2, len(s.requests)} {
		if s.arrived == at {
			for r := range s.arrived {
				if s.records[r].First < 0 {
					s.backlog[i]++
				}
			}
		}
	}
}

// fillAll begins iterations of all prefill instances that can.
func (s *Scheduler) fillAll() {
	for i := range s.prefill {
		s.fill(i)
	}
}

// fill begins an iteration of a prefill instance, if its first stage is free and there is work.
func (s *Scheduler) fill(instance int) {
	p := &s.prefill[instance]
	if p.busy {
		return
	}
	work := iteration{began: s.world.Now()}
	chunks := make([][]llm.Chunk, len(p.groups))
	left := make([]int, len(p.groups))
	take := func(group, request int) {
		n := min(left[group], s.requests[request].Prompt-s.progress[request])
		if n == 0 {
			return
		}
		chunks[group] = append(chunks[group], llm.Chunk{Past: s.progress[request], Tokens: n})
		work.work = append(work.work, share{request, n})
		s.progress[request] += n
		left[group] -= n
	}
	for g := range p.groups {
		left[g] = s.job.Prefill.Tokens
		for _, request := range p.groups[g].running {
			take(g, request)
		}
	}
	for len(s.waiting) > 0 {
		request := s.waiting[0]
		g := s.groupFor(p, left, request)
		if g < 0 {
			break
		}
		s.waiting = s.waiting[1:]
		s.admit(Site{instance, g}, request)
		take(g, request)
	}
	if len(work.work) == 0 {
		return
	}
	work.takes = s.job.PrefillTime(chunks)
	p.busy = true
	p.going = append(p.going, work)
	s.world.Iterate(&Iteration{Instance: instance, Chunks: chunks, Takes: work.takes}, tagOf(timerPrefill, instance))
	if stages := s.job.Prefill.Stages; stages > 1 {
		s.at(work.began+work.takes/units.Time(stages), timerStage, instance)
	}
	s.shipEarly(&work)
}

// groupFor is the group of an instance that takes a request: of those with room the one with the most
// tokens left in the iteration, the first of several; -1 if none has.
func (s *Scheduler) groupFor(p *prefiller, left []int, request int) int {
	best := -1
	for g := range p.groups {
		own := &p.groups[g]
		if left[g] > 0 && len(own.running) < s.job.Prefill.Requests && own.used+int64(s.requests[request].Prompt) <= s.job.Prefill.Room && (best < 0 || left[g] > left[best]) {
			best = g
		}
	}
	return best
}

// admit begins with a request.
func (s *Scheduler) admit(at Site, request int) {
	g := &s.prefill[at.Instance].groups[at.Group]
	g.running = append(g.running, request)
	g.used += int64(s.requests[request].Prompt)
	s.from[request] = at
	s.records[request].Begun = s.world.Now()
	s.pending[request] = 1
	if s.job.Early {
		s.place(request)
	}
}

// place gives a request a place in decode, if there is room.
func (s *Scheduler) place(request int) bool {
	r := &s.requests[request]
	if r.Output < 2 {
		return false // prefill computes all of the answer
	}
	need := int64(r.Prompt + r.Output)
	var best *decodeGroup
	for i := range s.decode {
		for g := range s.decode[i].groups {
			own := &s.decode[i].groups[g]
			if own.count < s.job.Decode.Requests && own.used+need <= s.job.Decode.Room && (best == nil || own.used < best.used) {
				best = own
				s.to[request] = Site{i, g}
			}
		}
	}
	if best == nil {
		return false
	}
	best.count++
	best.used += need
	s.placed[request] = true
	return true
}

// shipEarly ships the chunks of an iteration whose requests have a place, layer by layer as they are
// computed. The tokens that prefill had go with the first chunk.
func (s *Scheduler) shipEarly(work *iteration) {
	if !s.job.Early {
		return
	}
	for _, w := range work.work {
		if !s.placed[w.request] {
			continue
		}
		tokens := w.tokens
		if s.progress[w.request]-w.tokens == s.requests[w.request].Cached {
			tokens += s.requests[w.request].Cached
		}
		s.ship(w.request, tokens, work.began, work.takes/units.Time(s.job.Layers))
	}
}

func (s *Scheduler) ship(request, tokens int, at, each units.Time) {
	if s.records[request].Sent < 0 {
		s.records[request].Sent = at + each
	}
	s.pending[request]++
	s.shipped = append(s.shipped, request)
	s.world.Ship(Shipment{Request: request, From: s.from[request], To: s.to[request], Tokens: tokens, At: at, Each: each})
}

// computed ends the oldest iteration of a prefill instance.
func (s *Scheduler) computed(instance int) {
	p := &s.prefill[instance]
	work := p.going[0]
	p.going = p.going[1:]
	for _, w := range work.work {
		if s.progress[w.request] < s.requests[w.request].Prompt || s.chunksLeft(p, w.request) {
			continue
		}
		s.records[w.request].Computed = s.world.Now()
		g := &p.groups[s.from[w.request].Group]
		g.running = without(g.running, w.request)
		s.leave(w.request)
	}
	s.fill(instance)
}

// chunksLeft reports whether a later iteration in the pipeline has a chunk of a request.
func (s *Scheduler) chunksLeft(p *prefiller, request int) bool {
	for i := range p.going {
		for _, w := range p.going[i].work {
			if w.request == request {
				return true
			}
		}
	}
	return false
}

// leave sends a computed request on to decode, ends it if its answer is one token, or lets it wait for
// room.
func (s *Scheduler) leave(request int) {
	r := &s.requests[request]
	switch {
	case s.placed[request]: // all chunks are on their way
		s.release(request)
	case r.Output < 2:
		s.records[request].First = s.world.Now()
		s.end(request)
		s.freePrefill(request)
	case len(s.landless) == 0 && s.place(request):
		s.ship(request, r.Prompt, s.world.Now(), 0)
		s.release(request)
	default:
		s.landless = append(s.landless, request)
	}
}

// release counts a part of a request that decode need not wait for any more.
func (s *Scheduler) release(request int) {
	if s.pending[request]--; s.pending[request] > 0 {
		return
	}
	s.records[request].First = s.world.Now()
	s.freePrefill(request)
	at := s.to[request]
	g := &s.decode[at.Instance].groups[at.Group]
	g.joining = append(g.joining, request)
	s.produced[request] = 1
	s.iterate(at.Instance)
}

// Delivered is called when a shipment has arrived.
func (s *Scheduler) Delivered(shipment int) { s.release(s.shipped[shipment]) }

// freePrefill gives back the memory of a request's prompt in prefill.
func (s *Scheduler) freePrefill(request int) {
	at := s.from[request]
	s.prefill[at.Instance].groups[at.Group].used -= int64(s.requests[request].Prompt)
	s.fillAll()
}

func (s *Scheduler) end(request int) {
	s.records[request].Done = s.world.Now()
	s.undone--
}

// iterate begins an iteration of a decode instance, if it is free and there is work.
func (s *Scheduler) iterate(instance int) {
	d := &s.decode[instance]
	if d.busy {
		return
	}
	most, context := 0, int64(0)
	for g := range d.groups {
		own := &d.groups[g]
		for _, request := range own.joining {
			own.context += int64(s.requests[request].Prompt + s.produced[request])
		}
		own.running = append(own.running, own.joining...)
		own.joining = own.joining[:0]
		most, context = max(most, len(own.running)), max(context, own.context)
	}
	if most == 0 {
		return
	}
	d.busy = true
	s.world.Iterate(&Iteration{Instance: instance, Requests: most, Context: context, Takes: s.job.DecodeTime(most, context)}, tagOf(timerDecode, instance))
}

// decoded ends an iteration of a decode instance: each request has a token more.
func (s *Scheduler) decoded(instance int) {
	d := &s.decode[instance]
	d.busy = false
	for g := range d.groups {
		own := &d.groups[g]
		stay := own.running[:0]
		for _, request := range own.running {
			r := &s.requests[request]
			own.context++
			if s.produced[request]++; s.produced[request] < r.Output {
				stay = append(stay, request)
				continue
			}
			own.context -= int64(r.Prompt + r.Output)
			own.used -= int64(r.Prompt + r.Output)
			own.count--
			s.end(request)
		}
		own.running = stay
	}
	s.settle()
	s.iterate(instance)
}

// settle gives places to the requests that wait for room in decode, in order.
func (s *Scheduler) settle() {
	for len(s.landless) > 0 && s.place(s.landless[0]) {
		request := s.landless[0]
		s.landless = s.landless[1:]
		s.ship(request, s.requests[request].Prompt, s.world.Now(), 0)
		s.release(request)
	}
}

// without is a list without one element, in order.
func without(list []int, x int) []int {
	out := list[:0]
	for _, v := range list {
		if v != x {
			out = append(out, v)
		}
	}
	return out
}
