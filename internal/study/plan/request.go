package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// Request is the purpose of a network, with its constraints.
type Request struct {
	// Name is for headings.
	Name string `yaml:"name"`
	// GPUs is the present number of GPUs.
	GPUs int `yaml:"gpus" range:"1..1048576"`
	// Later is the number of GPUs that the network must be able to grow to; 0 is no growth.
	Later int `yaml:"gpus-later" range:"0..1048576"`
	// Node is the catalog's entry of the machine.
	Node string `yaml:"node"`
	// Rails is the number of cabled NICs of a node; 0 is all.
	Rails int `yaml:"rails" range:"0..1024"`
	// Rate is the minimum rate of a port; 0 is the rate of the node's NIC.
	Rate units.Rate `yaml:"rate" range:"0bps..100Tbps"`
	// Fabrics are the allowed protocols.
	Fabrics []scenario.FabricKind `yaml:"fabrics"`
	// Shapes are the allowed topologies.
	Shapes []scenario.Shape `yaml:"shapes"`
	// Vendors, Switches and NICs are the allowed makers and models. An empty list allows all; for
	// NICs, the node's own if it speaks the protocol.
	Vendors  []string `yaml:"vendors"`
	Switches []string `yaml:"switches"`
	NICs     []string `yaml:"nics"`
	// Oversubscription is the maximum ratio of leaf downlinks to uplinks; below 1 leaves have more uplinks.
	Oversubscription scenario.Ratio `yaml:"max-oversubscription"`
	// SpineOversubscription is the ratio of a spine's downlinks to its uplinks, in designs with cores.
	SpineOversubscription scenario.Ratio `yaml:"spine-oversubscription"`
	// Levels is the maximum number of switch levels.
	Levels int `yaml:"max-levels" range:"1..3"`
	// MaxSwitches is the maximum number of switches; without it any number.
	MaxSwitches int `yaml:"max-switches" range:"1..1000000"`
	// Power is the maximum power of the network: switches, NICs and transceivers; without it any.
	Power units.Power `yaml:"max-power" range:"1W..1000MW"`
	// Cost is the maximum cost, in the currency of the prices; without it any.
	Cost int `yaml:"max-cost" range:"1..1000000000000"`
	// Manager reserves the place of one node of an InfiniBand fabric for its manager (UFM), with
	// four ports of the last scalable unit.
	Manager bool `yaml:"manager"`
	// SparePorts is the number of NIC ports that stay free on the leaves: for storage, gateways.
	SparePorts int `yaml:"spare-ports" range:"0..1000000"`
	// Others are nodes of other kinds on the same fabric.
	Others []Other `yaml:"others"`
	// Cables are the lengths to plan with.
	Cables Cables `yaml:"cables"`
	// Job is the workload of the scenarios written for a design.
	Job Job `yaml:"job"`
}

// Cables are the lengths of cables by kind. In a dragonfly, cables within a group are as long as
// those from leaf to spine, and cables between groups as those from spine to core.
type Cables struct {
	NodeLeaf  units.Length `yaml:"node-leaf" range:"1mm..100km"`
	LeafSpine units.Length `yaml:"leaf-spine" range:"1mm..100km"`
	SpineCore units.Length `yaml:"spine-core" range:"1mm..100km"`
}

// Job is a collective with its sizes, and the training job if there is one.
type Job struct {
	Collective scenario.Collective `yaml:"collective"`
	Sizes      []units.Bytes       `yaml:"sizes" range:"1B..1TiB"`
	// Training is a training job, as in a scenario. Without a job it has no model.
	Training scenario.Training `yaml:"training"`
	// Serving is a serving job, as in a scenario. Without a job it has no model.
	Serving scenario.Serving `yaml:"serving"`
}

// mostOthers bounds the groups of other nodes.
const mostOthers = 100

// maxLevels is the maximum number of switch levels of the topologies.
const maxLevels = 3

// Default is an empty request: all defaults.
func Default() Request {
	return Request{
		Name: "unnamed", GPUs: 128, Node: "dgx-h100",
		Fabrics:          planned(),
		Shapes:           slices.Clone(shapes),
		Oversubscription: scenario.Ratio{Num: 1, Den: 1}, SpineOversubscription: scenario.Ratio{Num: 1, Den: 1},
		Levels: maxLevels,
		Cables: Cables{NodeLeaf: 5 * units.Metre, LeafSpine: 30 * units.Metre, SpineCore: 50 * units.Metre},
		Job:    Job{scenario.AllReduce, []units.Bytes{units.MiB, 64 * units.MiB}, scenario.DefaultTraining(), scenario.DefaultServing()},
	}
}

// Read reads a request from a file's text, which may be empty, and from overrides.
func Read(name string, text []byte, overrides ...scenario.Override) (*Request, error) {
	r := Default()
	doc, err := scenario.ReadDocument(name, text, &r, overrides...)
	if err != nil {
		return nil, err
	}
	return &r, doc.ErrorsAt(r.Problems())
}

// Problems are the problems of the request alone, each with its field.
func (r *Request) Problems() (out []scenario.Problem) {
	add := func(path, format string, args ...any) {
		out = append(out, scenario.Problem{Path: path, Err: fmt.Errorf(format, args...)})
	}
	lookup := func(path string, kind catalog.Kind, name string) {
		if _, err := catalog.Lookup(kind, name); err != nil {
			out = append(out, scenario.Problem{Path: path, Err: err})
		}
	}
	lookup("node", catalog.Node, r.Node)
	for i, name := range r.Switches {
		lookup(fmt.Sprintf("switches[%d]", i), catalog.Switch, name)
	}
	for i, name := range r.NICs {
		lookup(fmt.Sprintf("nics[%d]", i), catalog.NIC, name)
	}
	known := vendors()
	for i, name := range r.Vendors {
		if !slices.Contains(known, name) {
			hint := "want " + strings.Join(known, ", ")
			if near := catalog.Nearest(name, known); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			add(fmt.Sprintf("vendors[%d]", i), "%q makes no switch and no NIC of the catalog: %s", name, hint)
		}
	}
	for i, k := range r.Fabrics {
		if !protocol.Of(k).Planned {
			add(fmt.Sprintf("fabrics[%d]", i), "%s is not planned: want %s", k, strings.Join(texts(planned()), " or "))
		}
	}
	for i, s := range r.Shapes {
		if !slices.Contains(shapes, s) {
			add(fmt.Sprintf("shapes[%d]", i), "%s is not planned: want single-switch, rail-optimised, fat-tree, dual-plane or dragonfly", s)
		}
	}
	if len(r.Others) > mostOthers {
		add("others", "%d groups: want %d at most", len(r.Others), mostOthers)
		return out
	}
	for i := range r.Others {
		if _, p := r.Others[i].host(); p != nil {
			out = append(out, scenario.Problem{Path: fmt.Sprintf("others[%d].%s", i, p.Path), Err: p.Err})
		}
		if slices.ContainsFunc(r.Others[:i], func(o Other) bool { return o.Name == r.Others[i].Name }) {
			add(fmt.Sprintf("others[%d].name", i), "%q is there twice: want a name of its own for the bill", r.Others[i].Name)
		}
	}
	for path, x := range map[string]scenario.Ratio{"max-oversubscription": r.Oversubscription, "spine-oversubscription": r.SpineOversubscription} {
		if x.Num <= 0 || x.Den <= 0 {
			add(path, "%s: want downlinks to uplinks above 0, such as 2:1", x)
		}
	}
	if r.Later != 0 && r.Later < r.GPUs {
		add("gpus-later", "%d is less than the %d of now", r.Later, r.GPUs)
	}
	if len(out) > 0 {
		return out
	}
	return r.nodeProblems()
}

// nodeProblems are the problems with the node.
func (r *Request) nodeProblems() (out []scenario.Problem) {
	n, err := r.machine()
	if err != nil {
		return []scenario.Problem{{Path: "node", Err: err}}
	}
	for _, x := range []struct {
		path string
		gpus int
	}{{"gpus", r.GPUs}, {"gpus-later", r.Later}} {
		if x.gpus%n.gpus != 0 {
			take := strconv.Itoa((x.gpus/n.gpus + 1) * n.gpus)
			if x.gpus > n.gpus {
				take = strconv.Itoa(x.gpus/n.gpus*n.gpus) + " or " + take
			}
			out = append(out, scenario.Problem{Path: x.path, Err: fmt.Errorf("%d GPUs are not a whole number of nodes of %d: take %s", x.gpus, n.gpus, take)})
		}
	}
	if r.Rails > n.nics {
		out = append(out, scenario.Problem{Path: "rails", Err: fmt.Errorf("%d: a node has %d NICs", r.Rails, n.nics)})
	}
	if r.Rate > n.rate && len(r.NICs) == 0 {
		out = append(out, scenario.Problem{Path: "rate", Err: fmt.Errorf("%s: the NIC %s of the node has %s; name others in nics", r.Rate, n.nic, n.rate)})
	}
	if len(r.Job.Sizes) == 0 || r.Job.Collective == "" {
		out = append(out, scenario.Problem{Path: "job", Err: errors.New("want a collective and sizes")})
	}
	if len(out) > 0 {
		return out
	}
	t, s := &r.Job.Training, &r.Job.Serving
	switch {
	case t.Given() && s.Given():
		return []scenario.Problem{{Path: "job", Err: errors.New("a training job and a serving job: want one of the two")}}
	case t.Given():
		return r.jobProblems(n, "training", t.Text())
	case s.Given():
		return r.jobProblems(n, "serving", s.Text())
	}
	return nil
}

// jobProblems are the scenario's problems with a job on these GPUs.
func (r *Request) jobProblems(m machine, section, text string) (out []scenario.Problem) {
	file, err := scenario.New(section, &scenario.Scenario{
		Cluster: scenario.Cluster{Nodes: r.GPUs / m.gpus, Node: scenario.Node{Preset: m.preset}}, Run: unbounded,
	})
	if err == nil {
		_, err = file.Resolve(scenario.Override{Path: section, Value: text, Origin: "job"})
	}
	var all scenario.Errors
	if err != nil && !errors.As(err, &all) {
		return []scenario.Problem{{Path: "job." + section, Err: err}}
	}
	for _, e := range all {
		out = append(out, scenario.Problem{Path: "job." + e.Path, Err: errors.New(e.Msg)})
	}
	return out
}
