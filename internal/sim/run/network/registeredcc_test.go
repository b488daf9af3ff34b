package network_test

import (
	"strings"
	"testing"

	"weft/internal/sim/transport/cc"
	"weft/internal/test/runtest"
	"weft/scenario"
	"weft/units"
)

// halving halves its rate at a notification and adds a step at intervals. It is a whole
// congestion control in one file, as CONTRIBUTING.md explains.
type halving struct {
	link  cc.Link
	step  units.Rate
	every units.Time
	rate  units.Rate
}

var _ = cc.Register(cc.Control{
	Name: "halving",
	Parameters: []cc.Parameter{
		{Name: "step", Default: 100 * units.Mbps},
		{Name: "every", Default: 55 * units.Microsecond},
		{Name: "cnp-period", Default: 4 * units.Microsecond},
	},
	Notifications: func(v cc.Values) (units.Time, bool) { return v.Time("cnp-period"), false },
	New: func(l cc.Link, v cc.Values) func() cc.Algorithm {
		return func() cc.Algorithm { return &halving{link: l, step: v.Rate("step"), every: v.Time("every")} }
	},
})

func (h *halving) Start(now units.Time, a *cc.Allowance) cc.Wants {
	*a = cc.Free()
	h.rate = h.link.Rate
	a.Rate, a.Wake = h.rate, now+h.every
	return 0
}

func (h *halving) Notified(_ units.Time, a *cc.Allowance) {
	h.rate = max(h.rate/2, h.link.Rate/1000)
	a.Rate = h.rate
}

func (h *halving) Timer(now units.Time, a *cc.Allowance) {
	h.rate = min(h.rate+h.step, h.link.Rate)
	a.Rate, a.Wake = h.rate, now+h.every
}

func (*halving) Acked(units.Time, cc.Ack, *cc.Allowance) {}
func (*halving) Sent(units.Time, *cc.Allowance)          {}

// ownIncast is an incast under a congestion control. A pause ends just below the threshold, so that
// the number of pauses grows with the time above it.
func ownIncast(control string) string {
	return `cluster: {nodes: 2}
topology: {shape: single-switch}
fabric: {preset: roce-v2-400g, cc: ` + control + `, ethernet: {pfc: {xoff: 1MiB, xon-offset: 3556B}}}
workload: {pattern: incast, fan-in: 8, sizes: [8MiB]}
`
}

func TestACongestionControlOfOneFileRuns(t *testing.T) {
	none := runtest.Points(t, ownIncast("none"))[0]
	own := runtest.Points(t, ownIncast("{algorithm: halving}"))[0]
	fast := runtest.Points(t, ownIncast("{algorithm: halving, step: 10Gbps}"))[0]
	if none.Counts.CNPsTaken != 0 || own.Counts.CNPsTaken == 0 || own.Failure != "" {
		t.Fatalf("%d notifications without it, %d with it: %s", none.Counts.CNPsTaken, own.Counts.CNPsTaken, own.Failure)
	}
	if own.Counts.Pauses >= none.Counts.Pauses || fast.Counts.Pauses <= own.Counts.Pauses {
		t.Errorf("%d pauses without it, %d with it, %d with a step of 10 Gb/s: want some, few, more", none.Counts.Pauses, own.Counts.Pauses, fast.Counts.Pauses)
	}
}

func TestParametersOfACongestionControlOfOneFileAreChecked(t *testing.T) {
	for _, c := range []struct{ control, want string }{
		{"{algorithm: halving, parameters: [{name: stride, value: 1Gbps}]}", `parameters[0].name: halving has no parameter "stride": it has step, every or cnp-period`},
		{"{algorithm: halving, parameters: [{name: step, value: 1us}]}", "parameters[0].value: step: "},
		{"{algorithm: halving, parameters: [{name: step, value: 1Gbps}, {name: step, value: 2Gbps}]}", "parameters[1].name: step is given twice"},
		{"{algorithm: halving, ai-rate: 5Mbps}", "halving has no ai-rate: its fields are step, every or cnp-period"},
		{"{algorithm: halving, stride: 5Mbps}", "there is no such field"},
		{"{algorithm: halving, step: 1us}", "cc.step: "},
		{"{algorithm: dcqcn, parameters: [{name: step, value: 1Gbps}]}", `parameters[0].name: dcqcn has no parameter "step": it has g, `},
		{"{algorithm: quartering}", "halving"}, // among the valid ones
	} {
		f, err := scenario.Decode("test.yaml", []byte(ownIncast(c.control)))
		if err == nil {
			_, err = f.Resolve()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.control, err, c.want)
		}
	}
}

// The resolved scenario has all parameters that a run used, the defaults too.
func TestTheResolvedScenarioHasAllParametersOfACongestionControlOfOneFile(t *testing.T) {
	f, err := scenario.Decode("test.yaml", []byte(ownIncast("{algorithm: halving, every: 10us}")))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if name := scenario.ControlName(&r.Fabrics[0].CC); name != "halving" {
		t.Errorf("reports name %s: want the algorithm that runs, not the fabric's preset", name)
	}
	text, err := r.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"      step: 100Mbps\n", "      every: 10us\n", "      cnp-period: 4us\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the resolved scenario has no %s", want)
		}
	}
}
