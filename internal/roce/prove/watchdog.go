package prove

import (
	"fmt"
	"strings"

	"weft/units"
)

// locals are the senders at the leaf of the slow port; they fill its pool.
const locals = 7

// paused shows a pause that lasts as long as a slow port takes to drain the pool. Senders at the
// same leaf fill the pool, and one sender behind a spine comes after them: the leaf pauses the
// spine until the earlier data has drained.
func paused(m *maker) error {
	s := &m.finding.Setting
	if len(m.finding.Fixes) == 0 {
		return Refusal("no valid detection time of the watchdog is long enough, so there is no fix to show")
	}
	each := s.Pool / 4 // more than a fair share of the pool for each
	var flows []string
	for i := range locals {
		flows = append(flows, fmt.Sprintf("{src: %d, dst: 0, bytes: %dB}", 1+i, each))
	}
	filled := units.Time(int64(s.Pool) * 2 * 8 * int64(units.Second) / int64(m.Port.Speed))
	flows = append(flows, fmt.Sprintf("{src: %d, dst: 0, bytes: %dB, start: %dns}", nicsOfNode, each, filled/units.Nanosecond))
	m.nodes, m.topology = 2, "shape: fat-tree, levels: 2, radix: 16, hosts-per-leaf: 8, spines: 1"
	m.workload = "pattern: flows, flows: [" + strings.Join(flows, ", ") + "]"
	m.Traffic = fmt.Sprintf("%d senders of %d bytes each, and one behind a spine, to one receiver at %v", locals, each, s.Slow)
	for _, side := range []*Side{&m.Before, &m.After} {
		// Packets wait for longer than an adapter's first retransmission, whose repetitions
		// would be a second cause of pauses.
		side.fabric = append(side.fabric, fmt.Sprintf("transport: {window: %dB, retransmission: fixed}", each), fmt.Sprintf("slow-links: [{nics: node0/nic0, rate: %dMbps}]", s.Slow/units.Mbps))
	}
	drain := s.Slow.PerByte()
	m.limit = 20*units.Second + units.Time((locals+1)*int64(each)*drain.Num/drain.Den)
	m.Shows = []Figure{DSCP, Time, Storms, Dropped, Resent, Pauses}
	return nil
}
