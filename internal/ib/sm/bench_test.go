package sm_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/units"
)

// BenchmarkBringUp times the manager and the agents from power-on until all ports are
// active. Datagrams take no time.
func BenchmarkBringUp(b *testing.B) {
	for _, c := range []struct {
		name string
		of   topology.Spec
	}{
		{"128", topology.KAry{K: 8}},
		{"1024", topology.KAry{K: 16}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := build(b, c.of)
			carried := 0
			b.ReportAllocs()
			for b.Loop() {
				w := newWorld(b, s)
				h := w.manager("A", 0, sm.Config{})
				w.start(h)
				w.run(units.Second)
				if !h.has(sm.SubnetUp) {
					b.Fatal(h.events)
				}
				carried += w.carried
			}
			b.ReportMetric(float64(carried)/b.Elapsed().Seconds(), "datagrams/s")
		})
	}
}
