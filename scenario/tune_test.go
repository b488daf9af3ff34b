package scenario

import (
	"math"
	"testing"
)

func TestAnAxisGivesValuesThatTheFieldReads(t *testing.T) {
	r := resolve(t, `
fabric: roce-v2-400g
tune:
  parameters:
    - {path: fabric.ethernet.ecn.kmin, from: 50KB, to: 5MB}
    - {path: fabric.ethernet.ecn.pmax, from: 0%, to: 100%, scale: linear}
    - {path: fabric.cc.ai-rate, from: 5Mbps, to: 500Mbps, step: 1Mbps}
    - {path: fabric.transport.qps-per-connection, from: 1, to: 8}
    - {path: fabric.routing.mode, values: [ecmp, spray]}
    - {path: fabric.routing.hash-seed, from: 0, to: 9}
    - {path: fabric.cc.increase-period, from: 55us, to: 300us}
`)
	if got := r.Tune.Parameters[0].Path; got != "fabrics[0].ethernet.ecn.kmin" {
		t.Errorf("the path is %s, want the path in the printed scenario", got)
	}
	axes := Axes(r)
	for i, want := range [][3]string{
		{"50KB", "500KB", "5MB"},
		{"0", "1/2", "1"},
		{"5Mbps", "50Mbps", "500Mbps"},
		{"1", "5", "8"},
		{"ecmp", "spray", "spray"},
		{"0", "5", "9"},
		{"55us", "178us", "300us"},
	} {
		a := &axes[i]
		for k, place := range []float64{0, 0.5, 1} {
			if got := a.At(place); got != want[k] {
				t.Errorf("%s at %v is %s, want %s", a.Path, place, got, want[k])
			}
		}
		for place := 0.0; place <= 1; place += 1.0 / 64 {
			value := a.At(place)
			back, ok := a.Place(value)
			if again := a.At(back); !ok || again != value {
				t.Errorf("%s: %s is at place %v, whose value is %s", a.Path, value, back, again)
			}
			if _, err := resolveWith(value, a.Path); err != nil {
				t.Errorf("%s cannot be %s: %v", a.Path, value, err)
			}
		}
	}
	if _, ok := axes[4].Place("flowlet"); ok {
		t.Error("a value that is none of the axis has a place")
	}
	if place, ok := axes[0].Place("1GB"); !ok || place != 1 {
		t.Errorf("a value beyond the end is at place %v, want the end", place)
	}
}

// resolveWith overrides one value of a scenario whose other values leave room for it.
func resolveWith(value, path string) (*Resolved, error) {
	f, err := Decode("test.yaml", []byte("fabric: roce-v2-400g\n"))
	if err != nil {
		return nil, err
	}
	return f.Resolve(Override{Path: path, Value: value, Origin: "--set"})
}

func TestThreeDigitsAreKept(t *testing.T) {
	for x, want := range map[float64]float64{123456: 123000, 0.0123456: 0.0123, 999.9: 1000, 7: 7} {
		if got := threeDigits(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}

func TestATuningHasDefaultsOnlyWhereThereIsOne(t *testing.T) {
	if r := resolve(t, "fabric: roce-v2-400g\n"); r.Tune.Runs != 0 {
		t.Errorf("a scenario that tunes nothing has %+v", r.Tune)
	}
	r := resolve(t, "fabric: roce-v2-400g\ntune: {parameters: [{path: fabric.mtu, values: [1KiB, 4KiB]}]}\n")
	if r.Tune.Runs != usualRuns || r.Tune.Objective.Time != (Ratio{Num: 1, Den: 1}) || r.TunedFabric() != 0 {
		t.Errorf("the defaults are %+v of fabric %d", r.Tune, r.TunedFabric())
	}
	printed, _ := r.MarshalYAML()
	f, err := Decode("printed.yaml", printed)
	if err != nil {
		t.Fatalf("%v in\n%s", err, printed)
	}
	again, err := f.Resolve()
	if err != nil || len(again.Tune.Parameters) != 1 || again.Tune.Parameters[0].Path != "fabrics[0].mtu" {
		t.Errorf("printed and read again the tuning is %+v, %v", again.Tune, err)
	}
}

func TestTheOnlyFabricIsTheFirstOfAList(t *testing.T) {
	r, err := resolveWith("1KiB", "fabrics[0].mtu")
	if err != nil || r.Fabrics[0].MTU != 1024 {
		t.Errorf("fabrics[0] of a file that says fabric: %v", err)
	}
	if value, ok := r.ValueAt("fabrics[0].cc"); !ok || value != "dcqcn-firmware" {
		t.Errorf("the congestion control is %q, want its preset", value)
	}
	for _, path := range []string{"fabrics[1].mtu", "fabrics[0].mtu.x", "fabrics.mtu", "fabrics[0].link", "fabrics[x].mtu"} {
		if value, ok := r.ValueAt(path); ok && path != "fabrics[0].link" {
			t.Errorf("%s has the value %q", path, value)
		}
	}
}
