package host

import (
	"weft/scenario"
	"weft/units"
)

// Cores are the CPU cores that copy for one rank: its share of the node's. A thread copies a piece
// on the core that is free first. So the number of pieces that are copied at the same time is the
// smaller of the number of busy threads and the number of cores. The zero value is copies without a
// CPU: each thread is its own copier.
type Cores struct {
	free []units.Time // by core: the time at which it is free
}

// CoresOf are the cores of a rank of a fabric's node.
func CoresOf(f *scenario.Fabric, n *scenario.Node) Cores {
	if f.Host.Path != scenario.PathCPU {
		return Cores{}
	}
	return Cores{make([]units.Time, max(1, n.CPU.Cores/max(1, n.GPUs)))}
}

// Copy copies a piece on a thread, when the thread's previous copies are done and a core is free.
// It returns the end of the copy.
func (c *Cores) Copy(thread *units.Time, now, takes units.Time) units.Time {
	at := max(*thread, now)
	if len(c.free) > 0 {
		core := &c.free[0]
		for i := range c.free {
			if c.free[i] < *core {
				core = &c.free[i]
			}
		}
		at = max(at, *core)
		*core = at + takes
	}
	*thread = at + takes
	return *thread
}
