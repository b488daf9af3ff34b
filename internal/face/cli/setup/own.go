package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/scenario"
)

// An own is the answers about a user's cluster.
type own struct {
	nodes            int
	node             string         // of the catalog
	shape            string         // of shapeNames
	oversubscription scenario.Ratio // downlinks of a leaf to its uplinks
	fabrics          []string       // families, or names of the catalog
	work             string         // a collective, or a model that is trained
}

// families are the kinds of fabric that are asked for. The catalog has one of each at the rates of usual NICs.
var families = []string{"infiniband", "roce", "spectrum-x", "ultra-ethernet", "tcp"}

// works are the collectives and the models that are asked for.
var works = []string{"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "llama3-8b", "llama3-70b"}

// The shapes that are asked for.
const (
	rail         = "rail"
	leafSpine    = "leaf-spine"
	singleSwitch = "single-switch"
	dualPlane    = "dual-plane"
)

var shapeNames = []string{rail, leafSpine, singleSwitch, dualPlane}

// otherNames are further names of shapes and of families of fabrics.
var otherNames = map[string]string{
	"fat-tree": leafSpine, "clos": leafSpine, "rail-optimised": rail, "switch": singleSwitch,
	"rail-optimized": rail, //nolint:misspell // the spelling of others
	"ib":             "infiniband", "roce-v2": "roce", "rocev2": "roce", "spectrumx": "spectrum-x", "uec": "ultra-ethernet", "ethernet": "roce",
}

// settle replaces other names, and words that the name of one node of the catalog alone has, by the names: h200 is dgx-h200,
// and dgx-h20 is none.
func (o *own) settle() {
	if name, ok := otherNames[o.shape]; ok {
		o.shape = name
	}
	fabrics := slices.Clone(o.fabrics)
	for i, f := range fabrics {
		if name, ok := otherNames[f]; ok {
			fabrics[i] = name
		}
	}
	o.fabrics = fabrics
	_, err := catalog.Lookup(catalog.Node, o.node)
	var unknown *catalog.UnknownError
	if errors.As(err, &unknown) && len(unknown.Near) == 1 && strings.Contains("-"+unknown.Near[0]+"-", "-"+o.node+"-") {
		o.node = unknown.Near[0]
	}
}

// tapered reports whether the shape has uplinks that can be fewer than downlinks.
func (o *own) tapered() bool { return o.shape == rail || o.shape == leafSpine }

// check settles the names. It gives the fabrics of the catalog, or says which answer cannot be.
func (o *own) check() (presets []string, err error) {
	o.settle()
	if _, err := catalog.Lookup(catalog.Node, o.node); err != nil {
		return nil, err
	}
	if o.nodes < 1 || o.nodes > 1<<20 {
		return nil, fmt.Errorf("%d nodes: want 1 to %d", o.nodes, 1<<20)
	}
	if err := among("shape", o.shape, shapeNames); err != nil {
		return nil, err
	}
	if r := o.oversubscription; o.tapered() && r.Den != 0 && r.Num == 0 {
		return nil, errors.New("an oversubscription of 0: want 1:1, 2:1, 3:1 and so on")
	}
	if err := among("work", o.work, works); err != nil {
		return nil, err
	}
	return o.presets()
}

func among(what, name string, valid []string) error {
	if slices.Contains(valid, name) {
		return nil
	}
	return fmt.Errorf("%s %q is not known: want %s", what, name, strings.Join(valid, ", "))
}

// presets are the catalog's fabrics for the answers: of a family the one at the rate of the node's NIC.
func (o *own) presets() ([]string, error) {
	usual, err := resolved("cluster: {node: " + o.node + "}\n")
	if err != nil {
		return nil, err
	}
	var presets []string
	for _, answer := range o.fabrics {
		preset := answer
		if slices.Contains(families, answer) {
			preset = ofFamily(answer, usual.Fabrics)
		}
		switch _, err := catalog.Lookup(catalog.Fabric, preset); {
		case preset == "":
			return nil, fmt.Errorf("the catalog has no %s fabric at the rate of %s: weft catalog fabric lists all", answer, o.node)
		case err != nil && preset != answer:
			return nil, fmt.Errorf("the catalog has no %s: weft catalog fabric lists all", preset)
		case err != nil:
			return nil, fmt.Errorf("%w; or one of %s", err, strings.Join(families, ", "))
		}
		presets = append(presets, preset)
	}
	return presets, nil
}

// ofFamily is the fabric of a family among the usual ones of a node. Spectrum-X and Ultra Ethernet have the rate of RoCE v2.
func ofFamily(family string, usual []scenario.Fabric) string {
	begin := family
	if family == "spectrum-x" || family == "ultra-ethernet" {
		begin = "roce"
	}
	for i := range usual {
		if name := usual[i].Preset; strings.HasPrefix(name, begin) {
			if begin != family {
				name = family + name[strings.LastIndex(name, "-"):]
			}
			return name
		}
	}
	return ""
}

// resolved is a scenario with all of its values.
func resolved(text string) (*scenario.Resolved, error) {
	file, err := scenario.Decode("the scenario", []byte(text))
	if err != nil {
		return nil, err
	}
	return file.Resolve()
}
