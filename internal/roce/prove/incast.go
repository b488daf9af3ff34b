package prove

import "fmt"

// The incast: enough data for a pool of a hundred megabytes, and simulated in about a second.
const (
	senders    = 16
	incastMiB  = 16
	nicsOfNode = 8
)

// incast has n senders to one receiver.
func (m *maker) incast(n int) {
	m.Traffic = fmt.Sprintf("%d senders of %d MiB each to one receiver", n, incastMiB)
	m.workload = fmt.Sprintf("pattern: incast, fan-in: %d, sizes: [%dMiB]", n, incastMiB)
	m.Shows = []Figure{DSCP, Congestion, Time, Dropped, Resent, Pauses, Marks}
}

// lossless shows a class without congestion control: its packets are lost unless it is
// paused in time.
func lossless(m *maker) error {
	m.incast(senders)
	return nil
}

// marked shows whether marks come before pauses.
func marked(m *maker) error {
	m.incast(senders)
	m.Before.Congestion, m.After.Congestion = "dcqcn", "dcqcn"
	return nil
}

// answered shows hosts that answer marks only after the fix.
func answered(m *maker) error {
	m.incast(senders)
	m.After.Congestion = "dcqcn"
	return nil
}
