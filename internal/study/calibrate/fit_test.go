package calibrate

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/scenario"
)

// TestHiddenConstantsAreRecovered has weft write the log of a cluster whose software is slower than
// NCCL's figures, with noise. The fit gets the log alone.
func TestHiddenConstantsAreRecovered(t *testing.T) {
	log := measure(t, "all-reduce", 11,
		scenario.Override{Path: "workload.sizes", Value: "{from: 1KiB, to: 4MiB, factor: 2}", Origin: "test"},
		scenario.Override{Path: "nccl.base", Value: "3", Origin: "test"},
		scenario.Override{Path: "nccl.step-network", Value: "2", Origin: "test"})
	l, err := logfile.Read("log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	fit, err := describe(t, small).FitTo(context.Background(), []*logfile.Log{l}, []string{"base", "step-network"}, Options{Simulate: simulateOnce})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 2} {
		if k := &fit.Constants[i]; k.Least > want || k.Most < want || !k.Determined {
			t.Errorf("%s is fitted as %.2f to %.2f times, and it was %.2f", k.Name, k.Least, k.Most, want)
		}
	}
	if before, after := fit.Error(true); before < .2 || after > .04 || !fit.Better() {
		t.Errorf("the error on sizes held out goes from %.3f to %.3f, want it to be the noise of 2 %%", before, after)
	}
	var text bytes.Buffer
	if err := fit.WriteOverlay(&text, []string{"log"}); err != nil {
		t.Fatal(err)
	}
	o, err := scenario.DecodeOverlay("overlay", text.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	f, err := scenario.Decode("cluster", []byte(small))
	if err == nil {
		f, err = f.Under(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.NCCL.Base.Float(); math.Abs(got-fit.Constants[0].Factor) > 1e-3 {
		t.Errorf("under the overlay base is %g, and %g was fitted:\n%s", got, fit.Constants[0].Factor, &text)
	}
}

func TestAFitNeedsSizesToHoldOut(t *testing.T) {
	l, err := logfile.Read("log", strings.NewReader(measure(t, "all-reduce", 1, scenario.Override{Path: "workload.sizes", Value: "[1MiB]", Origin: "test"})))
	if err != nil {
		t.Fatal(err)
	}
	c := describe(t, small)
	for want, names := range map[string][]string{"none can be held out": {"nccl"}, "no constant \"speed\"": {"speed"}} {
		if _, err := c.FitTo(context.Background(), []*logfile.Log{l}, names, Options{Simulate: simulateOnce}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--fit %v: %v, want an error with %q", names, err, want)
		}
	}
}

func TestEveryConstantIsAFieldOfAScenario(t *testing.T) {
	c := describe(t, small)
	r, err := c.resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range constants {
		k := &constants[i]
		doubled := k.text(k.value(r) * 1.5)
		q, err := c.resolve([]scenario.Override{{Path: k.path(c), Value: doubled, Origin: "test"}})
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		if got, want := k.value(q), k.value(r)*1.5; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s set to %s is %g, want %g", k.name, doubled, got, want)
		}
	}
}
