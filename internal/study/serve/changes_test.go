package serve

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
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
	from := Source{
		Resolve: func(more ...scenario.Override) (*scenario.Resolved, error) {
			return resolvedWith(append(job[:len(job):len(job)], more...)...)
		},
		At: func(string) string { return "fabrics[0]" },
	}
	out, err := Changes(context.Background(), from, Options{})
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
