package lint

import (
	"fmt"
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// trust judges whether the host takes the priority from a field that its frames have.
func (c *checker) trust(h *host.Host, p *sonic.Port) {
	if h.Trust.Value != "pcp" || p.Tagged > 0 {
		return
	}
	link := "frames on it have no VLAN tag"
	if p.Routed > 0 {
		link = fmt.Sprintf("it is routed (line %d), so its frames have no VLAN tag", p.Routed)
	}
	traffic := c.lossless(p)
	traffic.Deaf = true
	c.add(p, Finding{
		Traffic: traffic,
		Rule:    "trust-pcp", Severity: Error, At: Place(h.Trust.At), Value: "trust pcp",
		Why:   fmt.Sprintf("%s takes the priority from the VLAN tag, and the port of %s is no tagged member of a VLAN: %s, and all its traffic is in priority 0, so no pause of a lossless priority stops it", h.Name, c.name(), link),
		Fixes: []Fix{{h.Name, []string{fmt.Sprintf("mlnx_qos -i %s --trust dscp", h.Iface)}}},
	})
}

// trustOfPort judges whether a routed port takes the class from a field that frames have.
func (c *checker) trustOfPort(p *sonic.Port) {
	if p.Dot1p == nil || p.DSCP != nil || p.Tagged > 0 || p.Routed == 0 {
		return
	}
	f := Finding{
		Rule: "trust-pcp", Severity: Error, At: c.place(p.QoSLine), Value: "dot1p_to_tc_map " + mapName(p.Dot1p.Name),
		Why: fmt.Sprintf("the port finds classes by the priority of the VLAN tag, and it is routed (line %d): its frames have no tag, and all is in one class", p.Routed),
	}
	// A map that another port uses exists on the switch.
	if i := slices.IndexFunc(c.sw.Ports, func(q *sonic.Port) bool { return q.DSCP != nil }); i >= 0 {
		f.Traffic = c.underMap(p, c.sw.Ports[i].DSCP)
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("PORT_QOS_MAP", p.QoSKey, "dscp_to_tc_map", mapName(c.sw.Ports[i].DSCP.Name))}}}
	}
	c.add(p, f)
}

// underMap is the traffic that a port would protect if it had a map of DSCPs.
func (c *checker) underMap(p *sonic.Port, m *sonic.Map) Traffic {
	q := *p
	q.DSCP = m
	return c.lossless(&q)
}

// global judges pauses of the whole link, at a port, or on the host alone if it has no port.
func (c *checker) global(h *host.Host, p *sonic.Port) {
	var traffic Traffic
	if p != nil {
		traffic = c.lossless(p)
	}
	for i, name := range []string{"rx", "tx"} {
		if s := h.Pause[i]; s.Value && len(h.PFC.Value) > 0 {
			c.add(p, Finding{
				Traffic: traffic,
				Rule:    "pause-global", Severity: Warning, At: Place(s.At), Value: name + " on",
				Why:   fmt.Sprintf("%s has pause frames for the whole link beside PFC on %s: such a frame stops notifications and management together with the data", h.Name, join(h.PFC.Value)),
				Fixes: []Fix{{h.Name, []string{fmt.Sprintf("ethtool -A %s rx off tx off", h.Iface)}}},
			})
		}
	}
}
