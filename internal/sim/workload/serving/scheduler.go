package serving

import (
	"slices"

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
	states   []state // by request
	issued   int     // by clients of a closed loop
	arrived  int     // requests so far
	fronts   []front // by group of prefill; requests come to them in turn
	waiting  []int   // for prefill, in order
	pools    [2][]instance
	landless []int // computed, without room in decode, in order
	shipped  []int // by shipment: its request
	undone   int
	backlog  [2]int // requests without a first token when half, and when all have arrived
}

// front is the part of a group's front end that reads requests: it takes those that wait there together, the first ones if
// they are too many, and passes them on when it has read the last of them.
type front struct {
	waiting []int
	reading int // of waiting, the first ones
}

// together is the most requests that a front end reads together: the largest batch of vLLM's tokenizer
// (vllm/utils.py, AsyncMicrobatchTokenizer).
const together = 32

// state is how far a request is.
type state struct {
	taken    int   // its tokens that iterations have taken, those in the pipeline too
	flying   int   // iterations in the pipeline that have some
	produced int   // tokens of the answer
	steps    int   // iterations that gave tokens after the first
	held     int64 // tokens that the group of its answer holds for it
	from, to Site  // to is valid if placed
	placed   bool
	pending  int // shipments on their way, and one more until the prompt is computed
}

// instance is GPUs that compute together.
type instance struct {
	busy   bool // its first stage
	groups []group
	going  []iteration // in the pipeline, the oldest first
}

// group is the requests of an instance that share memory.
type group struct {
	running []int      // in the order in which they came
	told    units.Time // its front end has passed on all tokens so far
	evicted []int      // their keys and values were given up; the first is to run again first
	coming  int        // requests that have a place and are on their way
	used    int64      // tokens that are held or promised
}

// iteration is the work of an instance between two times.
type iteration struct {
	began, takes units.Time
	work         []share
}

// share is a request's tokens of an iteration.
type share struct{ group, request, tokens int }

// The pools.
const (
	inPrefill = iota
	inDecode
)

// NewScheduler is a scheduler of requests in the order of arrival. Each must fit a group of both
// pools.
func NewScheduler(j *Job, w World, requests []Request) *Scheduler {
	n := len(requests)
	if j.Clients > 0 { // the others arrive when answers are complete
		requests = slices.Clone(requests)
		for i := range requests {
			requests[i].Arrival = units.Forever
		}
	}
	s := &Scheduler{job: j, world: w, requests: requests, records: make([]Record, n), states: make([]state, n), undone: n}
	for i := range s.records {
		s.records[i] = Record{Read: -1, Begun: -1, Computed: -1, Sent: -1, First: -1, Done: -1}
	}
	for i := range s.pools {
		p := s.pool(i)
		s.pools[i] = make([]instance, p.Instances)
		for k := range s.pools[i] {
			s.pools[i][k].groups = make([]group, p.Groups)
		}
	}
	s.fronts = make([]front, j.Prefill.Instances*j.Prefill.Groups)
	return s
}

// pool is a pool of the job.
func (s *Scheduler) pool(which int) *Pool {
	if which == inPrefill {
		return &s.job.Prefill
	}
	return &s.job.Decode
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

// The kinds of timers, above a number: of a request, or of an instance times two and its pool.
const (
	timerArrival = iota // a request arrives
	timerFree           // the first stage of an instance is free, and has passed its iteration on
	timerOver           // an iteration is over
	timerIssue          // a client has its answer
	timerRead           // a front end has read requests
)

// timerShift separates the kind of a tag from its number.
const timerShift = 48

func tagOf(kind, number int) uint64 { return uint64(kind)<<timerShift | uint64(number) }

// Requests are the requests, with the times at which they arrived.
func (s *Scheduler) Requests() []Request { return s.requests }

// Begin begins at time zero.
func (s *Scheduler) Begin() {
	for range min(s.job.Clients, len(s.requests)) {
		s.issue()
	}
	if s.job.Clients == 0 {
		s.nextArrival()
	}
}

// turn is the time of a client from an answer to its next request: a time that is later.
const turn = units.Nanosecond

// issue makes a client send the next request.
func (s *Scheduler) issue() {
	if s.issued == len(s.requests) {
		return
	}
	s.requests[s.issued].Arrival = s.world.Now() + turn
	if s.issued++; s.issued == s.arrived+1 { // arrivals before it have timers
		s.nextArrival()
	}
}

// nextArrival asks for a timer when the next request arrives.
func (s *Scheduler) nextArrival() {
	if due := s.due(); due < units.Forever {
		s.world.At(due, tagOf(timerArrival, s.arrived))
	}
}

// due is when the next request arrives; Forever if there is none, or if no client has sent it yet.
func (s *Scheduler) due() units.Time {
	if s.arrived == len(s.requests) {
		return units.Forever
	}
	return s.requests[s.arrived].Arrival
}

// Timer is called at a time that the scheduler asked for.
func (s *Scheduler) Timer(tag uint64) {
	number := int(tag & (1<<timerShift - 1))
	switch tag >> timerShift {
	case timerArrival:
		s.arrive()
	case timerFree:
		s.pools[number%2][number/2].busy = false
		s.fill(number%2, number/2)
	case timerOver:
		s.over(number%2, number/2)
	case timerIssue:
		s.issue()
	case timerRead:
		f := &s.fronts[number]
		s.line(f.waiting[:f.reading])
		f.waiting, f.reading = f.waiting[f.reading:], 0
		s.read(number)
		s.fillAll()
	}
}

// arrive gives the requests that have arrived to the front ends.
func (s *Scheduler) arrive() {
	first := s.arrived
	for s.due() <= s.world.Now() {
		f := &s.fronts[s.arrived%len(s.fronts)]
		f.waiting = append(f.waiting, s.arrived)
		s.states[s.arrived].taken = s.requests[s.arrived].Cached
		s.arrived++
		s.countBacklog()
	}
	for i := range min(s.arrived-first, len(s.fronts)) {
		s.read((first + i) % len(s.fronts))
	}
	s.nextArrival()
	if s.job.Host == 0 {
		s.fillAll()
	}
}

// read makes a front end read the requests that wait there, if it reads no others.
func (s *Scheduler) read(number int) {
	f := &s.fronts[number]
	switch {
	case f.reading > 0 || len(f.waiting) == 0:
	case s.job.Host == 0:
		s.line(f.waiting)
		f.waiting = f.waiting[:0]
	default:
		f.reading = min(len(f.waiting), together)
		s.world.At(s.world.Now()+units.Time(f.reading)*s.job.Host, tagOf(timerRead, number))
	}
}

// line puts requests into the line for prefill.
func (s *Scheduler) line(requests []int) {
	for _, r := range requests {
		s.records[r].Read = s.world.Now()
	}
	s.waiting = append(s.waiting, requests...)
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

// over ends the oldest iteration of an instance: requests of which all tokens are computed have a token more.
func (s *Scheduler) over(pool, number int) {
	x := &s.pools[pool][number]
	work := x.going[0].work
	x.going = x.going[1:]
	for _, w := range work {
		t := &s.states[w.request]
		if t.flying--; t.flying > 0 || t.taken < s.known(w.request) {
			continue
		}
		s.produce(pool, Site{number, w.group}, w.request)
	}
	if s.pool(pool).Stages == 1 {
		x.busy = false
	}
	s.settle()
	s.fill(pool, number)
}

// known is the number of tokens of a request: the prompt's, and those of the answer so far.
func (s *Scheduler) known(request int) int {
	return s.requests[request].Prompt + s.states[request].produced
}

// produce gives a request of a group a token more.
func (s *Scheduler) produce(pool int, at Site, request int) {
	t, g := &s.states[request], &s.pools[pool][at.Instance].groups[at.Group]
	told := s.world.Now()
	switch {
	case t.produced > 0:
		t.steps++
		hold := min(s.pool(pool).hold(request, t.steps), s.requests[request].Output-t.produced-1)
		for range hold + 1 {
			told = s.tell(pool, at)
		}
		t.produced += hold + 1
		t.taken += hold // their keys and values are there
	case !s.job.apart():
		told = s.tell(pool, at)
		s.records[request].Computed, s.records[request].First = s.world.Now(), told
		t.produced = 1
	default:
		s.records[request].Computed = s.world.Now()
		g.running = without(g.running, request)
		s.leave(request)
		return
	}
	if t.produced < s.requests[request].Output {
		return
	}
	g.running = without(g.running, request)
	g.used -= t.held
	s.end(request, told)
}

// end ends a request whose last token the client gets at a time.
func (s *Scheduler) end(request int, told units.Time) {
	s.records[request].Done = told
	s.undone--
	switch {
	case s.job.Clients == 0:
	case told > s.world.Now():
		s.world.At(told, tagOf(timerIssue, 0))
	default:
		s.issue()
	}
}

// tell is when the client gets a token that a group has now.
func (s *Scheduler) tell(pool int, at Site) units.Time {
	g := &s.pools[pool][at.Instance].groups[at.Group]
	g.told = max(g.told, s.world.Now()) + s.job.HostToken
	return g.told
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
