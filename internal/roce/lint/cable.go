package lint

import (
	"fmt"
	"slices"

	"weft/internal/roce"
	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// cable judges whether both ends keep headroom for the same cable length.
func (c *checker) cable(h *host.Host, p *sonic.Port) {
	length := c.length(p)
	if !h.Cable.Known() || length == 0 || h.Cable.Value >= length || len(h.PFC.Value) == 0 {
		return
	}
	fits := func(q *sonic.Port) bool { return c.at(h, q) && c.length(q) > 0 && c.length(q) <= h.Cable.Value }
	if slices.ContainsFunc(c.ports(), fits) {
		return // the host may be at a port with a shorter cable
	}
	f := Finding{
		Traffic: c.lossless(p),
		Rule:    "cable-differs", Severity: Warning, At: Place(h.Cable.At), Value: fmt.Sprintf("cable len %v", h.Cable.Value),
		Fixes: []Fix{{h.Name, []string{fmt.Sprintf("mlnx_qos -i %s --cable_len=%d", h.Iface, metres(length))}}},
	}
	keeps := fmt.Sprintf("%s keeps headroom for %v of cable behind its own pauses, and the switch is configured for %v", h.Name, h.Cable.Value, length)
	port := roce.Port{Speed: p.Speed, Cable: length, MTU: roce.Frame(p.MTU), Lanes: p.Lanes}
	least, terms, err := leastHeadroom(port)
	if p.Speed == 0 || err != nil {
		f.Why = keeps + ": packets that the switch still sends may overflow it"
		c.add(p, f)
		return
	}
	f.Setting.Room, f.Setting.MendedRoom = host.Room(p.Speed, h.Cable.Value, p.MTU), host.Room(p.Speed, length, p.MTU)
	f.Why = fmt.Sprintf("%s: that is %d bytes by the driver's formula, and %d for the cable", keeps, f.Setting.Room, f.Setting.MendedRoom)
	if f.Setting.Room < least {
		f.Severity = Error
		f.Why += fmt.Sprintf("; %d still arrive after a pause (%s): the rest is dropped", least, terms)
	} else {
		f.Why += fmt.Sprintf("; %d still arrive after a pause, which fits, with less of a margin than the driver keeps", least)
	}
	c.add(p, f)
}
