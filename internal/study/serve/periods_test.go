package serve

import (
	"reflect"
	"testing"

	"weft/internal/sim"
	"weft/scenario"
)

// A job whose layers are skipped has the results of one that is simulated as a whole: alone and beside other transfers, under
// each way to send keys and values.
func TestSkippedLayersChangeNoResult(t *testing.T) {
	for name, more := range map[string][]scenario.Override{
		"whole":   nil,
		"layers":  {set("serving.kv.send", "layers")},
		"reads":   {set("serving.kv.operation", "read")},
		"pages":   {set("serving.kv.page", "16"), set("serving.load.requests", "2")},
		"crowded": {set("serving.load.burst", "5")},
		"stages":  {set("serving.decode.pipeline", "2"), set("serving.decode.tensor", "4"), set("serving.load.requests", "1")},
	} {
		own := append([]scenario.Override{
			set("fabrics", "[infiniband-ndr, roce-v2-400g, spectrum-x-400g]"), set("cluster.nodes", "4"), set("serving.prefill.nodes", "2"), set("serving.decode.nodes", "2"),
			set("serving.model.layers", "32"), set("serving.load.prompt", "1024"), set("serving.load.output", "3"), set("serving.load.requests", "5"),
		}, more...)
		r := resolved(t, own...)
		all, err := Run(t.Context(), r, Options{Exact: sim.ExactOff})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		some, err := Run(t.Context(), r, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range some.Points[0].Fabrics {
			a, b := &all.Points[0].Fabrics[i], &some.Points[0].Fabrics[i]
			skipped := b.Counts.Skipped
			if a.Counts.Skipped.Periods > 0 || skipped.Periods == 0 && (name == "whole" || name == "stages") {
				t.Errorf("%s, %s: skipped %d periods, and %d as a whole", name, b.Name, skipped.Periods, a.Counts.Skipped.Periods)
			}
			t.Logf("%s, %s: skipped %d of %d events", name, b.Name, skipped.Events, a.Counts.Events)
			a.Counts, b.Counts = a.Counts.WithoutWork(), b.Counts.WithoutWork()
		}
		if !reflect.DeepEqual(all, some) {
			t.Errorf("%s: as a whole %+v, with layers skipped %+v", name, all.Points[0], some.Points[0])
		}
	}
}
