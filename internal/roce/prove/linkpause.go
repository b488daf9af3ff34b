package prove

import (
	"fmt"
	"strings"
)

// victims are the senders of the incast that also send to other receivers, in another class.
const victims = 4

// linkPaused shows pauses of the whole link in place of PFC: they also stop the messages that the
// incast's senders send to others in another class.
func linkPaused(m *maker) error {
	beside := m.neighbour(m.Port.ClassOf(m.Before.DSCP).Queue)
	if beside == 0 {
		return Refusal("no other queue above 0 has a scheduler and weight, so there is no victim to show")
	}
	var flows []string
	for i := range senders {
		flows = append(flows, flow(1+i, 0, incastMiB, 0))
	}
	for i := range victims {
		flows = append(flows, flow(1+i, 1+senders+i, victimMiB, beside))
	}
	m.workload = "pattern: flows, flows: [" + strings.Join(flows, ", ") + "]"
	m.Traffic = fmt.Sprintf("%d senders of %d MiB each to one receiver, of which %d are victims that send %d MiB each to others in queue %d, with pauses of the whole link in place of PFC",
		senders, incastMiB, victims, victimMiB, beside)
	m.Before.ethernet = append(m.Before.ethernet, "pfc: {link-pause: true, stops: []}")
	m.Class = beside
	m.Shows = []Figure{DSCP, Time, VictimTime, Dropped, Resent, Pauses}
	return nil
}
