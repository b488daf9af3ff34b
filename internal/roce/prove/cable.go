package prove

import (
	"fmt"

	"weft/units"
)

// threshold is the fill at which a NIC pauses its switch; the headroom comes on top of it.
const threshold = 64 * units.KiB

// received shows a NIC that receives at a tenth of its link's rate and pauses the switch, with the
// headroom that it keeps for packets still in flight on the cable.
func received(m *maker) error {
	s := &m.finding.Setting
	if s.Room == 0 {
		return Refusal("the speed of the port is not known")
	}
	m.Before.Room, m.After.Room = s.Room, s.MendedRoom
	for _, side := range []*Side{&m.Before, &m.After} {
		side.ethernet = append(side.ethernet, fmt.Sprintf("pfc: {receivers: [{nic: 0, drain: %dMbps, buffer: %dB, headroom: %dB}]}",
			m.Port.Speed/(10*units.Mbps), threshold+side.Room, side.Room))
	}
	m.workload = fmt.Sprintf("pattern: flows, flows: [%s]", flow(1, 0, incastMiB, 0))
	m.Traffic = fmt.Sprintf("%d MiB to a NIC that takes them in at a tenth of its link's rate", incastMiB)
	m.Shows = []Figure{DSCP, Room, Time, Dropped, Resent, Pauses}
	return nil
}
