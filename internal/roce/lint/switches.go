package lint

import (
	"fmt"
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// together judges the switches of a fabric with one another. Switches do not say which port leads to
// which, so ports of one speed are taken for the ends of a link.
func together(all []*checker) {
	if len(all) < 2 {
		return
	}
	for _, dscp := range dscpsOf(all) {
		agree(all, dscp)
	}
	oneMTU(all)
	for _, c := range all {
		c.leftOut(all)
	}
	atHome(all)
	onceEach(all)
}

// dscpsOf are the DSCPs that matter: those of hosts, or else those that a switch protects.
func dscpsOf(all []*checker) (list []int) {
	for dscp := range 64 {
		sent := slices.ContainsFunc(all[0].hosts, func(h *host.Host) bool {
			return slices.ContainsFunc(h.Streams(), func(s host.Stream) bool { return s.DSCP == dscp })
		})
		kept := slices.ContainsFunc(all, func(c *checker) bool {
			return slices.ContainsFunc(c.ports(), func(p *sonic.Port) bool { return p.Lossless(p.ClassOf(dscp).Group) })
		})
		if sent || kept && !streams(all[0].hosts) {
			list = append(list, dscp)
		}
	}
	return list
}

// streams reports whether a host says what its RDMA traffic has as DSCP.
func streams(hosts []*host.Host) bool {
	return slices.ContainsFunc(hosts, func(h *host.Host) bool { return len(h.Streams()) > 0 })
}

// agree judges whether the switches have a DSCP in the same priority. The switch that is right is the
// one with which the hosts agree, or else most of the switches, or else the first.
func agree(all []*checker, dscp int) {
	right := rightOne(all, dscp)
	if right < 0 {
		return
	}
	for i, c := range all {
		if i == right {
			continue
		}
		for _, p := range c.ports() {
			for _, q := range kinds(all[right].ports()) {
				if p.Speed == q.Speed && c.differs(p, all[right], q, dscp) {
					break
				}
			}
		}
	}
}

// kinds are ports that are not alike: one of each speed, maps and PFC.
func kinds(ports []*sonic.Port) (list []*sonic.Port) {
	for _, p := range ports {
		if !slices.ContainsFunc(list, func(q *sonic.Port) bool {
			return q.Speed == p.Speed && q.MTU == p.MTU && q.DSCP == p.DSCP && q.Group == p.Group && q.Queue == p.Queue && q.PFCQueue == p.PFCQueue && slices.Equal(q.PFC, p.PFC)
		}) {
			list = append(list, p)
		}
	}
	return list
}

// rightOne is the switch whose treatment of a DSCP is taken for the right one, -1 if none protects it.
func rightOne(all []*checker, dscp int) int {
	best, most := -1, -1
	for i, c := range all {
		p := c.protecting(dscp)
		if p == nil {
			continue
		}
		group, votes := p.ClassOf(dscp).Group, 0
		for _, h := range c.hosts {
			if h.Trust.Value == "dscp" && h.PriorityOf(dscp) == group {
				votes += len(all) + 1 // hosts count before switches
			}
		}
		for _, other := range all {
			if q := other.protecting(dscp); q != nil && q.ClassOf(dscp).Group == group {
				votes++
			}
		}
		if votes > most {
			best, most = i, votes
		}
	}
	return best
}

// protecting is a port that protects a DSCP, nil if none does.
func (c *checker) protecting(dscp int) *sonic.Port {
	for _, p := range c.ports() {
		if p.Lossless(p.ClassOf(dscp).Group) {
			return p
		}
	}
	return nil
}

// differs judges a port against one of the switch that is right; it reports whether it found a fault.
func (c *checker) differs(p *sonic.Port, right *checker, q *sonic.Port, dscp int) bool {
	own, other := p.ClassOf(dscp), q.ClassOf(dscp)
	if !q.Lossless(other.Group) {
		return false
	}
	f := Finding{Rule: "switches-differ", Severity: Error, At: c.place(p.QoSLine), Value: fmt.Sprintf("DSCP %d in class %d", dscp, own.TC), Traffic: anyTraffic(dscp)}
	if p.DSCP != nil && own.TC >= 0 {
		f.At = c.place(p.DSCP.LineOf(dscp))
	}
	there := fmt.Sprintf("on %s it is in priority group %d and queue %d", right.name(), other.Group, other.Queue)
	switch {
	case !p.Lossless(own.Group):
		if streams(c.hosts) {
			return false // the stream's own finding says it
		}
		f.Why = fmt.Sprintf("DSCP %d is in class %d, which is not protected here; %s, which PFC protects: a path over both drops its packets here", dscp, own.TC, there)
	case p.PFCQueueOf(other.Group) != own.Queue || q.PFCQueueOf(own.Group) != other.Queue || !slices.Contains(p.PFC, other.Group) || !slices.Contains(q.PFC, own.Group):
		f.Why = fmt.Sprintf("DSCP %d is in priority group %d and queue %d here; %s: each pauses another priority than the one in which the other sends, so no pause between them stops the data, and headroom overflows", dscp, own.Group, own.Queue, there)
	default:
		return false
	}
	if tc := classFor(p, other.Group); tc >= 0 && p.DSCP != nil {
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("DSCP_TO_TC_MAP", mapName(p.DSCP.Name), fmt.Sprint(dscp), fmt.Sprint(tc))}}}
	} else if len(p.PFC) == 0 {
		f.Fixes = []Fix{{c.name(), c.protect(p, other.Group)}}
	}
	c.add(p, f)
	return true
}

// leftOut judges a switch none of whose ports has QoS, beside one that pauses: nothing in its own file
// says that it should.
func (c *checker) leftOut(all []*checker) {
	if len(c.ports()) > 0 || !c.sw.Whole || slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Rule == "qos-missing" }) {
		return
	}
	for _, other := range all {
		i := slices.IndexFunc(other.ports(), func(p *sonic.Port) bool { return len(p.PFC) > 0 })
		if i < 0 {
			continue
		}
		delete(c.unjudged, unclaimed)
		for _, p := range c.bare() {
			c.add(p, Finding{
				Rule: "qos-missing", Severity: Error, At: c.place(p.Line), Value: "no entry in PORT_QOS_MAP or QUEUE",
				Why:   fmt.Sprintf("the port is up without maps and without PFC, and %s pauses %s: what that switch holds is dropped here", other.name(), join(other.ports()[i].PFC)),
				Fixes: []Fix{{c.name(), c.fresh(p)}},
			})
		}
		return
	}
}

// classFor is a class of a port that leads to a protected group and to the queue that the group's
// pause stops; -1 if there is none.
func classFor(p *sonic.Port, group int) int {
	for tc := range sonic.Priorities {
		if class := p.ClassOfTC(tc); class.Group == group && p.Lossless(group) && p.PFCQueueOf(group) == class.Queue {
			return tc
		}
	}
	return -1
}

// oneMTU judges whether the switches take packets of one length, if no host says how long its packets
// are.
func oneMTU(all []*checker) {
	if slices.ContainsFunc(all[0].hosts, func(h *host.Host) bool { return h.MTU.Known() }) {
		return // mtu compares each switch with the hosts
	}
	for _, c := range all {
		for _, other := range all {
			if other != c {
				c.shorter(other)
			}
		}
	}
}

// shorter judges the ports that take shorter packets than any port of their speed of another switch.
func (c *checker) shorter(other *checker) {
	for _, p := range c.ports() {
		for _, q := range kinds(other.ports()) {
			if p.Speed != q.Speed || p.MTU >= q.MTU {
				continue
			}
			f := Finding{
				Rule: "mtu", Severity: Warning, At: c.place(p.Line), Value: fmt.Sprintf("mtu %d", p.MTU),
				Fixes: []Fix{{c.name(), []string{sonic.Patch("PORT", p.Name, "mtu", fmt.Sprint(int64(q.MTU)))}}},
			}
			_, why := c.tooLong(p, q.MTU, q.MTU, &f.Traffic)
			f.Why = fmt.Sprintf("%s takes packets of %d bytes, and here they end: %s", other.name(), q.MTU, why)
			c.add(p, f)
			break
		}
	}
}

// ofLink are the rules about a host and the port at the other end of its cable.
var ofLink = []string{"pfc-priority", "pfc-one-end", "ecn-host", "cnp-in-data", "trust-pcp", "cable-differs"}

// tiers are the roles of switches that have no hosts (sonic-device_metadata.yang).
var tiers = []string{"LeafRouter", "SpineRouter", "UpperSpineRouter", "LowerSpineRouter", "FabricSpineRouter", "BackEndLeafRouter"}

// atHome takes back findings about a host's link at switches where the host is not: at those of an
// upper tier, if there are others; at those with longer cables, if it keeps room for those of another;
// and if the host fits one of the switches, at those that differ from it.
func atHome(all []*checker) {
	upper := func(c *checker) bool { return slices.Contains(tiers, c.sw.Role) }
	hostsElsewhere := slices.ContainsFunc(all, func(c *checker) bool { return !upper(c) })
	for _, h := range all[0].hosts {
		fits := slices.ContainsFunc(all, func(c *checker) bool { return len(c.met) > 0 && !c.blames(h) })
		elsewhere := slices.ContainsFunc(all, func(c *checker) bool { return slices.Contains(c.met, h.Name) && !c.finds(h, "cable-differs") })
		for _, c := range all {
			if elsewhere {
				c.findings = slices.DeleteFunc(c.findings, func(f Finding) bool { return f.Rule == "cable-differs" && aboutLink(&f, h) })
			}
			differ := slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Rule == "switches-differ" })
			if upper(c) && hostsElsewhere || fits && differ {
				c.findings = slices.DeleteFunc(c.findings, func(f Finding) bool { return aboutLink(&f, h) })
			}
		}
	}
}

// finds reports whether a finding of a rule is about the host's link to the switch.
func (c *checker) finds(h *host.Host, rule string) bool {
	return slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Rule == rule && aboutLink(&f, h) })
}

// blames reports whether a finding is about the host's link to the switch.
func (c *checker) blames(h *host.Host) bool {
	return slices.ContainsFunc(c.findings, func(f Finding) bool { return aboutLink(&f, h) })
}

func aboutLink(f *Finding, h *host.Host) bool {
	return slices.Contains(ofLink, f.Rule) && f.At.File != "" && slices.ContainsFunc(f.Fixes, func(x Fix) bool { return x.On == h.Name })
}

// onceEach keeps one of the findings that several switches have of the same line of a host.
func onceEach(all []*checker) {
	for i, c := range all {
		c.findings = slices.DeleteFunc(c.findings, func(f Finding) bool {
			return slices.ContainsFunc(all[:i], func(before *checker) bool {
				return slices.ContainsFunc(before.findings, func(g Finding) bool {
					return g.Rule == f.Rule && g.At == f.At && g.Value == f.Value && len(g.Fixes) == len(f.Fixes) && !slices.ContainsFunc(f.Fixes, func(x Fix) bool { return x.On == c.name() })
				})
			})
		})
	}
}
