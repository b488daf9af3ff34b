package setup

import (
	"bytes"
	"strings"
	"testing"

	"weft/scenario"
)

func answers(change func(*own)) *own {
	o := &own{nodes: 24, node: "dgx-h200", shape: rail, oversubscription: scenario.Ratio{Num: 2, Den: 1}, fabrics: []string{"infiniband", "roce"}, work: "all-reduce"}
	change(o)
	return o
}

// Each shape and each work make a scenario that resolves to what was answered.
func TestTheScenarioHasWhatWasAnswered(t *testing.T) {
	for _, shape := range []string{rail, leafSpine} {
		for _, work := range works {
			o := answers(func(o *own) { o.shape, o.work, o.nodes = shape, work, 8 })
			text, err := o.text("my.yaml")
			if err != nil {
				t.Errorf("%s, %s: %v", shape, work, err)
				continue
			}
			r, err := resolved(text)
			if err != nil {
				t.Fatal(err)
			}
			f := &r.Fabrics[0]
			if r.Cluster.Nodes != 8 || f.Topology.Oversubscription.Float() != 2 || f.Kind != scenario.InfiniBandKind || r.Fabrics[1].Kind != scenario.RoCEv2Kind {
				t.Errorf("%s, %s: %d nodes, %v oversubscribed, %s and %s", shape, work, r.Cluster.Nodes, f.Topology.Oversubscription, f.Kind, r.Fabrics[1].Kind)
			}
			if trains := strings.HasPrefix(work, "llama"); trains != (r.Training.Model.Layers > 0) {
				t.Errorf("%s: a training job is %v", work, !trains)
			}
		}
	}
}

// A leaf of a leaf-spine has whole nodes, as many as the ratio leaves of 64 ports: 5 of 8 NICs are 40 ports, and 20 are left.
func TestALeafHasWholeNodes(t *testing.T) {
	text, err := answers(func(o *own) { o.shape = leafSpine }).text("my.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolved(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Fabrics[0].Topology.HostsPerLeaf; got != 40 {
		t.Errorf("a leaf has %d NIC ports, want 40", got)
	}
}

// A fabric's family stands for the fabric at the rate of the node's NICs.
func TestAFamilyHasTheRateOfTheNode(t *testing.T) {
	for node, want := range map[string]string{"dgx-a100": "infiniband-hdr roce-v2-200g", "dgx-h100": "infiniband-ndr roce-v2-400g", "dgx-1-v100": "infiniband-edr roce-v2-100g"} {
		got, err := answers(func(o *own) { o.node = node }).presets()
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v (%v), want %s", node, got, err, want)
		}
	}
	if _, err := answers(func(o *own) { o.node, o.fabrics = "dgx-1-v100", []string{"spectrum-x"} }).presets(); err == nil {
		t.Error("a DGX-1 has Spectrum-X at 100 Gb/s, which the catalog does not have")
	}
}

// The interview asks again after a wrong answer, says what would be valid, and takes the default for an empty one.
func TestTheInterviewAsksAgain(t *testing.T) {
	var out bytes.Buffer
	o := answers(func(*own) {})
	in := strings.NewReader("many\n12\nh100\ndgx-h100\nbus\nsingle-switch\n\nall-gather\n")
	if err := (&interview{in: in, out: &out}).ask(o); err != nil {
		t.Fatal(err)
	}
	if o.nodes != 12 || o.shape != singleSwitch || o.work != "all-gather" || strings.Join(o.fabrics, ",") != "infiniband,roce" {
		t.Errorf("the answers are %+v", o)
	}
	said := out.String()
	for _, want := range []string{`"many" is not a whole number`, `"bus" is not known: want rail, leaf-spine`, "[infiniband,roce]"} {
		if !strings.Contains(said, want) {
			t.Errorf("the interview does not say %s:\n%s", want, said)
		}
	}
	if strings.Contains(said, "downlinks") {
		t.Error("a single switch has no uplinks to ask for")
	}
}

// Whole words of a name are enough if one node has them. h100 names several, and dgx-h20 none.
func TestAPartOfANameIsTakenIfOneNodeHasIt(t *testing.T) {
	o := answers(func(*own) {})
	if err := o.setNode("gb200"); err != nil || o.node != "gb200-nvl72" {
		t.Errorf("gb200 is %s (%v)", o.node, err)
	}
	for answer, near := range map[string]string{"h100": "dgx-h100", "dgx-h20": "dgx-h200", "b20": "b20"} {
		if err := o.setNode(answer); err == nil || !strings.Contains(err.Error(), near) || o.node != "gb200-nvl72" {
			t.Errorf("%s is %s: %v", answer, o.node, err)
		}
	}
}

// The names of shapes and fabrics that people use are understood.
func TestOtherNamesAreUnderstood(t *testing.T) {
	o := answers(func(o *own) { o.node, o.shape, o.fabrics = "h200", "clos", []string{"ib", "rocev2"} })
	if _, err := o.check(); err != nil || o.node != "dgx-h200" || o.shape != leafSpine || strings.Join(o.fabrics, " ") != "infiniband roce" {
		t.Errorf("%+v (%v)", o, err)
	}
}

// What does not fit is an error, and no scenario.
func TestAScenarioThatDoesNotFitIsRefused(t *testing.T) {
	for what, o := range map[string]*own{
		"ends at 64":          answers(func(o *own) { o.nodes, o.shape = 5000, singleSwitch }),
		"one for each plane":  answers(func(o *own) { o.shape = dualPlane }),
		"0 nodes":             answers(func(o *own) { o.nodes = 0 }),
		`node "x200"`:         answers(func(o *own) { o.node = "x200" }),
		`work "all-reducing"`: answers(func(o *own) { o.work = "all-reducing" }),
		`"token-ring"`:        answers(func(o *own) { o.fabrics = []string{"token-ring"} }),
	} {
		if _, err := o.text("my.yaml"); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Without a terminal, which shows what is typed, each question has its answer behind it on a line of its own.
func TestThroughAPipeEachQuestionHasItsLine(t *testing.T) {
	var out bytes.Buffer
	if err := (&interview{in: strings.NewReader("24\n\n\n"), out: &out, echo: true}).ask(answers(func(*own) {})); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); lines[0] != "How many nodes? [24] 24" || !strings.HasPrefix(lines[1], "Which nodes") {
		t.Errorf("the lines are %q", lines)
	}
}

// A ratio that no topology has is refused where it is asked for, and not after the last question.
func TestTheInterviewRefusesAnOversubscriptionOfZero(t *testing.T) {
	var out bytes.Buffer
	o := answers(func(o *own) { o.shape = leafSpine })
	in := strings.NewReader("12\n\n\n0:1\n2:1\n")
	if err := (&interview{in: in, out: &out}).ask(o); err != nil {
		t.Fatal(err)
	}
	if shown(o.oversubscription) != "2:1" || !strings.Contains(out.String(), "an oversubscription of 0: want 1:1, 2:1") {
		t.Errorf("the oversubscription is %s:\n%s", shown(o.oversubscription), out.String())
	}
}
