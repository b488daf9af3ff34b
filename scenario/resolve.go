package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/units"
)

// Scenario is all that a scenario can say. Every field has a default: a field that is
// zero in Go, as a field that a file does not mention, has it.
type Scenario struct {
	// Name is the scenario's name, for headings.
	Name string `yaml:"name"`
	// Cluster is the machines.
	Cluster Cluster `yaml:"cluster"`
	// Topology is the cabling of every fabric that has none of its own.
	Topology Topology `yaml:"topology"`
	// Fabric is the only candidate, instead of fabrics.
	Fabric Fabric `yaml:"fabric"`
	// Fabrics are the candidates that are laid side by side.
	Fabrics []Fabric `yaml:"fabrics"`
	// Workload is the collective or the traffic pattern that runs on each of them.
	Workload Workload `yaml:"workload"`
	// Training is the job of weft train.
	Training Training `yaml:"training"`
	// Serving is the job of weft serve.
	Serving Serving `yaml:"serving"`
	// Faults are failures during the run.
	Faults []Fault `yaml:"faults"`
	// Control is how long control planes take.
	Control Control `yaml:"control"`
	// NCCL is factors on the times of NCCL's cost model.
	NCCL NCCL `yaml:"nccl"`
	// Run is how it is run.
	Run Run `yaml:"run"`
	// Isolation is the zones to keep apart, for weft audit isolation.
	Isolation Isolation `yaml:"isolation"`
	// Tune is a search for better parameters, for weft tune.
	Tune Tune `yaml:"tune"`
	// Sweep is the scenario's variants, for weft sweep.
	Sweep Sweep `yaml:"sweep"`
}

// resolver reads a file over the defaults and the catalog. Rules then derive values that are not
// stated, and check what was read.
type resolver struct {
	*rules
	doc Scenario
}

// resolve always returns a Resolved; with errors it must not be used.
func (f *File) resolve() (*Resolved, Errors) {
	r := &resolver{rules: newRules(f)}
	r.defaults("scenario", reflect.ValueOf(&r.doc).Elem(), "")
	if training := f.root.child("training"); training != nil {
		r.defaults("training", reflect.ValueOf(&r.doc.Training).Elem(), "training")
		r.stack(training)
	}
	if f.root.child("serving") != nil {
		r.defaults("serving", reflect.ValueOf(&r.doc.Serving).Elem(), "serving")
	}
	r.document(f.root)
	if f.root.kind == mapping {
		r.realCluster(f.root)
	}
	r.Name, r.Cluster, r.Workload, r.Run = r.doc.Name, r.doc.Cluster, r.doc.Workload, r.doc.Run
	r.Faults, r.Control, r.NCCL = r.doc.Faults, r.doc.Control, r.doc.NCCL
	r.Isolation, r.Tune, r.Sweep, r.Training, r.Serving = r.doc.Isolation, r.doc.Tune, r.doc.Sweep, r.doc.Training, r.doc.Serving
	r.fabrics(f.root)
	r.misread = len(r.errs)
	if !r.broken("cluster", "topology") {
		r.deriveTopologies()
	}
	clusterRules{r.rules}.deriveScaleUp()
	workloadRules{r.rules}.derive()
	zoneRules{r.rules}.derive()
	workloadRules{r.rules}.deriveTraining()
	workloadRules{r.rules}.deriveServing()
	tuneRules{r.rules}.derive()
	sweepRules{r.rules}.derive()
	r.check()
	r.errs = consequences(r.errs, r.misread)
	normalise(reflect.ValueOf(r.Resolved).Elem())
	f.set, f.notes = r.set, r.real.notes
	return r.Resolved, r.errs
}

// defaults applies a catalog entry under a section of the file.
func (r *resolver) defaults(entry string, section reflect.Value, path string) {
	e, err := catalog.Lookup(catalog.Defaults, entry)
	if err != nil {
		panic(err)
	}
	r.facts(path, e, section)
}

// document decodes everything except the fabrics, which depend on the rest.
func (r *resolver) document(root *node) {
	if root.kind != mapping {
		r.fail(root.place, "", "%s is given: a scenario is a mapping of fields, such as name: and cluster:", root.kind)
		return
	}
	rest := *root
	rest.pairs = slices.DeleteFunc(slices.Clone(root.pairs), func(kv pair) bool {
		return kv.key.text == "fabric" || kv.key.text == "fabrics"
	})
	r.structure("", &rest, reflect.ValueOf(&r.doc).Elem())
}

// fabrics decodes each fabric over its preset, the node's NIC and the common topology.
func (r *resolver) fabrics(root *node) {
	var one, many *node
	for _, kv := range root.pairs {
		switch kv.key.text {
		case "fabric":
			one = kv.val
		case "fabrics":
			many = kv.val
		}
	}
	switch {
	case one != nil && many != nil:
		r.fail(one.place, "fabric", "give fabric or fabrics, not both")
		return
	case one == nil && many == nil:
		many = r.usualFabrics()
		if many == nil {
			return
		}
	case one != nil:
		many = &node{place: one.place, kind: sequence, items: []*node{one}}
	case many.kind == scalar:
		many = &node{place: many.place, kind: sequence, items: []*node{many}}
	}
	if many.kind != sequence || len(many.items) == 0 {
		r.fail(many.place, "fabrics", "want a list of fabrics such as [%s]", "infiniband-ndr, roce-v2-400g")
		return
	}
	r.mark("fabrics", many)
	if len(many.items) > maxSizes {
		r.fail(many.place, "fabrics", "%d fabrics are given: at most %d are compared", len(many.items), maxSizes)
		return
	}
	for i, n := range many.items {
		r.fabric(fmt.Sprintf("fabrics[%d]", i), n)
	}
}

// fabric decodes one fabric. The link comes first: other values grow with its rate.
func (r *resolver) fabric(path string, n *node) {
	var f Fabric
	before := len(r.errs)
	defer func() { r.Fabrics = append(r.Fabrics, f) }() // also after an error: paths count the fabrics
	p := presets[reflect.TypeFor[Fabric]()]
	r.mark(path, n)
	preset := n.presetName(p.key)
	if preset == nil || preset.kind != scalar {
		r.fail(n.place, path, "a fabric starts from a preset: write its name, such as infiniband-ndr or roce-v2-400g, or preset: with the fields to change (weft catalog fabric lists all %d)", len(catalog.Names(catalog.Fabric)))
		return
	}
	r.rate = r.linkRate(path, n, preset)
	r.preset(path, preset, p, reflect.ValueOf(&f).Elem())
	kind := f.Kind
	f.Topology = r.commonTopology(n)
	if _, stated := r.set[path+".nic"]; !stated {
		f.NIC = r.Cluster.Node.NIC
	}
	if n.kind == mapping {
		rest := *n
		rest.base = nil
		rest.pairs = slices.DeleteFunc(slices.Clone(n.pairs), func(kv pair) bool { return kv.key.text == p.key || kv.key.text == "nic" })
		if nic := n.child("nic"); nic != nil {
			r.value(path+".nic", nic, reflect.ValueOf(&f.NIC).Elem(), "")
		}
		r.controlOfNIC(path, &f)
		r.overrides(path, &rest, reflect.ValueOf(&f).Elem())
	} else {
		r.controlOfNIC(path, &f)
	}
	if len(r.errs) == before && protocol.Of(kind).OnTCP() != protocol.Of(f.Kind).OnTCP() {
		r.fail(n.child("kind").place, path+".kind", "the preset %s is of kind %s and has no values for the transport of %s: take a preset of kind %s", preset.text, kind, f.Kind, f.Kind)
	}
	read := len(r.errs)
	r.fabricAt(path, &f).derive()
	if read > before { // derived values of a fabric that could not be read
		r.errs = r.errs[:read]
	}
}

// controlOfNIC gives a RoCE v2 fabric whose preset names no congestion control that of its NIC.
func (r *resolver) controlOfNIC(path string, f *Fabric) {
	if r.stated(path+".cc") || !protocol.Of(f.Kind).CNPs {
		return
	}
	nic, err := catalog.Lookup(catalog.NIC, f.NIC.Model)
	if err != nil {
		return // the NIC could not be read
	}
	if own, ok := nic.Get("about.cc"); ok {
		r.preset(path+".cc", factNode(string(nic.Kind)+" "+nic.Name, own.Value), presets[ccType], reflect.ValueOf(&f.CC).Elem())
	}
}

// presetName is the name of a fabric's preset: its field, the name that a flag was applied to, or
// the fabric itself if it is a bare name; nil if there is none.
func (n *node) presetName(field string) *node {
	own := n.child(field)
	switch {
	case own != nil:
		return own
	case n.base != nil:
		return n.base
	case n.kind == scalar:
		return n
	}
	return nil
}

// linkRate finds the rate of a fabric's link in advance. Its errors are found again when the fabric
// is decoded.
func (r *resolver) linkRate(path string, n, preset *node) units.Rate {
	var f Fabric
	scout := newDecoder(r.file)
	scout.preset(path, preset, presets[reflect.TypeFor[Fabric]()], reflect.ValueOf(&f).Elem())
	if link := n.child("link"); link != nil {
		scout.value(path+".link", link, reflect.ValueOf(&f.Link).Elem(), "")
	}
	return f.Link.Rate()
}

// commonTopology is the start of a fabric's topology: the scenario's; for another shape, only the
// fields that are common to all shapes.
func (r *resolver) commonTopology(fabric *node) Topology {
	t := r.doc.Topology
	own := fabric.child("topology")
	if own == nil {
		return t
	}
	if shape := own.child("shape"); shape != nil && shape.text != string(t.Shape) {
		return Topology{Radix: t.Radix, Oversubscription: t.Oversubscription, Cables: t.Cables}
	}
	return t
}

// overrides applies a mapping to a struct whose preset is already in place.
func (d *decoder) overrides(path string, n *node, v reflect.Value) {
	for _, kv := range n.pairs {
		d.field(path, kv, v)
	}
}

func (n *node) child(key string) *node {
	for _, kv := range n.pairs {
		if kv.key.text == key {
			return kv.val
		}
	}
	return nil
}

// normalise gives every ratio in use a denominator: 0 is 0/1.
func normalise(v reflect.Value) {
	switch {
	case v.Type() == ratioType:
		if v.IsZero() {
			v.Set(reflect.ValueOf(Ratio{Num: 0, Den: 1}))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			normalise(v.Index(i))
		}
	case v.Kind() == reflect.Struct && !v.IsZero():
		for i := range v.NumField() {
			optional := strings.HasSuffix(v.Type().Field(i).Tag.Get("yaml"), ",omitzero")
			if !optional || !v.Field(i).IsZero() {
				normalise(v.Field(i))
			}
		}
	}
}

// check finds inconsistencies. It skips a check if a value for it was itself wrong: one mistake,
// one error.
func (r *resolver) check() {
	if !r.broken("cluster") && !(clusterRules{r.rules}).check() {
		return // sums over the cluster would be wrong
	}
	for i := range r.Fabrics {
		if f := r.ofFabric(i); !r.broken(f.path) {
			f.check(i)
		}
	}
	if !r.broken("cluster", "workload") {
		workloadRules{r.rules}.check()
	}
	if !r.broken("faults") {
		faultRules{r.rules}.check()
		clusterRules{r.rules}.checkNCCL()
	}
	if !r.broken("cluster", "isolation") {
		zoneRules{r.rules}.check()
	}
	if !r.broken("fabrics", "tune") {
		tuneRules{r.rules}.check()
	}
	if !r.broken("fabrics", "sweep") {
		sweepRules{r.rules}.check()
	}
	if !r.broken("cluster", "workload", "run", "fabrics") {
		workloadRules{r.rules}.checkMemory()
	}
}
