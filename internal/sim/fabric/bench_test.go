//go:build unix

package fabric_test

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// pattern is the traffic of a benchmark on a three-level fat tree of switches with
// radix ports.
type pattern struct {
	name  string
	radix int
	work  func() workload
}

func flowsOf(p func(*flows, *fabric.Network) error) func() workload {
	return func() workload { return &flows{pattern: p} }
}

var fabrics = []string{"infiniband", "roce"}

// BenchmarkFabric measures packet-hops per CPU-second of one partition, set-up
// excluded: every data packet is acknowledged, flow control and invariants are
// on. models_test.go has the parameters of the devices.
func BenchmarkFabric(b *testing.B) {
	for _, name := range fabrics {
		for _, pat := range []pattern{
			{"permutation/128", 8, flowsOf(permutation(128, 2<<20))},
			{"permutation/1024", 16, flowsOf(permutation(1024, 2<<20))},
			{"shift/128", 8, flowsOf(shift(128, 64, 2<<20))},
			{"incast32/128", 8, flowsOf(incast(32, 2<<20))},
			{"allreduce/128", 8, func() workload { return newRing(128, 64<<10) }},
			// All messages posted at once, and eight at a time.
			{"alltoall/128", 8, flowsOf(alltoall(128, 64<<10))},
			{"alltoall8/128", 8, func() workload { return newRotation(128, 64<<10, 8) }},
		} {
			b.Run(name+"/"+pat.name, func(b *testing.B) { measure(b, name, pat) })
		}
	}
}

func measure(b *testing.B, name string, pat pattern) {
	g := fatTree(b, pat.radix)
	var spent time.Duration
	var s counts.Stats
	var mallocs uint64
	for b.Loop() {
		w, n := prepare(b, g, name, nil, pat)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime(b)
		if err := n.Run(units.Second, 1, nil); err != nil {
			b.Fatal(err)
		}
		spent += cpuTime(b) - start
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		finished(b, w)
		st := n.Stats()
		s.Hops += st.Hops
		s.Events += st.Events
	}
	b.ReportMetric(float64(s.Hops)/spent.Seconds(), "pkthops/s")
	b.ReportMetric(float64(s.Events)/spent.Seconds(), "events/s")
	b.ReportMetric(float64(mallocs)/float64(s.Hops), "mallocs/hop")
	b.ReportMetric(peakMB(), "peak-MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkParallel compares two cores on one simulation with two independent
// simulations side by side, in packet-hops per second of time.
func BenchmarkParallel(b *testing.B) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.Skip("needs two cores")
	}
	pat := pattern{"permutation/1024", 16, flowsOf(permutation(1024, 2<<20))}
	for _, name := range fabrics {
		b.Run(name+"/"+pat.name, func(b *testing.B) {
			g := fatTree(b, pat.radix)
			var together, apart float64 // seconds per packet-hop
			for b.Loop() {
				apart += wall(b, g, name, pat, []int{1, 1})
				together += wall(b, g, name, pat, []int{2})
			}
			b.ReportMetric(float64(b.N)/apart, "two-runs-pkthops/s")
			b.ReportMetric(float64(b.N)/together, "one-run-pkthops/s")
			b.ReportMetric(apart/together, "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// wall runs simulations side by side, each in some partitions on some cores, and
// gives the seconds per packet-hop of all.
func wall(b *testing.B, g *topology.Graph, name string, pat pattern, cores []int) float64 {
	nets, works := make([]*fabric.Network, len(cores)), make([]workload, len(cores))
	for i, c := range cores {
		works[i], nets[i] = prepare(b, g, name, topology.Partition(g, c), pat)
	}
	runtime.GC()
	start := time.Now()
	var wg sync.WaitGroup
	for i, n := range nets {
		wg.Go(func() {
			if err := n.Run(units.Second, cores[i], nil); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	seconds, hops := time.Since(start).Seconds(), int64(0)
	for i, n := range nets {
		finished(b, works[i])
		hops += n.Stats().Hops
	}
	return seconds / float64(hops)
}

func fatTree(b testing.TB, radix int) *topology.Graph {
	g, err := topology.KAry{K: radix}.Build()
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func prepare(b *testing.B, g *topology.Graph, name string, part []int32, pat pattern) (workload, *fabric.Network) {
	w := pat.work()
	n, err := build(g, name, part, w)
	if err == nil {
		err = w.load(n)
	}
	if err != nil {
		b.Fatal(err)
	}
	return w, n
}

func finished(b *testing.B, w workload) {
	if left := w.unfinished(); left > 0 {
		b.Fatalf("%d messages or hosts never finished", left)
	}
}

// cpuTime is the CPU time of the process on all cores.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMB is the most memory that the process has held.
func peakMB() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1000
		}
	}
	return 0
}

// BenchmarkRecord is the CPU time of a run that records its links, and of one whose NICs also count for a live
// view, over the time of one that does neither; and the time of that run again, which shows the noise. The runs
// take turns, and each figure is the median of the turns (-benchtime 11x).
func BenchmarkRecord(b *testing.B) {
	kinds := []struct {
		name string
		set  func(*fabric.Network)
	}{
		{"off", func(*fabric.Network) {}},
		{"record-%", func(n *fabric.Network) { n.Record(0) }},
		{"live-%", func(n *fabric.Network) { n.Record(0); n.CountPorts() }},
		{"again-%", func(*fabric.Network) {}},
	}
	for _, name := range fabrics {
		for _, pat := range []pattern{
			{"permutation/128", 8, flowsOf(permutation(128, 2<<20))},
			{"incast32/128", 8, flowsOf(incast(32, 2<<20))},
			{"allreduce/128", 8, func() workload { return newRing(128, 64<<10) }},
		} {
			b.Run(name+"/"+pat.name, func(b *testing.B) {
				g := fatTree(b, pat.radix)
				over := make([][]float64, len(kinds))
				for b.Loop() {
					var off float64
					for i, kind := range kinds {
						w, n := prepare(b, g, name, nil, pat)
						kind.set(n)
						runtime.GC()
						start := cpuTime(b)
						if err := n.Run(units.Second, 1, nil); err != nil {
							b.Fatal(err)
						}
						spent := (cpuTime(b) - start).Seconds()
						if finished(b, w); i == 0 {
							off = spent
						}
						over[i] = append(over[i], 100*(spent/off-1))
					}
				}
				for i, kind := range kinds[1:] {
					slices.Sort(over[i+1])
					b.ReportMetric(over[i+1][len(over[i+1])/2], kind.name)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
