package many

import (
	"sync"
	"time"
)

// Left estimates the time that is left of a study whose pieces are of several kinds. A piece takes as
// long as the mean of those of its kind that have ended. If none has, it takes as long for its work
// as those of the kind with the most work of which some have; without Work as long as the mean of
// all. One that runs for longer takes as long again, unless it says how far it is. The zero value is
// ready.
type Left[K comparable] struct {
	// Work, if not nil, estimates the work of a piece of a kind, in any unit.
	Work func(K) float64

	mu      sync.Mutex
	kinds   map[K]*pieces
	running map[int]*running[K]
	begun   int
}

// pieces are those of a kind.
type pieces struct {
	expected, begun, ended int
	took                   time.Duration // by those that have ended
}

// running is a piece that runs.
type running[K comparable] struct {
	kind  K
	since time.Time
	share float64 // that is done; 0: unknown
}

// leastShare is the share of a piece from which on it says how long the piece takes.
const leastShare = 0.02

// Expect adds n pieces of a kind, or takes some away.
func (l *Left[K]) Expect(kind K, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(kind).expected += n
}

// Begin counts a piece that begins, and gives it a number.
func (l *Left[K]) Begin(kind K, now time.Time) (number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running == nil {
		l.running = map[int]*running[K]{}
	}
	l.of(kind).begun++
	l.begun++
	l.running[l.begun] = &running[K]{kind: kind, since: now}
	return l.begun
}

// Share notes how far a piece is that runs.
func (l *Left[K]) Share(number int, share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.running[number]; r != nil {
		r.share = share
	}
}

// End counts a piece that has ended.
func (l *Left[K]) End(number int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.running[number]
	delete(l.running, number)
	p := l.of(r.kind)
	p.ended++
	p.took += now.Sub(r.since)
}

// of are the pieces of a kind. The caller has locked l.
func (l *Left[K]) of(kind K) *pieces {
	if l.kinds[kind] == nil {
		if l.kinds == nil {
			l.kinds = map[K]*pieces{}
		}
		l.kinds[kind] = &pieces{}
	}
	return l.kinds[kind]
}

// Count is the number of pieces that have ended, and of all.
func (l *Left[K]) Count() (ended, all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.kinds {
		ended += p.ended
		all += max(p.expected, p.begun)
	}
	return ended, all
}

// Time is the estimate, if so many pieces run at the same time; 0 if no piece has said anything.
func (l *Left[K]) Time(atOnce int, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	usual := l.usual()
	var sum, longest time.Duration
	for kind, p := range l.kinds {
		sum += usual(kind) * time.Duration(max(0, p.expected-p.begun))
	}
	for _, r := range l.running {
		left := r.left(usual(r.kind), now)
		sum, longest = sum+left, max(longest, left)
	}
	return max(longest, sum/time.Duration(max(1, atOnce)))
}

// usual gives the time of a piece of a kind; 0 if none has ended. The caller has locked l.
func (l *Left[K]) usual() func(K) time.Duration {
	var all pieces
	rate, most := 0.0, 0.0 // time for the work, of the kind with the most
	for kind, p := range l.kinds {
		all.ended += p.ended
		all.took += p.took
		if l.Work == nil || p.ended == 0 {
			continue
		}
		if work := l.Work(kind); work > most {
			rate, most = float64(p.mean())/work, work
		}
	}
	return func(kind K) time.Duration {
		p := l.kinds[kind]
		switch {
		case p.ended > 0:
			return p.mean()
		case l.Work != nil:
			return time.Duration(l.Work(kind) * rate)
		}
		return all.mean()
	}
}

// mean is the time of a piece.
func (p *pieces) mean() time.Duration { return p.took / time.Duration(max(1, p.ended)) }

// left is what is left of a piece whose like takes so long.
func (r *running[K]) left(usual time.Duration, now time.Time) time.Duration {
	since := now.Sub(r.since)
	switch {
	case r.share >= leastShare:
		return max(0, time.Duration(float64(since)/r.share)-since)
	case usual == 0:
		return 0
	case since < usual:
		return usual - since
	default:
		return since
	}
}
