package emulate

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/run/control"
	"weft/scenario"
	"weft/units"
)

// command carries out a line of the console.
func (f *fabric) command(line string) {
	verb, name, _ := strings.Cut(strings.TrimSpace(line), " ")
	name = strings.TrimSpace(name)
	switch {
	case verb == "":
	case verb == "status" && name == "":
		f.status()
	case verb == "statistic":
		f.statistic(name)
	case (verb == "down" || verb == "up") && name != "":
		if err := f.change(name, verb == "down"); err != nil {
			f.tell("%v", err)
			return
		}
		f.tell("%s is %s from %v on", name, verb, f.now)
	default:
		f.tell("%q: want down NAME, up NAME, status or statistic; NAME is a switch, a node, a NIC, or a cable by an end, such as leaf0 port 5", line)
	}
}

// status tells the clock and the devices.
func (f *fabric) status() {
	s := f.net.Stats()
	f.tell("clock %v after %v; %d packets, %d pauses, %d marks, %d credit stalls", f.now, f.clock.elapsed(), s.Injected, s.Pauses, s.Marked, s.Stalls)
	for i := range f.faults {
		if x := &f.faults[i]; f.broken(x) {
			f.tell("%s is down since %v", x.What(), x.At)
		}
	}
	for _, s := range f.sessions {
		if s.nic >= 0 {
			d := s.device(f.names[s.nic])
			f.tell("%s at %s: sent %v in %d packets, received %v in %d; %d marked, %d sent again", d.Addr, d.NIC,
				units.Bytes(d.BytesSent), d.PacketsSent, units.Bytes(d.BytesReceived), d.PacketsReceived, d.Marked, d.Repeated)
		}
	}
}

// statistic tells the counters of a NIC, or of all NICs on which programs were.
func (f *fabric) statistic(name string) {
	found := false
	for nic := range f.names {
		c := f.net.Counted(int32(nic))
		if name == f.names[nic] || name == "" && c.Sent+c.Received > 0 {
			found = true
			f.statistics(f.names[nic], &c)
		}
	}
	switch {
	case found:
	case name == "":
		f.tell("no NIC has sent or received a packet")
	default:
		f.tell("there is no NIC %q: want one such as %s", name, f.names[0])
	}
}

// change takes a part of the fabric down or up now. The control plane reacts as to a scenario's faults.
func (f *fabric) change(name string, down bool) error {
	faults := slices.Clone(f.faults)
	for _, part := range f.parts(name) {
		var err error
		if faults, err = f.fault(faults, part, down); err != nil {
			return err
		}
	}
	r := *f.scenario
	r.Faults = faults
	plan, err := control.NewPlan(&r, &r.Fabrics[0])
	if err != nil {
		return err
	}
	if plan.Lanes != nil && plan.Lanes.Count > f.net.Plan.Lanes.Count {
		return fmt.Errorf("%s: the Subnet Manager would need %d lanes, and the fabric was begun with %d", name, plan.Lanes.Count, f.net.Plan.Lanes.Count)
	}
	if err := f.net.Amend(plan.Broken()); err != nil {
		return err
	}
	f.faults, f.net.Plan.Faults = faults, plan.Faults
	return nil
}

// parts are the faults that a name of the console stands for: a node is all cables of its NICs.
func (f *fabric) parts(name string) (all []scenario.Fault) {
	if strings.Contains(name, " port ") {
		return []scenario.Fault{{Link: name}}
	}
	for i, nic := range f.names {
		if nic == name || strings.HasPrefix(nic, name+"/") {
			for port := range f.net.Plan.Graph.Nodes[i].Cables {
				all = append(all, scenario.Fault{Link: fmt.Sprintf("%s port %d", nic, port+1)})
			}
		}
	}
	if all == nil {
		all = []scenario.Fault{{Switch: name}}
	}
	return all
}

// fault begins or ends the fault of a part now. A part that is down fails no further, and stays down, or up,
// for the shortest outage of the fabric.
func (f *fabric) fault(all []scenario.Fault, part scenario.Fault, down bool) ([]scenario.Fault, error) {
	least := f.scenario.ShortestOutage(&f.scenario.Fabrics[0]) + 1
	part.At = f.now + 1
	for i := range all {
		x := &all[i]
		switch {
		case x.Link != part.Link || x.Switch != part.Switch || x.SM:
		case down && f.broken(x):
			return nil, fmt.Errorf("%s is down already", x.What())
		case down && x.Until > 0 && x.Until <= f.now:
			part.At = max(part.At, x.Until+least)
		case !down && f.broken(x):
			x.Until = max(f.now+1, x.At+least)
			return all, nil
		}
	}
	if !down {
		return nil, fmt.Errorf("%s is not down", part.What())
	}
	return append(all, part), nil
}

// broken reports whether a fault has begun and not ended.
func (f *fabric) broken(x *scenario.Fault) bool { return x.At <= f.now+1 && f.now < x.Ends() }
