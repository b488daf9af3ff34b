package prove

import (
	"fmt"
	"strings"
)

// The crossing incasts: one receiver of all senders. Two others send to each sender, so its
// notifications come through a congested port.
const (
	crossing     = 8
	crossingMiB  = 16
	oppositeMiB  = 64
	oppositeFrom = 2
)

// notified shows how long notifications take behind data, and the cost of the later reaction.
func notified(m *maker) error {
	if m.finding.Traffic.CNP == m.finding.Traffic.MendedCNP {
		return Refusal("the switch has no other queue for notifications, so there is no fix to show")
	}
	if q := m.Port.Queues[m.Port.ClassOf(m.Before.DSCP).Queue]; q.WRED == nil || !q.WRED.ECN {
		return Refusal("the queue of the data marks nothing, so nobody is notified")
	}
	var flows []string
	for i := range crossing {
		flows = append(flows, flow(i, crossing, crossingMiB, 0))
		for k := range oppositeFrom {
			flows = append(flows, flow((k+2)*crossing+i, i, oppositeMiB, 0))
		}
	}
	m.workload = "pattern: flows, flows: [" + strings.Join(flows, ", ") + "]"
	m.Traffic = fmt.Sprintf("%d senders of %d MiB each to one receiver, while %d others send %d MiB each to every sender", crossing, crossingMiB, oppositeFrom, oppositeMiB)
	m.Before.Congestion, m.After.Congestion = "dcqcn", "dcqcn"
	m.Shows = []Figure{CNPDSCP, CNPDelay, Time, Pauses, Marks, Dropped}
	return nil
}

// flow is an entry of a list of flows; priority 0 is the priority of the data.
func flow(src, dst, mib, priority int) string {
	if priority == 0 {
		return fmt.Sprintf("{src: %d, dst: %d, bytes: %dMiB}", src, dst, mib)
	}
	return fmt.Sprintf("{src: %d, dst: %d, bytes: %dMiB, priority: %d}", src, dst, mib, priority)
}
