package verbs

import "time"

// A peer whose process was killed says no good bye, and its connection would stay for ever: a queue
// pair that has nothing to send learns nothing. Where a kernel has the connection, it says it; on
// this machine the end of shared memory tells it (lose). So the accepting side repeats its REP now
// and then. A peer that has the connection answers it with an RTU (IBA vol. 1, 12.9.8.6), whatever
// implementation it is.
const (
	// probeAfter is the time after which an established connection is asked for.
	probeAfter = time.Minute
	// probePatience is the time without an answer after which the connection has ended. A process may
	// be stopped in a debugger for a while.
	probePatience = 5 * time.Minute
	// mostProbes bounds the connections that are asked for in a tick: maxConns are asked for within
	// probeAfter.
	mostProbes = 128
)

// probe asks for the connections that have rested for long enough.
func (m *manager) probe(now int64) {
	for range mostProbes {
		first := m.resting.Front()
		if first == nil {
			return
		}
		c, ok := first.Value.(*Conn)
		if !ok || now < c.again {
			return
		}
		c.until = now + int64(m.probePatience)
		m.ask(c, c.rep)
	}
}
