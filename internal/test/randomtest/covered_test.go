package randomtest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"weft/internal/test/randomtest"
)

// leftOut are fields that no random scenario has, with the reasons. A name ends with a star if it
// stands for all that begin so.
var leftOut = map[string]string{
	"Scenario.training": training, "Training.*": training, "Model.*": training, "Parallel.*": training, "Batch.*": training,
	"Overlap.*": training, "Noise.*": training, "Failures.*": training, "Checkpoint.*": training,
	"Scenario.serving": serving, "Serving.*": serving, "Pool.*": serving, "ServingLoad.*": serving, "ServingLimits.*": serving, "ServingExperts.*": serving, "Speculation.*": serving, "KVTransfer.*": serving,
	"Scenario.isolation": audits, "Isolation.*": audits, "Zone.*": audits, "Apart.*": audits, "Device.*": audits, "Leak.*": audits,
	"PlaneCable.*": audits, "Segment.*": audits, "VRF.*": audits, "Published.*": audits,
	"Scenario.tune": others, "Tune.*": others, "Parameter.*": others, "Objective.*": others,
	"Scenario.sweep": others, "Sweep.*": others, "SweepAxis.*": others,

	"Workload.exchange*": exchanges, "Workload.experts": exchanges, "Experts.*": exchanges,

	"Scenario.fabrics": oneFabric, "Scenario.fabrics=*": oneFabric,
	"Node.gpu": gpus, "GPU.[^a]*": gpus, "GPU.attention": gpus, "GPU.architecture": gpus,
	"CPU.clock":   "only weft latency counts cycles",
	"Run.error":   "a random scenario moves less than what is estimated",
	"Fabric.kind": "the preset gives it; another kind needs other fields, too", "CC.algorithm": "the preset gives it",
	"Fault.sm=false":            "a fault says what fails",
	"InfiniBand.by-speed=false": "it is the default, which a resolved scenario leaves out",

	"Switch.sonic": files, "Switch.sonic-port": files, "InfiniBand.opensm-conf": files, "InfiniBand.partitions-conf": files, "InfiniBand.qos-policy": files,

	"Topology.file": files, "Routing.tables": files,
	"Topology.devices": realFabric, "Topology.others": realFabric, "TopologyDevice.*": realFabric, "TopologyLink.ports": realFabric,
	"Fabric.switches": single, "SwitchSettings.*": single,
	"Routing.lmc": realFabric, "Routing.lids*": realFabric, "Routing.levels": realFabric, "Routing.level-lanes": realFabric, "Routing.nic-lanes": realFabric,
	"Routing.asn": single, "Routing.multipath-relax*": single,
	"Routing.forwarding": realFabric, "Cluster.hosts": realFabric, "Cluster.adapters": realFabric,

	"Topology.plane-shape=dragonfly*": notPlanes, "Topology.plane-shape=dual-plane": notPlanes,
	"Topology.shape=leaf-spine": other, "Topology.shape=clos": other, "Topology.shape=rail": other, "Topology.shape=rail-optimized": other, //nolint:misspell // the spelling of others
	"Topology.plane-shape=leaf-spine": other, "Topology.plane-shape=clos": other, "Topology.plane-shape=rail": other, "Topology.plane-shape=rail-optimized": other, //nolint:misspell // the spelling of others
	"Topology.plane-shape=listed": notPlanes, "Topology.plane-shape=torus": notPlanes,
}

// Reasons to leave a field out.
const (
	training   = "it is of weft train, which runs graphs and not this workload"
	serving    = "it is of weft serve and weft bench kv, which run their own application"
	audits     = "it is of weft audit isolation, which runs nothing"
	others     = "it is of weft tune and weft sweep, which make other scenarios of this one"
	exchanges  = "an exchange is a graph, on one core; the tests of internal/sim/run/exchange have it on several"
	oneFabric  = "a scenario here has one fabric: each is a simulation of its own"
	gpus       = "it is the GPU's speed at computing, of which a collective or pattern has none"
	files      = "it names a file of another program, which becomes fields that are drawn"
	realFabric = "it is of a real fabric, which runs as the fabric that it is: internal/sim/realfabric_test.go"
	single     = "it is a field of the fabric, on one of its switches: internal/sim/realfabric_test.go"
	other      = "it is another name of a shape that is drawn"
	notPlanes  = "a plane is refused such a shape"
)

// mostDrawn bounds the scenarios in which a choice is looked for: the rarest are in one of 500.
const mostDrawn = 4 * scenarios

// Random scenarios give every field that a run reads. The resolved scenarios have every choice of such
// a field. The test draws scenarios until it has seen each choice, and at most mostDrawn.
func TestEveryChoiceOfTheFormatOccurs(t *testing.T) {
	s := readSchema(t)
	occurs := map[string]bool{}
	choices := slices.Sorted(maps.Keys(s.choices()))
	never := slices.DeleteFunc(slices.Clone(choices), func(choice string) bool {
		_, reason := excuse(choice)
		return reason != ""
	})
	for seed := uint64(0); seed < mostDrawn && len(never) > 0; seed++ {
		r := randomtest.New(seed)
		resolved, err := r.Resolved.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		s.mark(t, r.Text, occurs, true)
		s.mark(t, string(resolved), occurs, false)
		never = slices.DeleteFunc(never, func(choice string) bool { return occurs[choice] })
	}
	for _, choice := range never {
		t.Errorf("%s never occurs: draw it, or list it in leftOut with a reason", choice)
	}
	left := map[string]bool{}
	for _, choice := range choices {
		pattern, reason := excuse(choice)
		left[pattern] = true
		switch {
		case choice == "CC.algorithm": // is drawn as soon as a control has no preset
		case occurs[choice] && reason != "" && !strings.HasSuffix(pattern, "*"):
			t.Errorf("%s occurs: take it out of leftOut", choice)
		}
	}
	for pattern := range leftOut {
		if !left[pattern] {
			t.Errorf("leftOut has %s, which is no choice of the format", pattern)
		}
	}
}

// excuse is the entry of leftOut for a choice.
func excuse(choice string) (pattern, reason string) {
	for pattern, reason := range leftOut {
		if ok, _ := path.Match(pattern, choice); ok {
			return pattern, reason
		}
	}
	return "", ""
}

// schema is the published schema: its sections by name.
type schema map[string]*definition

// definition is a section, a list or a value.
type definition struct {
	Ref        string                 `json:"$ref"`
	AnyOf      []*definition          `json:"anyOf"`
	Items      *definition            `json:"items"`
	Properties map[string]*definition `json:"properties"`
	Type       string                 `json:"type"`
	Enum       []any                  `json:"enum"`
}

func readSchema(t *testing.T) schema {
	t.Helper()
	text, err := os.ReadFile("../../../schema/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Defs schema `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Defs
}

// choices are all fields, as Section.field, and the values of those that have a list of them, as
// Section.field=value.
func (s schema) choices() map[string]bool {
	all := map[string]bool{}
	for name, d := range s {
		for field, of := range s.fields(d) {
			all[name+"."+field] = true
			for _, value := range s.values(of) {
				all[name+"."+field+"="+value] = true
			}
		}
	}
	return all
}

// fields are the fields of a section; a section may also be given by the name of a preset.
func (s schema) fields(d *definition) map[string]*definition {
	if d.Properties != nil {
		return d.Properties
	}
	for _, one := range d.AnyOf {
		if fields := s.fields(one); fields != nil {
			return fields
		}
	}
	return nil
}

// values are the values of a field with a list of them.
func (s schema) values(d *definition) (all []string) {
	if d.Type == "boolean" {
		return []string{"true", "false"}
	}
	for _, v := range d.Enum {
		all = append(all, fmt.Sprint(v))
	}
	for _, one := range append(d.AnyOf, d.Items) {
		if one != nil {
			all = append(all, s.values(one)...)
		}
	}
	return all
}

// section is the name of the section that a field holds, by itself or in a list; "" if none.
func (s schema) section(d *definition) string {
	if d == nil {
		return ""
	}
	if d.Ref != "" {
		return strings.TrimPrefix(d.Ref, "#/$defs/")
	}
	for _, one := range append(d.AnyOf, d.Items) {
		if name := s.section(one); name != "" {
			return name
		}
	}
	return ""
}

// mark notes the choices of a scenario's text: its values, and its fields if a user gave them.
func (s schema) mark(t *testing.T, text string, occurs map[string]bool, given bool) {
	t.Helper()
	var file any
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	s.visit("Scenario", file, occurs, given)
}

func (s schema) visit(name string, value any, occurs map[string]bool, given bool) {
	fields := map[string]*definition{}
	if d := s[name]; d != nil {
		fields = s.fields(d)
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			s.visit(name, item, occurs, given)
		}
	case map[string]any:
		for field, inside := range v {
			if given {
				occurs[name+"."+field] = true
			}
			occurs[fmt.Sprintf("%s.%s=%v", name, field, inside)] = true
			s.visit(s.section(fields[field]), inside, occurs, given)
		}
	}
}
