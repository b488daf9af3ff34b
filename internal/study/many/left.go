package many

import (
	"sync"
	"time"
)

// Left estimates the time that is left of a study whose pieces are of several kinds. A piece takes as
// long as the mean of those of its kind that have ended; if none has, of all. One that runs for longer
// takes as long again, unless it says how far it is. The zero value is ready.
type Left[K comparable] struct {
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
	var all pieces
	for _, p := range l.kinds {
		all.ended += p.ended
		all.took += p.took
	}
	mean := func(p *pieces) time.Duration {
		if p.ended == 0 {
			p = &all
		}
		return p.took / time.Duration(max(1, p.ended))
	}
	var sum, longest time.Duration
	for _, p := range l.kinds {
		sum += mean(p) * time.Duration(max(0, p.expected-p.begun))
	}
	for _, r := range l.running {
		left := r.left(mean(l.kinds[r.kind]), now)
		sum, longest = sum+left, max(longest, left)
	}
	if all.ended == 0 && longest == 0 {
		return 0
	}
	return max(longest, sum/time.Duration(max(1, atOnce)))
}

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
