package roceexport

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/roce"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// Plan has the settings of all devices of a fabric.
type Plan struct {
	Name          string // of the fabric
	Ports         int    // of a switch
	Lanes         int    // of a port
	Speed         units.Rate
	Cable         units.Length // the longest cable: the simulated headroom is sized for it
	DSCP, CNPDSCP int
	Data, CNP     int // priority, class and queue of each
	Ethernet      scenario.Ethernet
	CC            scenario.CC
	Transport     scenario.Transport
	Buffer        units.Bytes // of the switch
	Shared        units.Bytes // that ports share
	NVIDIA        bool        // an NVIDIA chip: its profile size includes the headroom

	resolved *scenario.Resolved
	fabric   *scenario.Fabric

	asic  *roce.ASIC // with a formula of headroom; nil: its vendor has none
	shape topology.Spec
}

// watchdog is the scenario's, or SONiC's default for the number of ports if the scenario has none:
// lossless priorities without a watchdog let one broken adapter stop the fabric. It is nil if nothing
// is paused.
func (p *Plan) watchdog() *scenario.Watchdog {
	if len(p.priorities()) == 0 {
		return nil
	}
	w := p.Ethernet.PFC.Watchdog
	if !w.Enabled {
		time := usualDetection * units.Time(max(1, (p.Ports-1)/usualPorts+1))
		w = scenario.Watchdog{Enabled: true, Detection: time, Restoration: time, Poll: min(time, mostPoll), Action: scenario.WatchdogDrop}
	}
	return &w
}

// SONiC's default of the watchdog is for 32 ports, and each further 32 have as much again
// (sonic-utilities, pfcwd, start_default).
const (
	usualDetection = 200 * units.Millisecond
	usualPorts     = 32
	mostPoll       = units.Second
)

// ownQueues refuses a pause that stops another queue than its own, for a device without a map from
// priorities to queues.
func (p *Plan) ownQueues(device string) error {
	if stops := p.Ethernet.PFC.Stops; len(stops) > 0 {
		return fmt.Errorf("ethernet.pfc.stops has a pause of priority %d stop queue %d, and %s has no map for that: take it out, or write for sonic", stops[0].Priority, stops[0].Queue, device)
	}
	return nil
}

// unwatched notes a watchdog that the simulation did not have.
func (p *Plan) unwatched(device string) []string {
	if p.Ethernet.PFC.Watchdog.Enabled || len(p.priorities()) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: the scenario has no PFC watchdog (ethernet.pfc.watchdog.enabled); one is written all the same, with SONiC's default of %v where the device takes a time", device, p.watchdog().Detection)}
}

// File is a file for a device.
type File struct{ Name, Text string }

// Output is the configuration of a device, with notes.
type Output struct {
	Files []File
	Notes []string
}

// Target is a kind of device.
type Target struct {
	Name, Is string
	Write    func(*Plan) (*Output, error)
	// Asked says that the target is written only where it is named.
	Asked bool
}

// Targets are the known kinds of devices.
func Targets() []Target {
	return []Target{
		{"sonic", "SONiC: config_db.json to load over the present configuration", (*Plan).sonicFiles, false},
		{"cumulus", "Cumulus Linux: NVUE commands", (*Plan).Cumulus, false},
		{"eos", "Arista EOS", (*Plan).eos, false},
		{"nxos", "Cisco NX-OS (Nexus 9000)", (*Plan).nxos, false},
		{"host", "hosts with ConnectX: a script, and NCCL's environment", (*Plan).Host, false},
		{"sonic-switches", "SONiC: config_db.json of each switch, with its ports and neighbours", (*Plan).switchFiles, true},
	}
}

// Names of the targets.
func Names() []string {
	var names []string
	for _, t := range Targets() {
		names = append(names, t.Name)
	}
	return names
}

// Usual are the names of the targets that are written unless others are named.
func Usual() []string {
	var names []string
	for _, t := range Targets() {
		if !t.Asked {
			names = append(names, t.Name)
		}
	}
	return names
}

// Of makes the plan of a fabric. It refuses fabrics other than RoCE v2, and classes that a device
// cannot express.
func Of(r *scenario.Resolved, f *scenario.Fabric) (*Plan, error) {
	if !protocol.Of(f.Kind).Settings {
		return nil, fmt.Errorf("%s is a fabric of kind %s: only RoCE v2 is exported", f.Name, f.Kind)
	}
	shape, err := network.Shape(&f.Topology, &r.Cluster)
	if err != nil {
		return nil, err
	}
	e := f.Ethernet
	p := &Plan{
		resolved: r, fabric: f, shape: shape, asic: f.ASIC(),
		Name: f.Name, Ports: f.Topology.Radix, Lanes: f.Link.Lanes, Speed: f.Link.Rate(), Cable: r.LongestCable(f),
		DSCP: e.DSCP, CNPDSCP: e.CNPDSCP, Data: e.DataPriority, CNP: e.CNPPriority,
		Ethernet: e, CC: f.CC, Transport: f.Transport, Buffer: f.Switch.Buffer, Shared: e.Shared,
		NVIDIA: strings.HasPrefix(f.Switch.Model, "sn"),
	}
	if p.DSCP == p.CNPDSCP && p.Data != p.CNP {
		return nil, fmt.Errorf("data and notifications have DSCP %d both, and priorities %d and %d: give notifications a DSCP of their own with ethernet.cnp-dscp", p.DSCP, p.Data, p.CNP)
	}
	if e.PFC.LinkPause {
		return nil, fmt.Errorf("%s pauses whole links (ethernet.pfc.link-pause): only PFC is exported", f.Name)
	}
	if e.AckPriority != e.DataPriority {
		return nil, fmt.Errorf("acknowledgements have priority %d and data %d: on a real host both have the DSCP of their queue pair", e.AckPriority, e.DataPriority)
	}
	if p.Shared == 0 {
		p.Shared = p.Buffer - p.own()*units.Bytes(p.Ports) - e.PFC.HeadroomPool
	}
	if p.Shared <= 0 {
		return nil, fmt.Errorf("%d ports with %v of headroom and %v of their own leave nothing of the buffer of %v to share", p.Ports, e.PFC.Headroom, e.PFC.Reserve, p.Buffer)
	}
	return p, nil
}

// own is the buffer reserved for a port, as in the simulator.
func (p *Plan) own() units.Bytes {
	classes := []int{p.Data, p.CNP}
	slices.Sort(classes)
	own := units.Bytes(0)
	for _, n := range slices.Compact(classes) {
		own += p.Ethernet.PFC.Reserve
		if slices.Contains(p.priorities(), n) && p.Ethernet.PFC.HeadroomPool == 0 {
			own += p.Ethernet.PFC.Headroom
		}
	}
	return own
}

func (p *Plan) headroom() int64 { return int64(p.Ethernet.PFC.Headroom) }

// lossless reports whether the data are protected by PFC.
func (p *Plan) lossless() bool {
	return p.Ethernet.PFC.Enabled && slices.Contains(p.Ethernet.PFC.Priorities, p.Data)
}

// priorities are the PFC priorities, none if PFC is off.
func (p *Plan) priorities() []int {
	if !p.Ethernet.PFC.Enabled {
		return nil
	}
	list := slices.Clone(p.Ethernet.PFC.Priorities)
	slices.Sort(list)
	return list
}

// percent is a ratio in whole percent; ok is false if it is not whole.
func percent(r scenario.Ratio) (n int64, ok bool) {
	den := max(1, r.Den)
	return r.Num * 100 / den, r.Num*100%den == 0
}

// tc is the IP traffic class for a DSCP: ECN-capable.
func tc(dscp int) int { return 4*dscp + 2 }

// metres rounds a length up.
func metres(l units.Length) int64 { return int64((l + units.Metre - 1) / units.Metre) }

// shares are the weights of queues in percent, with a sum of at most 100.
func (p *Plan) shares() map[int]int {
	total := 0
	for _, q := range p.Ethernet.Queues {
		total += q.Weight
	}
	shares := map[int]int{}
	for _, q := range p.Ethernet.Queues {
		if q.Schedule != scenario.Strict {
			shares[q.Priority] = max(1, q.Weight*100/total)
		}
	}
	return shares
}

// strict reports whether a queue comes before all others.
func (p *Plan) strict(priority int) bool {
	return slices.ContainsFunc(p.Ethernet.Queues, func(q scenario.Queue) bool {
		return q.Priority == priority && q.Schedule == scenario.Strict
	})
}
