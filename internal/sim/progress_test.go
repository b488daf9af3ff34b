package sim

import (
	"testing"

	"weft/internal/test/simtest"
	"weft/results"
)

// The share of the work counts what has ended and what runs by its bytes, and not what was known.
func TestShareOfTheWork(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [16MiB, 32MiB, 64MiB]}
`)
	out := &results.Results{}
	jobs, err := jobsOf(r, out, nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs[0].known = &results.Point{}
	w := newWatch(len(jobs), Options{})
	defer w.end()
	w.expect(jobs, 1)
	floor := 4096.0 * 16
	small, large := floor+float64(32<<20), floor+float64(64<<20)
	expect := func(what string, want float64) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if got := w.share(); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s: %v of the work is done, want %v", what, got, want)
		}
	}
	w.finished(&jobs[0], jobs[0].known)
	expect("a known one", 0)
	w.started(&jobs[1], nil)
	jobs[1].Work.Expect(4)
	jobs[1].Work.Done(1)
	expect("a quarter of the smaller one", small/4/(small+large))
	w.finished(&jobs[1], &results.Point{})
	expect("the smaller one", small/(small+large))
	w.finished(&jobs[2], &results.Point{})
	expect("all", 1)
}
