package infiniband

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/process"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// engineInput is the input of routing engines besides the fabric: the flags that weft sm
// route and weft sm run share.
type engineInput struct {
	roots, hosts, order, torus string // files
	lanes, nueLanes            int
	bySpeed                    bool
}

func (in *engineInput) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&in.roots, "roots", "", "NodeGUIDs of the switches at the top, one a line (opensm -a)")
	f.StringVar(&in.hosts, "compute-nodes", "", "port GUIDs of compute nodes, for ftree (opensm -u; default: all adapters)")
	f.StringVar(&in.order, "order", "", "port GUIDs that get routes first (opensm --guid_routing_order_file)")
	f.StringVar(&in.torus, "torus-config", "", "torus-2QoS.conf, for torus-2QoS: dimensions and the directions of some cables")
	f.IntVar(&in.lanes, "lanes", 8, "data lanes of the switches, 1 to 15")
	f.IntVar(&in.nueLanes, "nue-lanes", 1, "most lanes that nue uses, 1 to 15 (opensm --nue_max_num_vls)")
	f.BoolVar(&in.bySpeed, "by-speed", false, "count paths relative to the rates of cables; not with torus-2QoS, ftree, dragonfly")
	for _, name := range []string{"roots", "compute-nodes", "order", "torus-config"} {
		_ = cmd.MarkFlagFilename(name)
	}
}

// options reads the files.
func (in *engineInput) options(e *process.Env) (o route.Options, err error) {
	if in.lanes < 1 || in.lanes > 15 {
		return o, fmt.Errorf("--lanes %d: valid are 1 to 15", in.lanes)
	}
	if in.nueLanes < 1 || in.nueLanes > 15 {
		return o, fmt.Errorf("--nue-lanes %d: valid are 1 to 15", in.nueLanes)
	}
	o.Lanes, o.NueLanes, o.BySpeed = in.lanes, in.nueLanes, in.bySpeed
	for _, list := range []struct {
		path string
		into *[]units.GUID
	}{{in.roots, &o.Roots}, {in.hosts, &o.ComputeNodes}, {in.order, &o.Order}} {
		if list.path == "" {
			continue
		}
		if *list.into, err = readGUIDs(e, list.path); err != nil {
			return o, err
		}
	}
	if in.torus == "" {
		return o, nil
	}
	f, err := openFabric(e, in.torus)
	if err != nil {
		return o, err
	}
	defer f.Close()
	o.Torus, err = route.ReadTorusConf(in.torus, f)
	return o, err
}

// routeProven routes for a manager: with the engine, or, if it cannot route the fabric or its
// tables are refuted, with another; instead then names the other engine and the reason.
func routeProven(s *subnet.Subnet, name route.Name, o route.Options) (t *subnet.Tables, instead string, err error) {
	r, err := route.Installable(s, name, o)
	if err != nil {
		return nil, "", err
	}
	rep := &r.Report
	if name != route.Auto && rep.Used != name {
		instead = fmt.Sprintf("%s in place of %s: %s", rep.Used, name, rep.Reason)
	}
	if !rep.Proof.Proven() {
		instead = strings.TrimPrefix(fmt.Sprintf("%s; the tables are refuted all the same: %s", instead, strings.Join(rep.Proof.Refutations(), ", ")), "; ")
	}
	return r.Tables, instead, nil
}

// checkEngine refuses an unknown name of an engine.
func checkEngine(name string) error {
	for _, x := range route.Engines() {
		if string(x.Name) == name {
			return nil
		}
	}
	if name == string(route.Auto) {
		return nil
	}
	return fmt.Errorf("--engine %s: there is no such routing engine; valid are auto, %s", name, engineNames())
}
