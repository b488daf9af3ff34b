package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/roce"
	"weft/internal/roce/sonic"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/units"
)

// deriveSONiC applies a SONiC configuration under the scenario's own values. The path is not kept:
// a resolved scenario has the numbers.
func (r ethernetRules) deriveSONiC() {
	at := "switch.sonic"
	if len(r.Switch.SONiC) == 0 {
		if r.Switch.SONiCPort != "" {
			r.complain("switch.sonic-port", "a port is named, and switch.sonic names no configuration that has it")
		}
		return
	}
	files, port := r.Switch.SONiC, r.Switch.SONiCPort
	r.Switch.SONiC, r.Switch.SONiCPort = nil, ""
	if !protocol.Of(r.Kind).Ethernet() {
		r.complain(at, "this is a fabric of kind %s, and SONiC is for switches of Ethernet", r.Kind)
		return
	}
	sw, err := r.readSONiC(files)
	if err != nil {
		for _, e := range unjoined(err) {
			r.complain(at, "%v", e)
		}
		return
	}
	facts, err := sonicFacts(sw, port, r.Fabric, r.wrote("ethernet.pfc.headroom"))
	if err != nil {
		r.complain(at, "%s: %v", sw.File, err)
		return
	}
	e := catalog.Entry{Kind: "SONiC", Name: sw.File}
	for _, fact := range facts {
		if !r.wrote(fact.Field) {
			e.Facts = append(e.Facts, fact)
		}
	}
	r.facts(r.path, e, reflect.ValueOf(r.Fabric).Elem())
}

// readSONiC reads a configuration from several files, relative to the scenario's folder.
func (r ethernetRules) readSONiC(files []string) (*sonic.Switch, error) {
	var all []*sonic.Config
	for _, file := range files {
		c, err := r.readSONiCFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	c, err := sonic.Join(all...)
	if err != nil {
		return nil, err
	}
	return sonic.Resolve(c)
}

func (r ethernetRules) readSONiCFile(file string) (*sonic.Config, error) {
	in, err := r.open(file)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	defer func() { _ = in.Close() }()
	return sonic.Read(file, in)
}

// unjoined are the errors of errors.Join.
func unjoined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// sonicFacts are the values of a switch's port for a fabric. The usable ports must give the same
// values, or the scenario names one port. stated is true if the scenario itself states the
// headroom.
func sonicFacts(sw *sonic.Switch, name string, f *Fabric, stated bool) ([]catalog.Fact, error) {
	var facts []catalog.Fact
	var of *sonic.Port
	for _, p := range sw.Ports {
		if name != p.Name && (name != "" || !p.Up || !p.Used() || p.Speed != 0 && p.Speed != f.Link.Rate()) {
			continue
		}
		its, err := portFacts(sw, p, f, stated, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if of == nil {
			facts, of = its, p
			continue
		}
		if i := slices.IndexFunc(its, func(x catalog.Fact) bool { return !slices.Contains(facts, x) }); i >= 0 || len(its) != len(facts) {
			what := "ethernet"
			if i >= 0 {
				what = its[i].Field
			}
			return nil, fmt.Errorf("%s and %s differ in %s, and all ports of a scenario's switches are alike: name the one to go by with switch.sonic-port", of.Name, p.Name, what)
		}
	}
	if of == nil {
		if name != "" {
			return nil, fmt.Errorf("there is no port %s", name)
		}
		return nil, fmt.Errorf("no port that is up and has queues runs at the link's %v: name one with switch.sonic-port", f.Link.Rate())
	}
	return facts, nil
}

// portFacts are the values of a port. The simulator has one class for a switch's traffic class,
// priority group and queue: it has the queue's number, or that which like gives the traffic.
func portFacts(sw *sonic.Switch, p *sonic.Port, f *Fabric, stated bool, like *classNumbers) ([]catalog.Fact, error) {
	data, err := classOf(p, f.Ethernet.DSCP)
	if err != nil {
		return nil, err
	}
	cnp, err := classOf(p, f.Ethernet.CNPDSCP)
	if err != nil {
		return nil, err
	}
	number := like.of(data.Queue, cnp.Queue)
	var facts []catalog.Fact
	add := func(field, format string, args ...any) {
		facts = append(facts, catalog.Fact{Field: field, Value: fmt.Sprintf(format, args...)})
	}
	if p.Speed > 0 { // PORT has it
		add("switch.mtu", "%dB", p.MTU)
	}
	if hash := hashOf(&sw.Hash); hash != "" {
		add("routing.hash", "%s", hash)
	}
	add("ethernet.data-priority", "%d", number[data.Queue])
	add("ethernet.ack-priority", "%d", number[data.Queue])
	add("ethernet.cnp-priority", "%d", number[cnp.Queue])
	lossless := []int{}
	for tc := range sonic.Priorities {
		if c := p.ClassOfTC(tc); p.Lossless(c.Group) && c.Queue >= 0 && c.Queue < sonic.Priorities && !slices.Contains(lossless, c.Queue) {
			lossless = append(lossless, c.Queue)
		}
	}
	add("ethernet.queues", "%s", portQueues(p, append([]int{data.Queue, cnp.Queue}, lossless...), number))
	add("ethernet.pfc.enabled", "%v", len(lossless) > 0)
	add("ethernet.pfc.priorities", "%s", flow(reflect.ValueOf(number.all(lossless)), false))
	if stops := number.stops(portStops(p, data)); len(stops) > 0 {
		add("ethernet.pfc.stops", "%s", flow(reflect.ValueOf(stops), false))
	}
	if p.Detect > 0 && len(lossless) > 0 {
		add("ethernet.pfc.watchdog.enabled", "true")
		add("ethernet.pfc.watchdog.detection", "%dus", p.Detect/units.Microsecond)
		add("ethernet.pfc.watchdog.restoration", "%dus", p.Restore/units.Microsecond)
		add("ethernet.pfc.watchdog.poll", "%dus", sw.Watchdog.Poll/units.Microsecond)
		add("ethernet.pfc.watchdog.action", "%s", p.Action)
	}
	if q := &p.Queues[data.Queue]; q.WRED != nil && q.WRED.ECN && !q.WRED.Unset {
		add("ethernet.ecn.enabled", "true")
		add("ethernet.ecn.kmin", "%dB", q.WRED.Min)
		add("ethernet.ecn.kmax", "%dB", q.WRED.Max)
		add("ethernet.ecn.pmax", "%d%%", q.WRED.Percent)
	} else {
		add("ethernet.ecn.enabled", "false")
	}
	lossy := data.Queue // the egress bound is for lossy traffic
	if slices.Contains(lossless, lossy) {
		lossy = cnp.Queue
	}
	if b := p.Queues[lossy].Profile; b != nil && b.StaticTh == 0 {
		add("ethernet.egress-alpha", "%s", alpha(b))
	}
	profile, err := groupProfile(sw, p, data.Group)
	if err != nil && !stated {
		return nil, fmt.Errorf("priority group %d has no headroom of its own: %w; state ethernet.pfc.headroom (weft roce headroom reckons it), or give the group a profile in BUFFER_PG", data.Group, err)
	}
	if err == nil && profile != nil { // else the scenario's own value stays
		facts = append(facts, groupFacts(sw, profile)...)
		if classes := portClasses(sw, p, data, lossless, number); len(classes) > 0 {
			add("ethernet.pfc.classes", "%s", flow(reflect.ValueOf(classes), false))
		}
	}
	return facts, nil
}

// hashOf is what a switch hashes of RoCE v2: its flows differ in the source port of UDP, and in the queue pair. Empty: the switch's
// own choice, or neither addresses nor these.
func hashOf(h *sonic.Hash) HashFields {
	switch {
	case slices.Contains(h.Fields, "L4_SRC_PORT"), slices.Contains(h.Fields, "RDMA_BTH_DEST_QP"):
		return HashFlow
	case h.AddressesAlone():
		return HashAddresses
	}
	return ""
}

// classOf is the class of a DSCP, which must have a queue and a priority group.
func classOf(p *sonic.Port, dscp int) (sonic.Class, error) {
	c := p.ClassOf(dscp)
	if min(c.Queue, c.Group) < 0 || max(c.Queue, c.Group) >= sonic.Priorities {
		return c, fmt.Errorf("DSCP %d leads to no queue or priority group (class %d): give it one, or another DSCP in ethernet.dscp", dscp, c.TC)
	}
	return c, nil
}

// groupProfile is the profile of a group, computed if the switch computes it. It is nil for a lossy
// group without a profile.
func groupProfile(sw *sonic.Switch, p *sonic.Port, g int) (*sonic.Profile, error) {
	if p.Groups[g] != nil || !p.Lossless(g) {
		return p.Groups[g], nil
	}
	if !sw.Dynamic && p.Made[g] == nil {
		return nil, errors.New("the switch takes it from its pg_profile_lookup.ini, which is not part of the configuration")
	}
	pattern := roce.Harshest
	if sw.LosslessMTU > 0 {
		pattern = roce.Pattern{SmallPercent: sw.SmallPercent, MTU: sw.LosslessMTU}
	}
	made := &sonic.Profile{DynamicTh: sw.DefaultTh}
	if m := p.Made[g]; m != nil {
		*made = *m
	}
	shared := sw.Oversubscribed > 0 || made.Pool != nil && made.Pool.Xoff > 0
	h, err := roce.Computed(sw.HwSKU, roce.Port{Speed: p.Speed, Cable: p.Cable, MTU: roce.Frame(p.MTU), Lanes: p.Lanes}, pattern, shared)
	made.Size, made.Xon, made.Xoff = h.Size, h.Xon, h.Xoff
	return made, err
}

// groupFacts are the values of the priority group of the data.
func groupFacts(sw *sonic.Switch, g *sonic.Profile) []catalog.Fact {
	bytes := func(field string, b units.Bytes) catalog.Fact {
		return catalog.Fact{Field: "ethernet." + field, Value: fmt.Sprintf("%dB", b)}
	}
	facts := []catalog.Fact{
		bytes("pfc.reserve", reserveOf(g)), bytes("pfc.headroom", g.Xoff), bytes("pfc.xon", g.Xon), bytes("pfc.xon-offset", g.XonOffset),
		bytes("pfc.xoff", g.StaticTh),
	}
	if g.StaticTh == 0 {
		facts = append(facts, catalog.Fact{Field: "ethernet.pfc.alpha", Value: alpha(g)})
	}
	if g.Pool != nil && g.Pool.Size > 0 {
		facts = append(facts, bytes("shared", g.Pool.Size))
	}
	if g.Lossless() {
		if pool := headroomPool(sw, g); pool > 0 {
			facts = append(facts, bytes("pfc.headroom-pool", pool))
		}
	}
	return facts
}

// portClasses are the lossless queues of a port whose priority groups have another part of the buffer than that of the data, by
// their numbers. A group whose profile is not known has that of the data.
func portClasses(sw *sonic.Switch, p *sonic.Port, data sonic.Class, lossless []int, number numbers) (classes []PFCClass) {
	of := func(group int) (c PFCClass, known bool) {
		profile, err := groupProfile(sw, p, group)
		if err != nil || profile == nil || profile.StaticTh > 0 {
			return c, false
		}
		num, den := profile.Alpha()
		return PFCClass{Headroom: profile.Xoff, Reserve: reserveOf(profile), XON: profile.Xon, Alpha: Ratio{Num: num, Den: den}.Reduced()}, true
	}
	usual, known := of(data.Group)
	if !known {
		return nil
	}
	for _, queue := range lossless {
		for tc := range sonic.Priorities {
			class := p.ClassOfTC(tc)
			if class.Queue != queue || queue == data.Queue || !p.Lossless(class.Group) {
				continue
			}
			if own, known := of(class.Group); known && own != usual {
				own.Priority = number[queue]
				classes = append(classes, own)
			}
			break
		}
	}
	sorting.Func(classes, func(a, b PFCClass) int { return a.Priority - b.Priority })
	return classes
}

// reserveOf is the buffer of a group before the shared one: NVIDIA's size includes the headroom, Broadcom's does not.
func reserveOf(g *sonic.Profile) units.Bytes {
	if g.Lossless() && g.Size >= g.Xoff {
		return g.Size - g.Xoff
	}
	return g.Size
}

// privateHeadroom is the headroom of each port with lossless groups in addition to the shared
// headroom (sonic-swss, cfgmgr/buffer_pool_mellanox.lua).
const privateHeadroom = 10 * units.KiB

// headroomPool is the headroom that ports share: the pool's xoff, or, if the switch computes it,
// the sum for its lossless groups, less each port's own, over over_subscribe_ratio; 0 if each port
// has its own. Groups of other speeds are assumed to have the same sum.
func headroomPool(sw *sonic.Switch, g *sonic.Profile) units.Bytes {
	if g.Pool != nil && g.Pool.Xoff > 0 {
		return g.Pool.Xoff
	}
	if !sw.Dynamic || sw.Oversubscribed == 0 {
		return 0
	}
	promised := units.Bytes(0)
	for _, p := range sw.Ports {
		own := units.Bytes(0)
		for n := range p.Groups {
			if p.Up && p.Lossless(n) {
				promised += g.Xoff
				own = privateHeadroom
			}
		}
		promised -= own
	}
	return promised / units.Bytes(sw.Oversubscribed)
}

func alpha(p *sonic.Profile) string {
	num, den := p.Alpha()
	return fmt.Sprintf("%d/%d", num, den)
}

// portStops are the lossless classes whose pause stops a queue other than their own. If classes
// share a queue, the class of the data counts, and then the first.
func portStops(p *sonic.Port, data sonic.Class) (stops []Stop) {
	seen := map[int]bool{}
	look := func(c sonic.Class) {
		if !p.Lossless(c.Group) || c.Queue < 0 || c.Queue >= sonic.Priorities || seen[c.Queue] {
			return
		}
		seen[c.Queue] = true
		if stopped := p.PFCQueueOf(c.Group); stopped != c.Queue {
			stops = append(stops, Stop{Priority: c.Queue, Queue: stopped})
		}
	}
	look(data)
	for tc := range sonic.Priorities {
		look(p.ClassOfTC(tc))
	}
	sorting.Func(stops, func(a, b Stop) int { return a.Priority - b.Priority })
	return stops
}

// portQueues are the schedulers of a port's queues; a used queue without a scheduler has weight 1.
func portQueues(p *sonic.Port, used []int, number numbers) string {
	var queues []Queue
	for n := range p.Queues {
		s := p.Queues[n].Scheduler
		switch {
		case s == nil && slices.Contains(used, n):
			queues = append(queues, Queue{Priority: number[n], Schedule: DWRR, Weight: 1})
		case s == nil:
		case s.Strict:
			queues = append(queues, Queue{Priority: number[n], Schedule: Strict})
		default:
			queues = append(queues, Queue{Priority: number[n], Schedule: DWRR, Weight: s.Weight})
		}
	}
	sorting.Func(queues, func(a, b Queue) int { return a.Priority - b.Priority })
	return flow(reflect.ValueOf(queues), false)
}
