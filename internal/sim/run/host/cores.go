package host

import (
	"weft/internal/sim/scenario"
	"weft/units"
)

// Cores are the cores of a CPU that copy for one rank: its share of the node's. A piece
// is copied by a thread, on the core that is free the soonest; so as many pieces are
// copied at a time as there are threads with work, and no more than cores. The zero value
// is copies without a CPU: each thread is a copier of its own.
type Cores struct {
	free []units.Time // by core: when it is done
}

// CoresOf are those of a rank of a fabric's node.
func CoresOf(f *scenario.Fabric, n *scenario.Node) Cores {
	if f.Host.Path != scenario.PathCPU {
		return Cores{}
	}
	return Cores{make([]units.Time, max(1, n.CPU.Cores/max(1, n.GPUs)))}
}

// Copy has a thread copy a piece, when it is done with those before and a core is free.
// It gives the time when it is done.
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
