package lint

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/roce"
	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/units"
)

// unclaimed is said of ports of which nothing can be judged.
const unclaimed = "anything of ports that are up without an entry in PORT_QOS_MAP or QUEUE: nothing says that they carry RDMA"

// unloaded judges ports that are up and have no maps and no PFC: a switch whose QoS was never loaded,
// or ports that a breakout has made since (sonic-buildimage, issue 23354; sonic-swss, issue 2865).
func (c *checker) unloaded() {
	for _, p := range c.bare() {
		if !c.sw.Whole {
			c.cannotAt(p, "anything of ports without an entry in PORT_QOS_MAP or QUEUE: the files are parts of a configuration, which may name ports that are down")
			continue
		}
		like, told := c.like(p), c.affected(p)
		if told == "" && like == nil && !c.prepared() {
			c.cannotAt(p, unclaimed)
			continue
		}
		f := Finding{Rule: "qos-missing", Severity: Error, At: c.place(p.Line), Value: "no entry in PORT_QOS_MAP or QUEUE"}
		f.Why = "the port is up without maps and without PFC: all its traffic is in class 0 and is dropped when the class is full"
		switch {
		case like != nil:
			f.Why += fmt.Sprintf("; %s pauses %s", like.Name, join(like.PFC))
		case told == "":
			f.Why += "; the file has the maps and profiles for it, and no port uses them"
		}
		if told != "" {
			f.Why += "; " + told
		}
		f.Fixes = []Fix{{c.name(), c.equip(p, like)}}
		c.add(p, f)
	}
	for _, p := range c.ports() {
		c.unpaused(p)
	}
}

// unpaused judges a port with maps and without PFC beside others of its speed that have PFC.
func (c *checker) unpaused(p *sonic.Port) {
	like := c.like(p)
	if len(p.PFC) > 0 || like == nil || like.Speed != p.Speed || slices.ContainsFunc(p.Groups[:], (*sonic.Profile).Lossless) {
		return
	}
	c.add(p, Finding{
		Rule: "qos-missing", Severity: Warning, At: c.place(max(p.QoSLine, p.Line)), Value: "no pfc_enable",
		Why:   fmt.Sprintf("the port pauses no priority, and %s pauses %s: what arrives here is dropped where it would be held there", like.Name, join(like.PFC)),
		Fixes: []Fix{{c.name(), append(c.equip(p, like), sonic.Patch("PORT_QOS_MAP", qosKey(p), "pfc_enable", join(like.PFC), "pfcwd_sw_enable", join(like.PFC)))}},
	})
}

// qosKey is the key of a port's row in PORT_QOS_MAP, of the present row or of a new one.
func qosKey(p *sonic.Port) string {
	if p.QoSKey != "" {
		return p.QoSKey
	}
	return p.Name
}

// affected says which traffic of a host the port may carry, "" for none.
func (c *checker) affected(p *sonic.Port) string {
	for _, h := range c.hosts {
		if !c.at(h, p) {
			continue
		}
		for _, s := range h.Streams() {
			return sent(h, s)
		}
		if len(h.PFC.Value) > 0 {
			return fmt.Sprintf("%s has PFC on %s (%v)", h.Name, join(h.PFC.Value), h.PFC.At)
		}
	}
	return ""
}

// prepared reports whether the file has maps or headroom for ports that use none of it.
func (c *checker) prepared() bool {
	return c.sw.MapNamed("DSCP_TO_TC_MAP") != "" || slices.ContainsFunc(c.sw.Profiles, (*sonic.Profile).Lossless)
}

// like is the port after which another is equipped: one with PFC, preferably of the same speed; nil
// if there is none.
func (c *checker) like(p *sonic.Port) (like *sonic.Port) {
	for _, q := range c.sw.Ports {
		if q == p || !q.Up || !q.Used() || len(q.PFC) == 0 {
			continue
		}
		if like == nil || q.Speed == p.Speed && like.Speed != p.Speed {
			like = q
		}
	}
	return like
}

// equip are the lines that give a port the rows of another, with headroom for its own speed and
// cable, or rows of its own making if no port has any.
func (c *checker) equip(p, like *sonic.Port) []string {
	if like == nil {
		return c.fresh(p)
	}
	lines := c.sw.RowsLike(p.Name, like.Name)
	if like.Speed == p.Speed && c.length(like) == c.length(p) {
		return lines
	}
	for g := range like.Groups {
		if key := like.GroupKey[g]; key != "" && p.GroupKey[g] == "" && like.Groups[g].Lossless() {
			_, numbers, _ := strings.Cut(key, "|")
			lines = append(lines, c.headroomFor(p, p.Name+"|"+numbers)...)
		}
	}
	return slices.Compact(lines)
}

// headroomFor are the lines that give a row of BUFFER_PG a lossless profile for the port's speed and
// cable.
func (c *checker) headroomFor(p *sonic.Port, key string) (lines []string) {
	if c.sw.Dynamic {
		return []string{sonic.Patch("BUFFER_PG", key, "profile", "NULL")}
	}
	profile, made := c.profileFor(p)
	if profile == "" {
		return nil
	}
	return append(made, sonic.Patch("BUFFER_PG", key, "profile", profile))
}

// profileFor is a lossless profile for the speed and the cable of a port: of a port that is like it,
// or else by the name that SONiC gives it, or else made by the vendor's formula, or else the first.
func (c *checker) profileFor(p *sonic.Port) (name string, made []string) {
	length := c.length(p)
	for _, q := range c.ports() {
		for g, profile := range q.Groups {
			if q != p && q.Speed == p.Speed && c.length(q) == length && q.Lossless(g) && profile.Lossless() {
				return profile.Name, nil
			}
		}
	}
	first := ""
	usual := fmt.Sprintf("pg_lossless_%d_%dm_profile", p.Speed/units.Mbps, metres(length))
	for _, profile := range c.sw.Profiles {
		switch {
		case !profile.Lossless():
		case profile.Name == usual:
			return usual, nil
		case first == "":
			first = profile.Name
		}
	}
	pool := c.pool()
	h, _, err := c.vendorHeadroom(roce.Port{Speed: p.Speed, Cable: length, MTU: roce.Frame(p.MTU), Lanes: p.Lanes}, roce.Harshest)
	if err != nil || pool == nil || length == 0 {
		return first, nil
	}
	return usual, []string{sonic.Patch("BUFFER_PROFILE", usual, "pool", pool.Name, "size", fmt.Sprint(int64(h.Size)),
		"xon", fmt.Sprint(int64(h.Xon)), "xoff", fmt.Sprint(int64(h.Xoff)), "dynamic_th", fmt.Sprint(c.sw.DefaultTh))}
}

// usualPFC are the priorities that SONiC's templates protect (qos_config.j2).
var usualPFC = []int{3, 4}

// fresh are the rows that SONiC's template gives a port (qos_config.j2), from the maps, schedulers
// and profiles that the file has. Without maps it is the command that makes them.
func (c *checker) fresh(p *sonic.Port) []string {
	maps := []struct{ field, table string }{
		{"dscp_to_tc_map", "DSCP_TO_TC_MAP"},
		{"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"},
		{"tc_to_queue_map", "TC_TO_QUEUE_MAP"},
		{"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"},
	}
	if c.sw.MapNamed(maps[0].table) == "" {
		return []string{"config qos reload"}
	}
	lossless := withHeadroom(p)
	if len(lossless) == 0 {
		lossless = usualPFC
	}
	var values []string
	for _, m := range maps {
		if name := c.sw.MapNamed(m.table); name != "" {
			values = append(values, m.field, name)
		}
	}
	values = append(values, "pfc_enable", join(lossless), "pfcwd_sw_enable", join(lossless))
	lines := []string{sonic.Patch("PORT_QOS_MAP", p.Name, values...)}
	lines = append(lines, c.freshQueues(p, lossless)...)
	if groups, _ := p.Fills(); !groups && len(c.sw.Profiles) > 0 {
		for _, g := range lossless {
			lines = append(lines, c.headroomFor(p, fmt.Sprintf("%s|%d", p.Name, g))...)
		}
	}
	return append(lines, c.watch(p, lossless)...)
}

// freshQueues are a port's rows of QUEUE: the lossless queues have the scheduler of most weight and
// the profile that marks.
func (c *checker) freshQueues(p *sonic.Port, lossless []int) (lines []string) {
	var least, most *sonic.Scheduler
	for _, s := range c.sw.Schedulers {
		if s.Strict {
			continue
		}
		if least == nil || s.Weight < least.Weight {
			least = s
		}
		if most == nil || s.Weight > most.Weight {
			most = s
		}
	}
	for n := range sonic.Priorities - 1 {
		s, marks := least, ""
		if slices.Contains(lossless, n) {
			var made []string
			s = most
			marks, made = c.markingFor(p)
			lines = append(lines, made...)
		}
		var values []string
		if s != nil {
			values = append(values, "scheduler", s.Name)
		}
		if marks != "" {
			values = append(values, "wred_profile", marks)
		}
		if len(values) > 0 {
			lines = append(lines, sonic.Patch("QUEUE", fmt.Sprintf("%s|%d", p.Name, n), values...))
		}
	}
	return lines
}

// withHeadroom are the groups of a port with headroom, or that the switch will give some.
func withHeadroom(p *sonic.Port) (list []int) {
	for g, profile := range p.Groups {
		if profile.Lossless() || profile == nil && p.GroupKey[g] != "" {
			list = append(list, g)
		}
	}
	return list
}

// buffered judges whether a port's lossless groups and queues have entries if those of other ports
// do.
func (c *checker) buffered(p *sonic.Port) {
	othersGroups, othersQueues := c.othersFill(p)
	groups := len(withHeadroom(p)) > 0 // without any, the switch makes them when the port comes up (sonic-swss, buffermgr)
	unmade, _ := c.unmade(p)
	for _, g := range p.PFC {
		if unmade != "" && !c.sw.Dynamic || p.GroupKey[g] != "" || !othersGroups && !groups || !c.reached(p, g) || groups && len(unpausedHeadroom(p)) > 0 {
			continue // others are judged by protected and unprofiled
		}
		c.add(p, Finding{
			Rule: "buffer-missing", Severity: Error, At: c.place(max(p.QoSLine, p.Line)), Value: fmt.Sprintf("no entry of group %d in BUFFER_PG", g),
			Why:     fmt.Sprintf("the port pauses priority %d, and its priority group %d has no entry in BUFFER_PG, which other groups of this switch have: after a breakout SONiC gives new ports none until admin_status is set again, and packets that arrive before the peer stops are dropped", g, g),
			Fixes:   []Fix{{c.name(), c.headroomFor(p, fmt.Sprintf("%s|%d", p.Name, g))}},
			Traffic: c.intoGroup(p, g),
		})
	}
	for tc := range sonic.Priorities {
		class := p.ClassOfTC(tc)
		if !p.Lossless(class.Group) || class.Queue < 0 || class.Queue >= sonic.Priorities || p.Queues[class.Queue].ProfileKey != "" || !othersQueues {
			continue
		}
		f := Finding{
			Rule: "buffer-missing", Severity: Error, At: c.place(max(p.QoSLine, p.Line)), Value: fmt.Sprintf("no entry of queue %d in BUFFER_QUEUE", class.Queue),
			Why:     fmt.Sprintf("queue %d of lossless traffic has no entry in BUFFER_QUEUE, which other ports have: the chip bounds it by its default, and packets that PFC protects are dropped on their way out", class.Queue),
			Traffic: c.intoGroup(p, class.Group),
		}
		if name, lines := c.egressProfile(); name != "" {
			f.Fixes = []Fix{{c.name(), append(lines, sonic.Patch("BUFFER_QUEUE", fmt.Sprintf("%s|%d", p.Name, class.Queue), "profile", name))}}
		}
		c.add(p, f)
	}
}

// othersFill reports whether other ports have entries in BUFFER_PG and in BUFFER_QUEUE for what is
// lossless.
func (c *checker) othersFill(p *sonic.Port) (groups, queues bool) {
	for _, q := range c.ports() {
		if q == p {
			continue
		}
		for _, g := range q.PFC {
			groups = groups || q.GroupKey[g] != ""
		}
		_, filled := q.Fills()
		queues = queues || filled
	}
	return groups, queues
}

// reached reports whether a class leads to a priority group.
func (c *checker) reached(p *sonic.Port, g int) bool {
	for tc := range sonic.Priorities {
		if p.ClassOfTC(tc).Group == g {
			return true
		}
	}
	return false
}

// unpausedHeadroom are the groups with headroom that the port does not pause.
func unpausedHeadroom(p *sonic.Port) (list []int) {
	for _, g := range withHeadroom(p) {
		if !slices.Contains(p.PFC, g) && p.Groups[g].Lossless() {
			list = append(list, g)
		}
	}
	return list
}

// at reports whether a host may be at a port: their speeds are equal or unknown.
func (c *checker) at(h *host.Host, p *sonic.Port) bool {
	return !h.Speed.Known() || p.Speed == 0 || h.Speed.Value == p.Speed
}
