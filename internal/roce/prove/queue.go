package prove

import (
	"fmt"
	"strings"

	"weft/internal/roce/sonic"
)

// The messages that share a port: the data ends long before the other messages, however small its
// share.
const (
	sharers   = 4
	sharedMiB = 8
	besideMiB = 64
)

// served shows the share of a queue beside another queue that has a scheduler.
func served(m *maker) error {
	own := m.Port.ClassOf(m.Before.DSCP).Queue
	beside := m.neighbour(own)
	if beside == 0 {
		return Refusal("no other queue above 0 has a scheduler and weight")
	}
	var flows []string
	for i := range sharers {
		flows = append(flows, flow(1+i, 0, sharedMiB, 0), flow(1+sharers+i, 0, besideMiB, beside))
	}
	m.workload = "pattern: flows, flows: [" + strings.Join(flows, ", ") + "]"
	m.Traffic = fmt.Sprintf("%d senders of %d MiB each in queue %d and %d of %d MiB each in queue %d to one receiver", sharers, sharedMiB, own, sharers, besideMiB, beside)
	m.Class = own
	m.Shows = []Figure{DSCP, OwnTime, Time}
	return nil
}

// neighbour is a queue that shares the port with the data by weight, preferably a lossless queue; 0
// if there is none.
func (m *maker) neighbour(own int) int {
	found := 0
	for n := 1; n < sonic.Priorities; n++ {
		s := m.Port.Queues[n].Scheduler
		if n == own || s == nil || s.Strict {
			continue
		}
		for _, g := range m.Port.PFC {
			if m.Port.PFCQueueOf(g) == n && m.Port.Lossless(g) {
				return n
			}
		}
		if found == 0 {
			found = n
		}
	}
	return found
}
