package lint

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// trust judges by what the host tells priorities apart.
func (c *checker) trust(h *host.Host, p *sonic.Port) {
	if h.Trust.Value != "pcp" || p.Tagged > 0 {
		return
	}
	link := "frames on it have no VLAN tag"
	if p.Routed > 0 {
		link = fmt.Sprintf("it is routed (line %d), so its frames have no VLAN tag", p.Routed)
	}
	c.add(p, Finding{
		Rule: "trust-pcp", Severity: Error, At: Place(h.Trust.At), Value: "trust pcp",
		Why:   fmt.Sprintf("%s takes the priority from the VLAN tag, and the port of %s is no tagged member of a VLAN: %s, and all traffic is in priority 0", h.Name, c.name(), link),
		Fixes: []Fix{{h.Name, []string{fmt.Sprintf("mlnx_qos -i %s --trust dscp", h.Iface)}}},
	})
}

// trustOfPort judges by what a routed port tells classes apart.
func (c *checker) trustOfPort(p *sonic.Port) {
	if p.Dot1p == nil || p.DSCP != nil || p.Tagged > 0 || p.Routed == 0 {
		return
	}
	f := Finding{
		Rule: "trust-pcp", Severity: Error, At: c.place(p.QoSLine), Value: "dot1p_to_tc_map " + mapName(p.Dot1p.Name),
		Why: fmt.Sprintf("the port finds classes by the priority of the VLAN tag, and it is routed (line %d): its frames have no tag, and all is in one class", p.Routed),
	}
	// A map that another port has is one that the switch knows.
	if i := slices.IndexFunc(c.sw.Ports, func(q *sonic.Port) bool { return q.DSCP != nil }); i >= 0 {
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("PORT_QOS_MAP", p.QoSKey, "dscp_to_tc_map", mapName(c.sw.Ports[i].DSCP.Name))}}}
	}
	c.add(p, f)
}

// mtu judges whether the switch takes what the host sends. Both are of IP: the
// switch adds the frame's header itself.
func (c *checker) mtu(h *host.Host, p *sonic.Port) {
	if !h.MTU.Known() || h.MTU.Value <= p.MTU {
		return
	}
	fix := Fix{c.name(), []string{sonic.Patch("PORT", p.Name, "mtu", fmt.Sprint(int64(h.MTU.Value)))}}
	if h.MTU.Value > mostMTU {
		fix = Fix{h.Name, []string{fmt.Sprintf("ip link set dev %s mtu %d", h.Iface, p.MTU)}}
	}
	c.add(p, Finding{
		Rule: "mtu", Severity: Error, At: Place(h.MTU.At), Value: fmt.Sprintf("mtu %d", h.MTU.Value),
		Why:   fmt.Sprintf("%s sends packets of up to %d bytes, and %s takes %d: longer ones are dropped without a trace at the host", h.Name, h.MTU.Value, c.name(), p.MTU),
		Fixes: []Fix{fix},
	})
}

// mostMTU is the most that a port of SONiC takes (sonic-port.yang).
const mostMTU = 9216

// mtus judges whether the ports of the switch agree.
func (c *checker) mtus() {
	ports := c.ports()
	if len(ports) == 0 {
		return
	}
	most := slices.MaxFunc(ports, func(a, b *sonic.Port) int { return cmp.Compare(a.MTU, b.MTU) })
	for _, p := range ports {
		if p.MTU == most.MTU {
			continue
		}
		c.add(p, Finding{
			Rule: "mtu", Severity: Warning, At: c.place(p.Line), Value: fmt.Sprintf("mtu %d", p.MTU),
			Why:   fmt.Sprintf("%s has an MTU of %d (line %d): what comes in there at full length cannot leave here", most.Name, most.MTU, most.Line),
			Fixes: []Fix{{c.name(), []string{sonic.Patch("PORT", p.Name, "mtu", fmt.Sprint(int64(most.MTU)))}}},
		})
	}
}

// global judges pauses of the whole link.
func (c *checker) global(h *host.Host) {
	for i, name := range []string{"rx", "tx"} {
		if s := h.Pause[i]; s.Value && len(h.PFC.Value) > 0 {
			c.add(nil, Finding{
				Rule: "pause-global", Severity: Warning, At: Place(s.At), Value: name + " on",
				Why:   fmt.Sprintf("%s has pause frames for the whole link beside PFC on %s: one that comes stops notifications and management with the data", h.Name, join(h.PFC.Value)),
				Fixes: []Fix{{h.Name, []string{fmt.Sprintf("ethtool -A %s rx off tx off", h.Iface)}}},
			})
		}
	}
}

// cable judges whether both ends keep room for the same cable.
func (c *checker) cable(h *host.Host, p *sonic.Port) {
	length := c.length(p)
	if !h.Cable.Known() || length == 0 || h.Cable.Value >= length || len(h.PFC.Value) == 0 {
		return
	}
	c.add(p, Finding{
		Rule: "cable-differs", Severity: Warning, At: Place(h.Cable.At), Value: fmt.Sprintf("cable len %v", h.Cable.Value),
		Why:   fmt.Sprintf("%s keeps room for %v of cable behind its own pauses, and the cable has %v by the switch: what the switch still sends may overflow it", h.Name, h.Cable.Value, length),
		Fixes: []Fix{{h.Name, []string{fmt.Sprintf("mlnx_qos -i %s --cable_len=%d", h.Iface, metres(length))}}},
	})
}
