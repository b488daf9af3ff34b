package cores

import (
	"sync"
	"time"
)

// Crew decides how many workers a run has. On a busy machine the workers of a run are seldom on their cores
// at the same time, and each window lasts until the slowest has had its turn: then one worker alone is
// faster. So a run whose workers wait for more than half of the time goes on with one, and tries all of them
// again later. Results do not depend on it.
type Crew struct {
	now    func() time.Time
	lull   *Lull
	full   int           // workers, but for a lull
	alone  bool          // one worker of several, in a lull
	began  time.Time     // of the stretch that is judged
	waited time.Duration // of all workers, at its beginning
}

const (
	firstLull = time.Second // the next ones are twice as long each
	longLull  = time.Minute // at the most
	mostWait  = 0.5         // of the time of all workers
)

// NewCrew is the crew of a run; runs that share cores share a lull.
func NewCrew(l *Lull) *Crew { return &Crew{now: time.Now, lull: l} }

// Alone reports whether the run goes on with one worker of several.
func (c *Crew) Alone() bool { return c.alone }

// Duration is a time of the machine, not of a simulation.
type Duration = time.Duration

// Stretch is the time that is judged at least; a crew whose workers have waited for so long since it was last asked
// should be asked at once.
const Stretch = 20 * time.Millisecond

// Wait measures how long a worker waits.
type Wait struct{ since time.Time }

// Begin begins the wait.
func (w *Wait) Begin() { w.since = time.Now() }

// Time is the time since the wait began; 0 if it has not.
func (w *Wait) Time() time.Duration {
	if w.since.IsZero() {
		return 0
	}
	return time.Since(w.since)
}

// First is the number of workers that a run begins with.
func (c *Crew) First(workers int) int {
	c.full, c.alone = workers, workers > 1 && c.lull.lasts(c.now())
	if c.alone {
		return 1
	}
	return workers
}

// Want is the number of workers that a run goes on with. waited is the time that its workers have waited so
// far, all together.
func (c *Crew) Want(workers int, waited time.Duration) int {
	now := c.now()
	switch {
	case c.alone:
		if c.lull.lasts(now) {
			return 1
		}
		c.alone, c.began, c.waited = false, now, waited
		return c.full
	case workers == 1:
		return 1
	case c.began.IsZero():
		c.began, c.waited = now, waited
	case now.Sub(c.began) >= Stretch:
		share := float64(waited-c.waited) / float64(now.Sub(c.began)) / float64(workers)
		c.began, c.waited = now, waited
		if share > mostWait {
			c.full, c.alone = workers, true
			c.lull.begin(now)
			return 1
		}
		c.lull.end()
	}
	return workers
}

// Lull is the time in which the runs of a pool of cores have one worker each. The zero value is none.
type Lull struct {
	mu     sync.Mutex
	until  time.Time
	length time.Duration
}

func (l *Lull) lasts(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Before(l.until)
}

// begin begins a lull, twice as long as the one before.
func (l *Lull) begin(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.length = min(longLull, max(firstLull, 2*l.length))
	l.until = now.Add(l.length)
}

// end says that workers do not wait: the next lull is short.
func (l *Lull) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.length = 0
}
