package serving

import (
	"slices"

	"weft/internal/sim/workload/llm"
	"weft/units"
)

// batch is an iteration that is put together.
type batch struct {
	Iteration
	work []share
	left []int  // tokens, by group
	full []bool // by group: requests were evicted, so no others begin
}

// fillAll begins iterations of all prefill instances that can.
func (s *Scheduler) fillAll() {
	for i := range s.pools[inPrefill] {
		s.fill(inPrefill, i)
	}
}

// fill begins an iteration of an instance, if its first stage is free and there is work: tokens of the requests that
// run, then of those that were evicted, then of new ones.
func (s *Scheduler) fill(pool, number int) {
	x, p := &s.pools[pool][number], s.pool(pool)
	if x.busy {
		return
	}
	n := len(x.groups)
	b := &batch{Iteration: Iteration{Decode: pool == inDecode, Instance: number, Groups: make([]Work, n)}, left: make([]int, n), full: make([]bool, n)}
	for g := range x.groups {
		b.left[g] = p.Tokens
		s.goOn(b, pool, g, &x.groups[g])
		s.resume(b, pool, g, &x.groups[g])
	}
	if pool == inPrefill {
		s.beginNew(b, x)
	}
	if len(b.work) == 0 {
		return
	}
	b.Takes = p.Time(b.Groups)
	x.busy = true
	work := iteration{began: s.world.Now(), takes: b.Takes, work: b.work}
	x.going = append(x.going, work)
	tag := number*2 + pool
	s.world.Iterate(&b.Iteration, tagOf(timerOver, tag), tagOf(timerFree, tag))
	s.shipEarly(&work)
}

// goOn takes tokens of the requests that run in a group. Answers are divided evenly among as many micro-batches as there
// are stages. Without room for a token the request that came last is evicted.
func (s *Scheduler) goOn(b *batch, pool, number int, g *group) {
	p := s.pool(pool)
	most := (len(g.running) + p.Stages - 1) / p.Stages
	for i := 0; i < len(g.running) && b.left[number] > 0; i++ {
		request := g.running[i]
		t := &s.states[request]
		n := min(b.left[number], s.known(request)-t.taken)
		if n == 0 || t.taken >= s.requests[request].Prompt && b.Groups[number].Requests == most {
			continue
		}
		for s.holds(pool, request) < int64(t.taken+n) && g.used+int64(t.taken+n)-t.held > p.Room {
			b.full[number] = true
			if s.evict(g, i) == request {
				n = 0
				break
			}
		}
		if n == 0 {
			i--
			continue
		}
		if grown := int64(t.taken+n) - s.holds(pool, request); grown > 0 {
			t.held += grown
			g.used += grown
		}
		s.take(b, pool, number, request, n)
	}
}

// holds is the number of tokens that the memory of a pool's group holds for a request.
func (s *Scheduler) holds(pool, request int) int64 {
	if pool == inPrefill && s.job.apart() {
		return int64(s.requests[request].Prompt)
	}
	return s.states[request].held
}

// evict gives up the keys and values of the request that came last to a group, of those from an index on that are not in
// the pipeline. All of its tokens are computed again, when there is room.
func (s *Scheduler) evict(g *group, from int) int {
	last := len(g.running) - 1
	for last > from && s.states[g.running[last]].flying > 0 {
		last--
	}
	request := g.running[last]
	g.running = slices.Delete(g.running, last, last+1)
	g.evicted = slices.Insert(g.evicted, 0, request)
	t := &s.states[request]
	g.used -= t.held
	t.held, t.taken = 0, 0
	s.records[request].Evicted++
	return request
}

// resume takes tokens of evicted requests that have room again, in order.
func (s *Scheduler) resume(b *batch, pool, number int, g *group) {
	p := s.pool(pool)
	for len(g.evicted) > 0 && b.left[number] > 0 && !b.full[number] {
		request := g.evicted[0]
		need := int64(s.known(request))
		if g.used+need > p.Room || len(g.running)+g.coming >= p.Requests {
			return
		}
		g.evicted = g.evicted[1:]
		g.running = append(g.running, request)
		g.used += need
		s.states[request].held = need
		s.take(b, pool, number, request, min(b.left[number], int(need)))
	}
}

// beginNew takes prompts from the line, in order.
func (s *Scheduler) beginNew(b *batch, x *instance) {
	for len(s.waiting) > 0 {
		request := s.waiting[0]
		g := s.groupFor(b, x, request)
		if g < 0 {
			return
		}
		s.waiting = s.waiting[1:]
		s.admit(Site{b.Instance, g}, request)
		s.take(b, inPrefill, g, request, min(b.left[g], s.requests[request].Prompt-s.states[request].taken))
	}
}

// groupFor is the group of an instance that takes a request: of those with room the one with the most
// tokens left in the iteration, the first of several; -1 if none has.
func (s *Scheduler) groupFor(b *batch, x *instance, request int) int {
	best, p := -1, &s.job.Prefill
	for g := range x.groups {
		own := &x.groups[g]
		if b.left[g] > 0 && !b.full[g] && len(own.evicted) == 0 && len(own.running) < p.Requests && own.used+s.need(inPrefill, request) <= p.Room && (best < 0 || b.left[g] > b.left[best]) {
			best = g
		}
	}
	return best
}

// need is the number of tokens for which a request needs room when it comes to a pool.
func (s *Scheduler) need(pool, request int) int64 {
	r := &s.requests[request]
	if s.pool(pool).Reserve && (pool == inDecode || !s.job.apart()) {
		return int64(r.Prompt + r.Output)
	}
	return int64(r.Prompt)
}

// admit begins with a request.
func (s *Scheduler) admit(at Site, request int) {
	g, t := &s.pools[inPrefill][at.Instance].groups[at.Group], &s.states[request]
	g.running = append(g.running, request)
	need := s.need(inPrefill, request)
	g.used += need
	t.from, t.pending = at, 1
	s.records[request].Begun = s.world.Now()
	switch {
	case !s.job.apart():
		t.held = need
	case s.job.Early:
		s.place(request)
	}
}

// take adds tokens of a request to an iteration: the next one of its answer, or a part of what comes before.
func (s *Scheduler) take(b *batch, pool, group, request, n int) {
	t, w := &s.states[request], &b.Groups[group]
	if t.taken >= s.requests[request].Prompt {
		drafts := s.pool(pool).Drafts
		w.Requests++
		w.Drafts += drafts
		w.Context += int64(s.known(request))
		b.left[group] -= drafts
	} else {
		w.Chunks = append(w.Chunks, llm.Chunk{Past: t.taken, Tokens: n})
	}
	b.work = append(b.work, share{group, request, n})
	b.left[group] -= n
	t.taken += n
	t.flying++
}

// shipEarly ships the chunks of an iteration whose requests have a place, layer by layer as they are
// computed. The tokens that prefill had go with the first chunk.
func (s *Scheduler) shipEarly(work *iteration) {
	if !s.job.Early {
		return
	}
	for _, w := range work.work {
		t := &s.states[w.request]
		if !t.placed || t.produced > 0 {
			continue
		}
		tokens := w.tokens
		if t.taken-w.tokens == s.requests[w.request].Cached {
			tokens += s.requests[w.request].Cached
		}
		s.ship(w.request, tokens, work.began, work.takes/units.Time(s.job.Layers))
	}
}
