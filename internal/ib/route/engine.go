package route

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Name is the name of a routing engine. For an engine of OpenSM it is the value of -R.
type Name string

// Options is the options of a routing engine. The zero value is valid.
type Options struct {
	// Roots is the node GUIDs of the switches at the top of the tree (opensm -a). If it is empty,
	// engines that need roots find them.
	Roots []units.GUID
	// ComputeNodes is the port GUIDs of adapters that ftree balances (opensm -u); empty: all
	// adapters.
	ComputeNodes []units.GUID
	// Order is the port GUIDs that get their routes before all others (opensm
	// --guid_routing_order_file).
	Order []units.GUID
	// Lanes is the number of data lanes of the switches, 1 to 15; 0 is 8.
	Lanes int
	// NueLanes is the most lanes that nue uses; 0: 1, as nue_max_num_vls of OpenSM.
	NueLanes int
	// BySpeed counts paths relative to the rate of the cable, so that a slow cable gets fewer.
	BySpeed bool
	// Torus is the contents of torus-2QoS.conf; only torus-2QoS needs it.
	Torus *TorusConf
	// Groups is the groups of a dragonfly, by NodeGUID of the switch. The cables decide the group
	// of any other switch; for groups of one or two switches that is ambiguous.
	Groups map[units.GUID]int32
	// AsOpenSM asks for the tables of OpenSM 3.3.23, its fallbacks included.
	AsOpenSM bool
	// Cores is the maximum number of goroutines, 0 for as many as the process may use. The result
	// does not depend on it.
	Cores int
}

// Result is the tables of a subnet, with a report.
type Result struct {
	*subnet.Tables
	Report Report

	job *job // the source of Hops
}

// engine is one entry of the table of engines.
type engine struct {
	name Name
	what string // description in one line, for help
	run  func(*job) error
}

// engines is all engines, in the order of help.
var engines = []engine{
	{"minhop", "shortest paths, balanced port by port; on one lane they can deadlock if the fabric has loops", minhop},
	{"updn", "shortest paths that go up and then down, never up again; free of deadlock; needs roots", updn},
	{"dnup", "as updn, ranked by the distance from hosts; for hosts close to the roots", dnup},
	{"ftree", "fat trees, balanced for shifts of all hosts; free of deadlock", ftree},
	{"dor", "dimension by dimension; free of deadlock on meshes and hypercubes", dor},
	{"sssp", "shortest paths, balanced over the whole fabric; on one lane they can deadlock if the fabric has loops", sssp},
	{"dfsssp", "sssp made free of deadlock by virtual lanes", dfsssp},
	{"lash", "shortest paths, each pair of switches on a virtual lane where it closes no loop", lash},
	{"nue", "shortest paths as far as they close no loop, on the lanes there are, even one, on any fabric; weft's own, not OpenSM's entry for entry; always proven free of deadlock", nue},
	{"torus-2QoS", "dimension order on a torus or mesh, free of deadlock by virtual lanes, around faults; needs torus-2QoS.conf", torus2QoS},
	{"dragonfly", "at most one cable between groups on a path; with an LMC, paths to further LIDs go through a third group (Valiant)", dragonfly},
}

// Engine is the name of an engine and its description in a line.
type Engine struct {
	Name Name
	What string
}

// Engines lists the engines, in the order of help.
func Engines() []Engine {
	all := make([]Engine, len(engines))
	for i, e := range engines {
		all[i] = Engine{e.name, e.what}
	}
	return all
}

// job is one run of an engine: its input and its results.
type job struct {
	*fabric
	opt   Options
	cores int

	hops   hopColumns // for opensm-lid-matrix.dump; nil: shortest paths
	toEnds bool       // hops has rows for LIDs of ends, too
	notes  []string   // for Report.Notes

	unpredictable string // for Report.Unpredictable

	shortest *shortest // nil before the first use
}

// Compute runs an engine on a subnet whose ports have LIDs.
//
// It fails with a *Refusal if the engine cannot route this fabric, unless o.AsOpenSM asks
// for the minhop tables that OpenSM then uses. Other errors are an unknown engine, options with
// nodes outside the subnet, and LIDs that are missing or clash.
func Compute(s *subnet.Subnet, name Name, o Options) (*Result, error) {
	switch {
	case name == Auto && o.AsOpenSM:
		name = "minhop" // OpenSM's default engine
	case name == Auto:
		return choose(s, o)
	}
	e := find(name)
	if e == nil {
		return nil, fmt.Errorf("there is no routing engine %q; engines are %s", name, namesOfEngines())
	}
	fab, err := newFabric(s)
	if err != nil {
		return nil, err
	}
	rep := Report{Choice: Choice{Asked: name, Used: name}}
	j, err := fab.route(e, o)
	var refusal *Refusal
	if errors.As(err, &refusal) && o.AsOpenSM && name != "minhop" {
		rep.Used, rep.Reason, rep.Remedy, rep.Unpredictable = "minhop", refusal.Reason, refusal.Remedy, refusal.unpredictable
		j, err = fab.route(find("minhop"), o)
	}
	if err != nil {
		return nil, err
	}
	if o.AsOpenSM && rep.Unpredictable == "" {
		rep.Unpredictable = j.unpredictable
	}
	if !o.AsOpenSM {
		j.connectSwitches()
	}
	j.noteSpeeds(rep.Used)
	rep.Notes = j.notes
	rep.Lanes = j.tab.Lanes
	j.unreachable(&rep)
	if rep.UnreachablePairs > 0 && rep.Remedy == "" {
		rep.Remedy = "Name other roots, such that every two hosts are below a common one; or use an engine that needs none, as dfsssp"
	}
	return &Result{Tables: j.tab, Report: rep, job: j}, nil
}

// route runs one engine on fresh tables.
func (f *fabric) route(e *engine, o Options) (*job, error) {
	f.tab = subnet.NewTables(f.sub)
	cores := o.Cores
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	f.weighCables(o.BySpeed && !o.AsOpenSM)
	j := &job{fabric: f, opt: o, cores: cores}
	if err := e.run(j); err != nil {
		return nil, err
	}
	return j, nil
}

func find(name Name) *engine {
	for i := range engines {
		if engines[i].name == name {
			return &engines[i]
		}
	}
	return nil
}

func namesOfEngines() string {
	names := make([]string, len(engines))
	for i := range engines {
		names[i] = string(engines[i].name)
	}
	return strings.Join(names, ", ")
}
