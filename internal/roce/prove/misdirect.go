package prove

import (
	"fmt"
	"strings"

	"weft/internal/roce/sonic"
	"weft/units"
)

// The flows of misdirected: the data over the spine fills more than a fair share of the pool. The
// victim starts when half of that data could have arrived, and pauses have begun.
const (
	behindMiB = 32
	victimMiB = 8
)

// misdirected shows a switch on which a pause stops the wrong queue. A leaf pauses its spine; the
// spine sends on, and its data overruns the leaf's headroom. Messages in the queue that is stopped
// instead wait without a reason.
func misdirected(m *maker) error {
	var flows []string
	for i := range locals {
		flows = append(flows, flow(1+i, 0, incastMiB, 0))
	}
	flows = append(flows, flow(nicsOfNode, 0, behindMiB, 0))
	m.nodes, m.topology = 2, "shape: fat-tree, levels: 2, radix: 16, hosts-per-leaf: 8, spines: 1, oversubscription: 8"
	m.Traffic = fmt.Sprintf("%d senders of %d MiB each, and one of %d MiB behind a spine, to one receiver", locals, incastMiB, behindMiB)
	m.Shows = []Figure{DSCP, Time, Dropped, Resent, Pauses}
	own, stopped := m.Port.ClassOf(m.Before.DSCP).Queue, m.finding.Setting.Stopped
	if stopped > 0 && stopped < sonic.Priorities && stopped != own { // 0 is the priority of the data in a list of flows
		start := units.Time(behindMiB/2*int64(units.MiB)*8*int64(units.Second/units.Microsecond)/int64(m.Port.Speed)) * units.Microsecond
		flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, bytes: %dMiB, priority: %d, start: %dus}", nicsOfNode+1, locals, victimMiB, stopped, start/units.Microsecond))
		m.Traffic += fmt.Sprintf("; from %v a victim of %d MiB in queue %d, over the spine to another receiver", start, victimMiB, stopped)
		m.Class = stopped
		m.Shows = append(m.Shows, VictimTime)
	}
	m.workload = "pattern: flows, flows: [" + strings.Join(flows, ", ") + "]"
	return nil
}
