package serve

import (
	"context"
	"strings"
	"testing"

	"weft/results"
	"weft/scenario"
	"weft/units"
)

// changed is the named change of a job.
func changed(t *testing.T, out *results.Serving, name string) *results.ServingChange {
	t.Helper()
	for i := range out.Changes {
		if strings.Contains(out.Changes[i].Name, name) {
			return &out.Changes[i]
		}
	}
	t.Fatalf("no change is called %q: %+v", name, out.Changes)
	return nil
}

// Each change is simulated alone: NICs and a class of their own hasten transfers; halves make no difference to the few
// answers of a group, and one to prompts; a fabric with adaptive routing gets none.
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
		if own := changed(t, out, "beside computations").Fabrics[i]; own.FirstToken.Mean == f.Run.FirstToken.Mean {
			t.Errorf("%s: a first token takes %d ps in halves and in one", f.Name, own.FirstToken.Mean)
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

// named is a change by its name.
func named(t *testing.T, name string) *change {
	t.Helper()
	for i := range changes {
		if changes[i].name == name {
			return &changes[i]
		}
	}
	t.Fatalf("no change is called %q", name)
	return nil
}

// Two planes have two ports of half the rate at each NIC, and the same rate in all: the NICs are as full as before.
func TestPlanesDivideTheNIC(t *testing.T) {
	job := []scenario.Override{set("fabrics", "[roce-v2-400g]"), set("topology", "{shape: fat-tree, levels: 2, radix: 16}")}
	was := resolved(t, job...)
	is, err := named(t, "two planes, with half of each NIC's rate in each").of(source(job...))
	if err != nil {
		t.Fatal(err)
	}
	f := &is.Fabrics[0]
	if f.Topology.Shape != scenario.DualPlane || f.Topology.PlaneShape != scenario.FatTree || f.NIC.Ports != 2 || 2*f.Link.Rate() != was.Fabrics[0].Link.Rate() {
		t.Errorf("%s of %s, %d ports of %v", f.Topology.Shape, f.Topology.PlaneShape, f.NIC.Ports, f.Link.Rate())
	}
	full := func(r *scenario.Resolved) float64 {
		s, rate, err := begin(t.Context(), r, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s.loadsOn(rate, 0).Share
	}
	if a, b := full(was), full(is); a == 0 || a != b {
		t.Errorf("keys and values need %g of the NICs' rate, in planes %g", a, b)
	}
	if again, err := named(t, "two planes, with half of each NIC's rate in each").of(Source{Resolve: func(...scenario.Override) (*scenario.Resolved, error) { return is, nil }, At: func(string) string { return "" }}); again != nil || err != nil {
		t.Errorf("planes are divided again: %v", err)
	}
}

// Nodes go from one pool to the other in whole instances of both, and never all of them.
func TestNodesGoFromOnePoolToTheOther(t *testing.T) {
	job := []scenario.Override{set("cluster.nodes", "8"), set("serving.prefill.nodes", "6"), set("serving.decode.nodes", "2")}
	r, err := named(t, "nodes of decode for prefill").of(source(job...))
	if err != nil || r.Serving.Prefill.Nodes != 7 || r.Serving.Decode.Nodes != 1 {
		t.Errorf("7 and 1: %v", err)
	}
	pairs := append(job, set("serving.prefill.pipeline", "2"))
	r, err = named(t, "nodes of prefill for decode").of(source(pairs...))
	if err != nil || r.Serving.Prefill.Nodes != 4 || r.Serving.Decode.Nodes != 4 {
		t.Errorf("4 and 4: %v", err)
	}
	if r, err = named(t, "nodes of decode for prefill").of(source(pairs...)); r != nil || err != nil {
		t.Errorf("decode has no nodes left: %v", err)
	}
	r, err = named(t, "prefill and decode in the same instances").of(source(job...))
	if err != nil || !r.Serving.Collocated || r.Serving.Prefill.Nodes != 8 || r.Serving.Decode.Nodes != 0 {
		t.Errorf("all in 8 nodes: %v", err)
	}
	both := []scenario.Override{set("serving.collocated", "true"), set("serving.prefill.nodes", "2"), set("serving.decode.nodes", "0")}
	r, err = named(t, "prefill and decode apart, half of the nodes each").of(source(both...))
	if err != nil || r.Serving.Collocated || r.Serving.Prefill.Nodes != 1 || r.Serving.Decode.Nodes != 1 {
		t.Errorf("1 and 1: %v", err)
	}
}

// A change of RoCE alone is not simulated on InfiniBand.
func TestAChangeOfOneFabricLeavesTheOther(t *testing.T) {
	job := []scenario.Override{set("serving.load.requests", "2"), set("topology", "{shape: fat-tree, levels: 2, radix: 16}")}
	from := source(job...)
	from.At = func(name string) string {
		return map[string]string{"infiniband-ndr": "fabrics[0]", "roce-v2-400g": "fabrics[1]"}[name]
	}
	was := resolved(t, job...)
	for name, same := range map[string]bool{"DCQCN off": true, "routing spray": true, "half of the NICs": false} {
		is, err := named(t, name).of(from)
		if err != nil {
			t.Fatal(name, err)
		}
		out, err := rerun(t.Context(), was, is, Options{})
		if err != nil || out[0].Unchanged != same || out[1].Unchanged || out[1].Name != "roce-v2-400g" || out[1].FirstToken.Mean == 0 {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}
