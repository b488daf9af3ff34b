//go:build unix

package route_test

import (
	"syscall"
	"testing"
	"time"

	"weft/internal/base/topology"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
)

// laneFabrics are the fabrics on which the engines with virtual lanes are timed.
// OpenSM's times are known for the first.
var laneFabrics = []struct {
	name string
	spec topology.Spec
	big  bool
}{
	{"ft3-1024", topology.KAry{K: 16}, false},
	{"torus-8x8", topology.Torus{Dims: []int{8, 8}, SwitchEndpoints: 2}, false},
	{"ft3-8192", topology.KAry{K: 32}, true},
}

// cpuTime is the CPU time of the process on all cores.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportCPU reports the CPU time of an operation: other processes on the machine
// disturb it less than the wall time.
func reportCPU(b *testing.B, start time.Duration) {
	b.ReportMetric(float64((cpuTime(b)-start).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// BenchmarkRouteLanes times the engines that use virtual lanes, from a subnet
// with LIDs to complete tables and service levels.
func BenchmarkRouteLanes(b *testing.B) {
	for _, name := range []route.Name{"sssp", "dfsssp", "lash"} {
		for _, f := range laneFabrics {
			b.Run(string(name)+"/"+f.name, func(b *testing.B) {
				if f.big && testing.Short() {
					b.Skip("seconds each")
				}
				s := built(b, f.spec)
				b.ReportAllocs()
				start := cpuTime(b)
				for b.Loop() {
					if _, err := route.Compute(s, name, route.Options{}); err != nil {
						b.Fatal(err)
					}
				}
				reportCPU(b, start)
			})
		}
	}
}

// BenchmarkCheck times the proof of complete tables.
func BenchmarkCheck(b *testing.B) {
	for _, f := range []struct {
		name string
		spec topology.Spec
	}{
		{"ft3-1024", topology.KAry{K: 16}},
		{"ft3-8192", topology.KAry{K: 32}},
		{"ft3-43904", topology.KAry{K: 56}},
	} {
		b.Run(f.name, func(b *testing.B) {
			if testing.Short() && f.name != "ft3-1024" {
				b.Skip("seconds each")
			}
			s := built(b, f.spec)
			r, err := route.Compute(s, "minhop", route.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			start := cpuTime(b)
			for b.Loop() {
				p, err := proof.Check(s, r.Tables, proof.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if !p.Proven() {
					b.Fatal(p.Findings)
				}
			}
			reportCPU(b, start)
		})
	}
}
