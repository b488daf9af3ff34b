package emulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"weft/internal/base/sorting"
	"weft/internal/sim"
	"weft/internal/sim/channel"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/pauses"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// fabric is an emulated fabric.
type fabric struct {
	*carrier
	server
	clock    *clock
	late     int
	scenario *scenario.Resolved
	faults   []scenario.Fault // one by one: the scenario's, and the console's
	commands chan string
	// statistics is Options.Statistic.
	statistics func(nic string, c *counts.Port)
	management *control.Management // nil until a program asks
	progress   func(sim.Progress)  // nil: nobody looks
	shown      time.Time
}

// Run emulates a scenario's only fabric until the context ends.
func Run(ctx context.Context, r *scenario.Resolved, o Options) (*Report, error) {
	if o.Statistic == nil {
		o.Statistic = func(string, *counts.Port) {}
	}
	if o.Tell == nil {
		o.Tell = func(string, ...any) {}
	}
	var series *results.Series
	ended := func() {}
	defer func() { ended() }()
	c, err := newCarrier(r, func(p *network.Plan) {
		p.CountPorts = true
		if o.Sim.Series != nil || o.Sim.Live != nil {
			p.Series = func(s *results.Series) { series = s }
		}
		if o.Sim.Live != nil {
			sim.Expect(o.Sim.Live, 1)
			ended = sim.Show(o.Sim.Live, 0, p)
		}
	})
	if err != nil {
		return nil, err
	}
	f := &fabric{carrier: c, server: server{buffer: make([]byte, channel.MaxMessage), byAddr: map[[4]byte]*session{}, tell: o.Tell}, scenario: r, commands: make(chan string, 1), statistics: o.Statistic}
	for i := range r.Faults {
		f.faults = append(f.faults, r.Faults[i].Each()...)
	}
	c.landed = f.land
	f.told, f.managed = f.tally, f.ask
	if err := f.describe(); err != nil {
		return nil, err
	}
	if err := f.listen(o.Socket); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, f.alert)()
	if o.Ready != nil {
		o.Ready(f.nics())
	}
	f.clock = newClock(o.Dilation)
	f.progress = o.Sim.Progress
	stop, release := engine.NewStop(ctx)
	defer release()
	go f.listenTo(ctx, o.Commands)
	err = f.loop(stop)
	report := f.report(r)
	if series != nil && o.Sim.Series != nil {
		series.Simulation.Complete = err == nil
		o.Sim.Series(series)
	}
	return report, errors.Join(err, f.close())
}

// listenTo passes the console's commands on, and ends the fabric's sleep.
func (f *fabric) listenTo(ctx context.Context, commands <-chan string) {
	for {
		select {
		case line, ok := <-commands:
			if !ok {
				return
			}
			select {
			case f.commands <- line:
				f.alert()
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// describe names the NICs, and says what devices get.
func (f *fabric) describe() error {
	plan := f.net.Plan
	for nic := range plan.Graph.Endpoints {
		f.names = append(f.names, plan.Graph.Nodes[nic].Name)
	}
	ends, err := plan.QueuePairs()
	if err != nil {
		return err
	}
	f.welcome = channel.Welcome{Rate: plan.Fabric.Link.Rate(), PathMTU: int(plan.Fabric.MTU), QueuePairs: ends}
	if !plan.InfiniBand() {
		return nil
	}
	if f.welcome.Subnet, err = channel.NewSubnet(plan.Graph.Endpoints+plan.Graph.Switches(), plan.Graph.Endpoints); err != nil {
		return fmt.Errorf("fabric %s: %w", plan.Fabric.Name, err)
	}
	return nil
}

// nics are the NICs with their addresses.
func (f *fabric) nics() (all []NIC) {
	for nic, name := range f.names {
		all = append(all, NIC{name, f.addr(nic, 1).String(), f.addr(nic, f.perNIC()).String()})
	}
	return all
}

// report is what has been measured until now.
func (f *fabric) report(r *scenario.Resolved) *Report {
	plan := f.net.Plan
	out := &Report{Simulated: f.now, Real: f.clock.elapsed(), Dilation: f.clock.dilation, Slip: f.clock.slip, Late: f.late, Forgotten: f.forgotten}
	for _, s := range slices.Concat(f.left, f.sessions) {
		if s.nic >= 0 {
			out.Devices = append(out.Devices, s.device(f.names[s.nic]))
		}
	}
	sorting.StableFunc(out.Devices, func(a, b Device) int { return cmp.Compare(a.First, b.First) })
	span, received := out.span()
	point := results.Point{Time: span, Counts: measure.Counts(f.net.Network), Fault: plan.Suffered(f.net.Network)}
	for i := range out.Devices {
		point.Counts.Retransmissions += out.Devices[i].Repeated
	}
	if s := span.Seconds(); s > 0 {
		point.AlgBW = float64(received) / s / 1e9
		point.BusBW = point.AlgBW
	}
	f.attribute(&point, span)
	measure.TellSeries(f.net, f.now, nil, 0)
	result := results.FabricResult{Name: plan.Fabric.Name, Protocol: string(plan.Fabric.Kind), Rate: plan.Fabric.Link.Rate(), Points: []results.Point{point}}
	result.Engine, result.EngineWhy = string(plan.Routed.Used), plan.Routed.Reason
	if len(f.faults) > 0 {
		result.Control = &plan.Faults.Control
	}
	out.Results = &results.Results{
		Version: results.ResultsVersion, Scenario: r.Name, Seed: r.Run.Seed, Workload: "emulated programs",
		Ranks: len(out.Devices), Nodes: r.Cluster.Nodes, Fabrics: []results.FabricResult{result},
	}
	return out
}

// attribute says which NICs' data crossed the hottest links, and stood behind pauses.
func (f *fabric) attribute(point *results.Point, span units.Time) {
	var links []int32
	var pauses []pauses.Pausing
	point.Hottest, links = measure.Hottest(f.net, span)
	point.Pauses, pauses = measure.PauseTree(f.net, f.now)
	for _, k := range sorting.Sorted(maps.Keys(f.streams), func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) }) {
		s, name, path := f.streams[k], f.names[k[0]]+" to "+f.names[k[1]], f.carrier.path(k[0], k[1])
		for i, link := range links {
			if slices.Contains(path, link) && len(point.Hottest[i].Flows) < mostNamed {
				point.Hottest[i].Flows = append(point.Hottest[i].Flows, name)
			}
		}
		if pauses != nil {
			measure.AddPaused(f.net, pauses, point.Pauses, path, results.PausedFlow{Name: name, Bytes: s.bytes, TimePs: int64(s.last - s.first)})
		}
	}
}

// loop is the work of a fabric: what devices sent, the network, turns. Its clock begins with the first device.
func (f *fabric) loop(stop *engine.Stop) error {
	for wait := time.Duration(0); !stop.Ended(); wait = f.rest() {
		f.sleep(wait)
		if err := f.advance(); err != nil {
			return err
		}
		f.handle(f.carry) // at the present time, not at that before the sleep
		f.obey()
		f.show()
		f.watch()
		f.serve()
	}
	return nil
}

// sleep waits for devices, somebody who calls alert, or a time. The clock that devices see goes on meanwhile.
func (f *fabric) sleep(d time.Duration) {
	goes := d > 0 && !f.unused()
	if goes {
		f.tick(f.bound() - 1)
	}
	f.await(d)
	if goes {
		f.dial.Stop(monotonic) // the present time that advance finds is none before it
	}
}

// advance brings the network towards the present time by a step. The clock stands still from then on.
func (f *fabric) advance() error {
	if f.unused() {
		f.clock = newClock(f.clock.dilation)
		return nil
	}
	if until := f.until(); until > f.now {
		if err := f.step(until); err != nil {
			return err
		}
	}
	f.tick(f.now)
	return nil
}

// tick lets the clock that devices see go on up to a time.
func (f *fabric) tick(most units.Time) {
	h := f.clock.hands(f.now, most)
	f.dial.Set(&h)
}

// watch gives a turn to the devices whose NIC has lost its last cable, or has one again.
func (f *fabric) watch() {
	if faults := f.net.Plan.Faults; faults == nil || len(faults.Outages) == 0 {
		return
	}
	for _, s := range f.sessions {
		if s.nic >= 0 && s.down != f.cut(s.nic) {
			s.down, s.woken = !s.down, true
		}
	}
}

// cut reports whether no cable of a NIC is in service.
func (f *fabric) cut(nic int32) bool {
	for _, cable := range f.net.Plan.Graph.Nodes[nic].Cables {
		if cable >= 0 && !f.out(cable) {
			return false
		}
	}
	return true
}

// out reports whether a cable is out of service.
func (f *fabric) out(cable int32) bool {
	return slices.ContainsFunc(f.net.Plan.Faults.Outages, func(s network.Span) bool {
		return s.Cable == cable && s.From <= f.now && f.now < s.Until
	})
}

// until is the end of the next step. Nothing happens before the network's next event, and a deadline needs its
// turn in time.
func (f *fabric) until() units.Time {
	next := f.next()
	t, ahead := f.clock.target(f.now, min(next, f.now+stride))
	if next <= ahead {
		t = ahead
	}
	return min(t, f.bound())
}

// next is the time of the next event or deadline.
func (f *fabric) next() units.Time { return min(f.net.NextTime(), f.deadline()) }

// bound is the time up to which the fabric goes without hearing its devices.
func (f *fabric) bound() units.Time {
	return min(f.deadline(), max(min(f.net.NextTime(), units.Forever-grain), f.now)+grain, f.now+stride)
}

// unused reports whether no device has come yet.
func (f *fabric) unused() bool { return len(f.byAddr)+len(f.left) == 0 }

// obey carries out the console's next command, if there is one.
func (f *fabric) obey() {
	select {
	case line := <-f.commands:
		f.command(line)
	default:
	}
}

// show reports the progress.
func (f *fabric) show() {
	if now := time.Now(); f.progress != nil && now.Sub(f.shown) > showEvery {
		f.shown = now
		simulated, events, hops := f.net.Progress()
		f.progress(sim.Progress{Fabric: f.net.Plan.Fabric.Name, Total: 1, Simulated: max(simulated, f.now), Events: events, Hops: hops})
	}
}

// deadline is the earliest deadline of a device.
func (f *fabric) deadline() units.Time {
	t := units.Forever
	for _, s := range f.sessions {
		if !s.asked {
			t = min(t, max(s.deadline, f.now+1))
		}
	}
	return t
}

// rest is the time that the fabric may sleep: until the clock reaches the next event or deadline.
func (f *fabric) rest() time.Duration {
	switch {
	case f.hungry():
		return 0
	case f.unused():
		return idle
	}
	return max(0, min(idle, f.clock.until(min(f.next(), f.now+stride))))
}

// hungry reports whether a device waits for a turn at the present time.
func (f *fabric) hungry() bool {
	for _, s := range f.sessions {
		if s.nic >= 0 && s.due(f.now, f.room(s.nic)) {
			return true
		}
	}
	return false
}

// serve gives a turn to each device that needs one, until none does.
func (f *fabric) serve() {
	asked := false
	for _, s := range f.sessions {
		if s.nic < 0 {
			continue
		}
		room := f.room(s.nic)
		if s.due(f.now, room) {
			s.give(f.now, room)
			asked = true
		}
	}
	if !asked {
		return
	}
	for end := time.Now().Add(patience); ; {
		missing := 0
		for _, s := range f.sessions {
			if s.asked && !s.late {
				missing++
			}
		}
		if missing == 0 {
			return
		}
		left := time.Until(end)
		if left <= 0 {
			break
		}
		f.poll(left, f.carry)
	}
	for _, s := range f.sessions {
		if s.asked && !s.late {
			s.late = true
			f.late++
			f.tell("%s does not answer: the fabric goes on without it", f.names[s.nic])
		}
	}
}

// carry takes a packet of a device to its NIC.
func (f *fabric) carry(s *session, p *channel.Packet) {
	s.sent(p, f.now)
	if p.To[0]>>4 == 14 { // a multicast group
		to := map[int32]bool{}
		for _, m := range f.sessions {
			if m.groups[p.To] && !to[m.nic] {
				to[m.nic] = true
				f.towards(s, m.nic, p)
			}
		}
		return
	}
	if nic, _, ok := channel.NICOf(p.To); ok && int(nic) < len(f.names) {
		f.towards(s, nic, p)
	}
}

// towards takes a packet to a NIC. Within a NIC it needs no network.
func (f *fabric) towards(s *session, nic int32, p *channel.Packet) {
	if nic != s.nic {
		if !f.send(s.nic, nic, p) {
			s.counts.Lost++
		}
		return
	}
	own := *p
	own.Data, own.Mark = append([]byte(nil), p.Data...), false
	f.land(nic, &own)
}

// tally adds what a device has told of its counters to those of its NIC.
func (f *fabric) tally(s *session) {
	if s.nic >= 0 {
		more := s.told.Since(&s.counted)
		f.net.CountForeign(s.nic, &more)
		s.counted = s.told
	}
}

// land takes a packet that has arrived at a NIC to its device, or to the members of its group there.
func (f *fabric) land(nic int32, p *channel.Packet) {
	if p.To[0]>>4 != 14 {
		if s := f.byAddr[p.To]; s != nil {
			s.deliver(p, f.now)
		}
		return
	}
	for _, s := range f.sessions {
		if s.nic == nic && s.groups[p.To] {
			s.deliver(p, f.now)
		}
	}
}
