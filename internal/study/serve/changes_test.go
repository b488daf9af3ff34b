package serve

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// changed is the named change of a job.
func changed(t *testing.T, out *runstore.Serving, name string) *runstore.ServingChange {
	t.Helper()
	for i := range out.Changes {
		if strings.Contains(out.Changes[i].Name, name) {
			return &out.Changes[i]
		}
	}
	t.Fatalf("no change is called %q: %+v", name, out.Changes)
	return nil
}

// Each change is simulated alone: NICs and a class of their own hasten transfers, exchanges that overlap the tokens; a fabric
// with adaptive routing gets none.
func TestEachChangeIsSimulatedAlone(t *testing.T) {
	job := append(crowded[:len(crowded):len(crowded)], set("fabrics", "[infiniband-ndr]"), set("serving.load.requests", "16"), set("serving.load.output", "16"))
	out, err := Changes(context.Background(), source(job...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range out.Points[0].Fabrics {
		for _, name := range []string{"a class of their own", "a NIC more"} {
			if own := changed(t, out, name).Fabrics[i]; own.Transfer.Mean >= f.Run.Transfer.Mean {
				t.Errorf("%s, %s: a transfer takes %d ps, without the change %d", f.Name, name, own.Transfer.Mean, f.Run.Transfer.Mean)
			}
		}
		if own := changed(t, out, "beside computations").Fabrics[i]; own.PerToken.Mean >= f.Run.PerToken.Mean {
			t.Errorf("%s: a token takes %d ps in halves, %d in one", f.Name, own.PerToken.Mean, f.Run.PerToken.Mean)
		}
	}
	if c := changed(t, out, "an instance more of prefill"); c.Refused != "" {
		t.Error(c.Refused)
	}
	for _, c := range out.Changes {
		if strings.Contains(c.Name, "routing") {
			t.Error("InfiniBand, which routes adaptively, gets adaptive routing")
		}
	}
}

// source is the test's scenario with settings.
func source(job ...scenario.Override) Source {
	return Source{
		Resolve: func(more ...scenario.Override) (*scenario.Resolved, error) {
			return resolvedWith(append(job[:len(job):len(job)], more...)...)
		},
		At: func(string) string { return "fabrics[0]" },
	}
}

// A lossless class of its own takes a part of the buffer: headroom that all share grows with the classes, and a switch
// without room for one more has none.
func TestAClassOfItsOwnNeedsHeadroom(t *testing.T) {
	own := &changes[0]
	pool := []scenario.Override{set("fabrics", "[roce-v2-400g]"), set("fabrics[0].ethernet.pfc.headroom-pool", "4MiB")}
	r, err := own.of(source(pool...))
	if err != nil {
		t.Fatal(err)
	}
	if pfc := &r.Fabrics[0].Ethernet.PFC; len(pfc.Priorities) != 2 || pfc.HeadroomPool != 8*units.MiB || r.Serving.KV.Class != pfc.Priorities[1] {
		t.Errorf("class %d; priorities %v share %v", r.Serving.KV.Class, pfc.Priorities, pfc.HeadroomPool)
	}
	tight := []scenario.Override{set("fabrics", "[roce-v2-400g]"), set("fabrics[0].switch.buffer", "32MiB"), set("fabrics[0].ethernet.pfc.headroom", "1MiB"), set("fabrics[0].topology.radix", "16")}
	if _, err := resolvedWith(tight...); err != nil {
		t.Fatal(err)
	}
	if _, err := own.of(source(tight...)); err == nil || !strings.Contains(err.Error(), "for 2 priorities") {
		t.Errorf("two priorities of 1 MiB on each of 16 ports in 32 MiB: %v", err)
	}
}
