package serving

import "weft/units"

// place gives a request a place in decode, if there is room: in the group that holds the fewest tokens. A group with
// evicted requests gives none.
func (s *Scheduler) place(request int) bool {
	r, t := &s.requests[request], &s.states[request]
	if r.Output < 2 {
		return false // prefill computes all of the answer
	}
	need, p := s.need(inDecode, request), &s.job.Decode
	var best *group
	for i := range s.pools[inDecode] {
		for g := range s.pools[inDecode][i].groups {
			own := &s.pools[inDecode][i].groups[g]
			if len(own.evicted) == 0 && len(own.running)+own.coming < p.Requests && own.used+need <= p.Room && (best == nil || own.used < best.used) {
				best = own
				t.to = Site{i, g}
			}
		}
	}
	if best == nil {
		return false
	}
	best.coming++
	best.used += need
	t.held, t.placed = need, true
	return true
}

func (s *Scheduler) ship(request, tokens int, at, each units.Time) {
	if s.records[request].Sent < 0 {
		s.records[request].Sent = at + each
	}
	t := &s.states[request]
	t.pending++
	s.shipped = append(s.shipped, request)
	s.world.Ship(Shipment{Request: request, From: t.from, To: t.to, Tokens: tokens, At: at, Each: each})
}

// leave sends a computed request on to decode, ends it if its answer is one token, or lets it wait for
// room.
func (s *Scheduler) leave(request int) {
	r := &s.requests[request]
	switch {
	case s.states[request].placed: // all chunks are on their way
		s.release(request)
	case r.Output < 2:
		told := s.tell(inPrefill, s.states[request].from)
		s.records[request].First = told
		s.end(request, told)
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
	t := &s.states[request]
	if t.pending--; t.pending > 0 {
		return
	}
	s.records[request].First = s.tell(inDecode, t.to)
	s.freePrefill(request)
	g := &s.pools[inDecode][t.to.Instance].groups[t.to.Group]
	g.coming--
	g.running = append(g.running, request)
	t.taken, t.produced = s.requests[request].Prompt, 1
	s.fill(inDecode, t.to.Instance)
}

// Delivered is called when a shipment has arrived.
func (s *Scheduler) Delivered(shipment int) { s.release(s.shipped[shipment]) }

// freePrefill gives back the memory of a request's prompt in prefill.
func (s *Scheduler) freePrefill(request int) {
	at := s.states[request].from
	s.pools[inPrefill][at.Instance].groups[at.Group].used -= int64(s.requests[request].Prompt)
	s.fillAll()
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
