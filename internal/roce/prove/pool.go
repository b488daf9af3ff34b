package prove

import (
	"fmt"
	"slices"

	"weft/internal/roce/sonic"
	"weft/units"
)

// overcommitted shows headroom that the chip does not have: all ports together share the buffer
// that the pool leaves.
func overcommitted(m *maker) error {
	if len(m.finding.Fixes) == 0 {
		return Refusal("the headroom alone is more than the chip has, so there is no size of the pool to show")
	}
	n := min(senders, m.ports()-1)
	if n < 2 {
		return Refusal("the switch has too few ports with headroom for an incast")
	}
	m.incast(n)
	profile := m.Port.Groups[m.Port.ClassOf(m.Before.DSCP).Group]
	if profile == nil || profile.Pool == nil {
		return Refusal("the port has no profile with headroom of its own")
	}
	mended, _ := sonic.Examine(m.After.Config)
	m.leave(&m.Before, profile, profile.Pool.Size)
	for _, p := range mended.Pools {
		if p.Name == profile.Pool.Name {
			m.leave(&m.After, profile, p.Size)
		}
	}
	m.Shows = []Figure{DSCP, Time, Dropped, Resent, Pauses}
	return nil
}

// leave gives a side the headroom that a pool leaves of the chip's buffer.
func (m *maker) leave(s *Side, p *sonic.Profile, pool units.Bytes) {
	buffer := m.finding.Setting.Buffer
	left := max(0, buffer-pool)
	own := min(left, p.Xoff)
	s.fabric = append(s.fabric, fmt.Sprintf("switch: {%s, buffer: %dB}", m.switches(s), buffer))
	s.ethernet = append(s.ethernet, fmt.Sprintf("shared: %dB, pfc: {headroom: %dB, headroom-pool: %dB}", min(pool, buffer), own, left))
}

// ports counts the ports with headroom, whose sum is too large.
func (m *maker) ports() (n int) {
	for _, p := range m.sw.Ports {
		if p.Up && slices.ContainsFunc(p.Groups[:], (*sonic.Profile).Lossless) {
			n++
		}
	}
	return n
}
