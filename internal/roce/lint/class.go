package lint

import (
	"fmt"
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// class follows the traffic of a host through a port.
func (c *checker) class(h *host.Host, p *sonic.Port, s host.Stream) {
	class := p.ClassOf(s.DSCP)
	if !p.Lossless(class.Group) {
		c.lossy(h, p, s, class)
		return
	}
	c.obeys(h, p, s, class)
	c.answers(h, p, s, class)
	c.notifications(h, p, s, class)
}

// sent is a stream in words: "NCCL on node1: DSCP 26 (nccl.env:1)".
func sent(h *host.Host, s host.Stream) string {
	if s.Default {
		return fmt.Sprintf("%s on %s: DSCP %d, since it sets no %s (%v)", s.What, h.Name, s.DSCP, s.Variable, s.At)
	}
	return fmt.Sprintf("%s on %s: DSCP %d (%v)", s.What, h.Name, s.DSCP, s.At)
}

// lossy is the finding for a DSCP whose packets the switch may drop.
func (c *checker) lossy(h *host.Host, p *sonic.Port, s host.Stream, class sonic.Class) {
	f := Finding{
		Rule: "dscp-lossy", Severity: Error, At: c.place(p.QoSLine),
		Traffic: trafficOf(h, s),
	}
	target := c.losslessClass(h, p, s)
	var why string
	switch {
	case p.DSCP == nil:
		f.Value = "no dscp_to_tc_map"
		why = "the port has no map of DSCPs: all is in class 0"
	case class.TC < 0:
		f.At, f.Value = c.place(p.DSCP.Line), fmt.Sprintf("%s without %d", p.DSCP.Name, s.DSCP)
		why = "the map leaves it out, which is class 0"
	default:
		f.At, f.Value = c.place(p.DSCP.LineOf(s.DSCP)), fmt.Sprintf("%q: \"%d\"", fmt.Sprint(s.DSCP), class.TC)
		why = fmt.Sprintf("it is in class %d, priority group %d, queue %d", class.TC, class.Group, class.Queue)
		if len(p.PFC) == 0 {
			why += ", and the port pauses no priority"
		} else {
			why += ", and only " + join(p.PFC) + " is protected by PFC"
		}
	}
	f.Why = fmt.Sprintf("%s; on %s %s: under an incast its packets are dropped, and ", sent(h, s), c.name(), why)
	if s.Control {
		f.Severity = Warning
		f.Why += "the data that a lost message announces waits until it is sent again"
	} else {
		f.Why += "each drop resends a window"
	}
	switch {
	case class.Group >= 0 && slices.Contains(p.PFC, class.Group): // its lossy profile is a finding of its own, with the fix
		f.Fixes = c.losslessProfile(p, class.Group)
	case class.Group >= 0 && p.Groups[class.Group].Lossless():
		f.Fixes = []Fix{c.pauseAll(p)}
	case c.regroup(p, class) != "":
		f.Fixes = []Fix{{c.name(), []string{c.regroup(p, class)}}}
	case p.DSCP == nil && (p.Dot1p == nil || p.Routed > 0) && c.sw.MapNamed("DSCP_TO_TC_MAP") != "":
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("PORT_QOS_MAP", qosKey(p), "dscp_to_tc_map", c.sw.MapNamed("DSCP_TO_TC_MAP"))}}}
	case target >= 0 && p.DSCP != nil && !c.ordinary(h, p, s):
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("DSCP_TO_TC_MAP", mapName(p.DSCP.Name), fmt.Sprint(s.DSCP), fmt.Sprint(target))}}}
	default:
		c.remark(h, p, s, &f)
	}
	if s.Default {
		f.At, f.Value = Place(s.At), "no "+s.Variable
	}
	c.add(p, f)
}

// regroup is the patch that leads a class to the protected group whose pauses stop its queue, if no
// class leads there; "" if there is no such group.
func (c *checker) regroup(p *sonic.Port, class sonic.Class) string {
	for g := range p.Groups {
		if p.Lossless(g) && !c.reached(p, g) && p.PFCQueueOf(g) == class.Queue && p.Group != nil {
			return sonic.Patch("TC_TO_PRIORITY_GROUP_MAP", mapName(p.Group.Name), fmt.Sprint(class.TC), fmt.Sprint(g))
		}
	}
	return ""
}

// ordinary reports whether a DSCP belongs to other traffic, so that the sender changes and not the
// switch: of all that sets none, of notifications, or if another stream of the host has a protected
// one.
func (c *checker) ordinary(h *host.Host, p *sonic.Port, s host.Stream) bool {
	return s.DSCP == 0 || s.DSCP == h.CNPDSCP.Value || slices.ContainsFunc(h.Streams(), func(o host.Stream) bool {
		return p.Lossless(p.ClassOf(o.DSCP).Group)
	})
}

// remark adds the fix that gives a stream a protected DSCP.
func (c *checker) remark(h *host.Host, p *sonic.Port, s host.Stream, f *Finding) {
	dscp := c.losslessDSCP(h, p)
	if dscp < 0 {
		f.Fixes = []Fix{{c.name(), c.protect(p, p.ClassOf(s.DSCP).Group)}}
		return
	}
	tc := 4*dscp + ecnBits
	var line string
	switch {
	case s.Variable != "":
		line = fmt.Sprintf("%s=%d", s.Variable, tc)
	case h.Forced.Known():
		line = fmt.Sprintf("echo %d > /sys/class/infiniband/$DEV/tc/1/traffic_class", tc)
	default:
		line = fmt.Sprintf("cma_roce_tos -d $DEV -t %d", tc)
	}
	f.Fixes = []Fix{{h.Name, append([]string{line}, prioritise(h, dscp, p.ClassOf(dscp).Group)...)}}
	f.Traffic.Mended = dscp
}

// ecnBits are the ECN bits beside a DSCP: ECN-capable transport.
const ecnBits = 2

// losslessClass is a class that the port protects: preferably the class of the host's priority, or
// else the first.
func (c *checker) losslessClass(h *host.Host, p *sonic.Port, s host.Stream) int {
	first := -1
	for tc := range sonic.Priorities {
		group := tc
		if p.Group != nil {
			group = p.Group.Of(tc)
		}
		if !p.Lossless(group) {
			continue
		}
		if group == h.PriorityOf(s.DSCP) {
			return tc
		}
		if first < 0 {
			first = tc
		}
	}
	return first
}

// protect are the lines that make a port protect a priority group if it protects none: of the group
// with the traffic, or of SONiC's first if that is the one that all other traffic has.
func (c *checker) protect(p *sonic.Port, group int) []string {
	if group <= 0 || group >= sonic.Priorities {
		group = usualPFC[0]
	}
	if lossless := withHeadroom(p); len(lossless) > 0 {
		return c.pauseAll(p).Lines
	}
	list := join([]int{group})
	key := fmt.Sprintf("%s|%d", p.Name, group)
	return append(c.headroomFor(p, key), sonic.Patch("PORT_QOS_MAP", qosKey(p), "pfc_enable", list, "pfcwd_sw_enable", list))
}

// losslessDSCP is a DSCP that the port protects: preferably of another stream of the host, or one
// that the host has in the same priority, or else the first; -1 if there is none.
func (c *checker) losslessDSCP(h *host.Host, p *sonic.Port) int {
	for _, s := range h.Streams() {
		if p.Lossless(p.ClassOf(s.DSCP).Group) {
			return s.DSCP
		}
	}
	first := -1
	for dscp := range 64 {
		group := p.ClassOf(dscp).Group
		switch {
		case !p.Lossless(group):
		case h.PriorityOf(dscp) == group:
			return dscp
		case first < 0:
			first = dscp
		}
	}
	return first
}

// prioritise returns the commands that make a host put a DSCP into a priority and obey its pauses.
// There are none if the host does so already, or if its settings are unknown.
func prioritise(h *host.Host, dscp, priority int) (lines []string) {
	if h.Trust.Value == "dscp" && h.PriorityOf(dscp) != priority {
		lines = append(lines, fmt.Sprintf("mlnx_qos -i %s --dscp2prio set,%d,%d", h.Iface, dscp, priority))
	}
	if h.PFC.Known() && !slices.Contains(h.PFC.Value, priority) {
		lines = append(lines, fmt.Sprintf("mlnx_qos -i %s --pfc %s", h.Iface, flags(append(slices.Clone(h.PFC.Value), priority)...)))
	}
	return lines
}

// obeys judges whether the host stops the traffic that the switch pauses.
func (c *checker) obeys(h *host.Host, p *sonic.Port, s host.Stream, class sonic.Class) {
	own := h.PriorityOf(s.DSCP)
	if h.Trust.Value == "dscp" && own != class.Group {
		at := h.Priority[s.DSCP].At
		if at.Line == 0 {
			at = h.Trust.At
		}
		c.add(p, Finding{
			Traffic: unheeded(h, s),
			Rule:    "pfc-priority", Severity: Error, At: Place(at), Value: fmt.Sprintf("DSCP %d has priority %d", s.DSCP, own),
			Why:   fmt.Sprintf("%s, and the host has it in priority %d; %s pauses priority %d for it, and this pause stops none of its packets", sent(h, s), own, c.name(), class.Group),
			Fixes: []Fix{{h.Name, prioritise(h, s.DSCP, class.Group)}},
		})
		return
	}
	if !h.PFC.Known() || slices.Contains(h.PFC.Value, class.Group) {
		return
	}
	c.add(p, Finding{
		Traffic: unheeded(h, s),
		Rule:    "pfc-one-end", Severity: Error, At: Place(h.PFC.At), Value: "PFC on " + noneOr(join(h.PFC.Value)),
		Why: fmt.Sprintf("%s; %s pauses priority %d for it, and the host has PFC on %s: it sends on through every pause until the headroom overflows",
			sent(h, s), c.name(), class.Group, noneOr(join(h.PFC.Value))),
		Fixes: []Fix{{h.Name, []string{fmt.Sprintf("mlnx_qos -i %s --pfc %s", h.Iface, flags(append(slices.Clone(h.PFC.Value), class.Group)...))}}},
	})
}

func noneOr(list string) string {
	if list == "" {
		return "none"
	}
	return list
}

// answers judges whether the host takes part in congestion control on the priority of its data.
func (c *checker) answers(h *host.Host, p *sonic.Port, s host.Stream, class sonic.Class) {
	for _, point := range []struct {
		said      host.Said[bool]
		name, dir string
		loses     string
	}{
		{h.NP[class.Group], "notification", "roce_np", "marks from the switch cause no notification"},
		{h.RP[class.Group], "reaction", "roce_rp", "notifications do not slow it down"},
	} {
		if !point.said.Known() || point.said.Value {
			continue
		}
		c.add(p, Finding{
			Traffic: trafficOf(h, s),
			Rule:    "ecn-host", Severity: Error, At: Place(point.said.At), Value: fmt.Sprintf("%s/enable/%d is 0", point.dir, class.Group),
			Why:   fmt.Sprintf("%s, in priority %d, whose %s point is off: %s, and congestion is left to PFC alone", sent(h, s), class.Group, point.name, point.loses),
			Fixes: []Fix{{h.Name, []string{fmt.Sprintf("echo 1 > /sys/class/net/%s/ecn/%s/enable/%d", h.Iface, point.dir, class.Group)}}},
		})
	}
}

// notifications judges which queue CNPs wait in.
func (c *checker) notifications(h *host.Host, p *sonic.Port, s host.Stream, class sonic.Class) {
	if !h.CNPDSCP.Known() {
		return
	}
	cnp := p.ClassOf(h.CNPDSCP.Value)
	if cnp.Queue != class.Queue {
		return
	}
	f := Finding{
		Traffic: trafficOf(h, s),
		Rule:    "cnp-in-data", Severity: Error, At: Place(h.CNPDSCP.At), Value: fmt.Sprintf("cnp_dscp %d", h.CNPDSCP.Value),
		Why: fmt.Sprintf("notifications have DSCP %d, which on %s is in queue %d with the data (%s): they wait behind the congestion that they report, and are paused with it",
			h.CNPDSCP.Value, c.name(), cnp.Queue, sent(h, s)),
	}
	for _, dscp := range []int{usualCNP, 46, 56} { // network control, expedited forwarding, and the next class
		if other := p.ClassOf(dscp); other.Queue >= 0 && other.Queue != class.Queue {
			f.Fixes = []Fix{{h.Name, []string{fmt.Sprintf("echo %d > /sys/class/net/%s/ecn/roce_np/cnp_dscp", dscp, h.Iface)}}}
			f.Traffic.MendedCNP = dscp
			break
		}
	}
	c.add(p, f)
}
