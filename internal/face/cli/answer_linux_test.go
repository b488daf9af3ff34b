package cli

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft"
	"weft/internal/face/cli/exit"
)

// question is a question as a user types it.
type question struct {
	name  string
	typed string
	short bool // it takes seconds: -short has it too
}

// questions are what people ask weft, at the sizes that they run. Files without a folder are
// answerFiles.
var questions = []question{
	{"main-job", "compare ../../../examples/h100-128.yaml", false},
	{"all-reduce-1024", "bench all-reduce -b 1G -e 1G --cluster dgx-h100 --nodes 128", false},
	{"all-reduce-16384", "bench all-reduce -b 1G -e 1G --cluster dgx-h100 --nodes 2048", false},
	{"alltoall-512", "bench alltoall -b 1G -e 1G --cluster dgx-h100 --nodes 64", false},
	{"alltoall-512-roce", "bench alltoall -b 1G -e 1G --cluster dgx-h100 --nodes 64 --fabric roce-v2-400g", false},
	{"alltoall-1024", "bench alltoall -b 1G -e 1G --cluster dgx-h100 --nodes 128", false},
	{"compare-1024", "compare compare-1024.yaml", false},
	{"train-70b-1024", "train ../../../examples/llama3-70b-1024.yaml", false},
	{"train-405b-16384", "train ../../../examples/llama3-405b-16384.yaml", false},
	{"train-deepseek-v3-1024", "train ../../../examples/train-deepseek-v3-1024.yaml", false},
	{"diagnose-2-nodes", "diagnose 2-nodes.log --cluster dgx-h100", false},
	{"diagnose-16-nodes", "diagnose 16-nodes.log --cluster dgx-h100", false},
	{"advise-512-h100", "advise advise-h100.yaml", false},
	{"advise-512-h200", "advise advise-h200.yaml", false},
	{"advise-512-h200-train", "advise advise-train.yaml", false},
	{"plan-1024", "plan --gpus 1024", true},
	{"plan-4096", "plan --gpus 4096", true},
	{"serve-llama3-70b", "serve ../../../examples/serve-llama3-70b.yaml", false},
	{"serve-deepseek-v3", "serve ../../../examples/serve-deepseek-v3.yaml", false},
	{"serve-collapse", "serve ../../../examples/serve-collapse.yaml", false},
	{"serve-routing", "serve ../../../examples/serve-routing.yaml", false},
	{"sweep-example", "sweep ../../../examples/sweep.yaml", true},
	{"sweep-100", "sweep sweep-100.yaml", false},
	{"tune-example", "tune ../../../examples/tune-dcqcn.yaml", false},
}

// answerFiles are the files of the questions. The logs are of healthy clusters.
var answerFiles = map[string]string{
	"compare-1024.yaml": `
cluster: {nodes: 128, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr, roce-v2-400g, spectrum-x-400g]
workload: {collective: all-reduce, sizes: {from: 1KiB, to: 1GiB, factor: 2}}`,
	"advise-h100.yaml": "design: {gpus: 512, node: dgx-h100}\n",
	"advise-h200.yaml": "design: {gpus: 512, node: dgx-h200}\n",
	"advise-train.yaml": `
design:
  gpus: 512
  node: dgx-h200
  job: {training: {model: llama3-70b, parallel: {tensor: 8, pipeline: 4}, batch: {global: 1024}}}`,
	"sweep-100.yaml": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: rail-optimised, radix: 64, spines: 4, cables: {node-leaf: 5m, leaf-spine: 30m}}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [1MiB, 16MiB, 256MiB]}
sweep:
  axes:
    - {path: topology.spines, values: [1, 2, 4, 8, 16]}
    - {path: "fabrics[0].routing.mode", values: [ecmp, flowlet, spray, adaptive]}
    - {path: "fabrics[0].ethernet.ecn.kmin", values: [100KB, 200KB, 400KB, 800KB, 1600KB]}`,
	"2-nodes.log":  measuredLog(16, 470),
	"16-nodes.log": measuredLog(128, 370),
}

// measuredLog is a table of an all-reduce on a healthy cluster: 40 us and a bus bandwidth.
func measuredLog(ranks int, busGBps float64) string {
	var b strings.Builder
	b.WriteString("size, time_us, algbw, busbw\n")
	over := 2 * float64(ranks-1) / float64(ranks) // bus bandwidth over algorithm bandwidth
	for size := 8; size <= 8<<30; size *= 2 {
		us := 40 + float64(size)*over/busGBps/1e3
		alg := float64(size) / us / 1e3
		fmt.Fprintf(&b, "%d, %.2f, %.5f, %.5f\n", size, us, alg, alg*over)
	}
	return b.String()
}

// BenchmarkAnswer measures, for each question, the wall-clock time until the answer, the processor time,
// the peak memory, and the error of the remaining time that the progress line says. The cache is off.
func BenchmarkAnswer(b *testing.B) {
	dir := b.TempDir()
	for name, text := range answerFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range questions {
		b.Run(q.name, func(b *testing.B) {
			if testing.Short() && !q.short {
				b.Skip("it takes long")
			}
			var sum answered
			for b.Loop() {
				sum.ask(b, dir, q.typed)
			}
			sum.report(b)
		})
	}
}

// answered is what answers took.
type answered struct {
	wall, cpu time.Duration
	peak      int64     // bytes
	factors   []float64 // between each remaining time of the progress line and the true one, at least 1
}

// ask asks a question.
func (a *answered) ask(b *testing.B, dir, typed string) {
	args := strings.Fields(typed)
	for i, arg := range args {
		if _, is := answerFiles[arg]; is {
			args[i] = filepath.Join(dir, arg)
		}
	}
	e := environment(args)
	said := said{began: time.Now()}
	e.Run, e.Now, e.Cores = weft.Run, time.Now, runtime.GOMAXPROCS(0)
	e.Stderr, e.Pulse = &said, time.Second
	forgetPeak(b)
	before := processorTime(b)
	code := Main(b.Context(), e)
	wall := time.Since(said.began)
	if code != exit.OK && code != exit.Refuted {
		b.Fatalf("weft %s exits with %d: %s", typed, code, said.text.String())
	}
	a.wall, a.cpu, a.peak = a.wall+wall, a.cpu+processorTime(b)-before, max(a.peak, peak(b))
	for at, left := range said.left {
		if remains := wall - at; remains > time.Second {
			off := left.Seconds() / remains.Seconds()
			a.factors = append(a.factors, max(off, 1/off))
		}
	}
}

func (a *answered) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // said in seconds
	b.ReportMetric(a.wall.Seconds()/float64(b.N), "s")
	b.ReportMetric(a.cpu.Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(float64(a.peak)/1e6, "MB")
	if slices.Sort(a.factors); len(a.factors) > 0 {
		b.ReportMetric(a.factors[len(a.factors)/2], "left-off") // the median
		b.ReportMetric(a.factors[len(a.factors)-1], "left-worst")
	}
}

// said is standard error: the messages, and the remaining times of the progress line by the time at which
// it said them.
type said struct {
	began time.Time
	text  bytes.Buffer
	left  map[time.Duration]time.Duration
}

var (
	leftText  = regexp.MustCompile(`about ([\d.]+) (s|min|h) left`)
	leftUnits = map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}
)

func (s *said) Write(line []byte) (int, error) {
	if m := leftText.FindSubmatch(line); m != nil {
		n, _ := strconv.ParseFloat(string(m[1]), 64)
		if s.left == nil {
			s.left = map[time.Duration]time.Duration{}
		}
		s.left[time.Since(s.began)] = time.Duration(math.Max(n, 0.5) * float64(leftUnits[string(m[2])]))
	}
	return s.text.Write(line)
}

// processorTime is that of this process.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak gives back unused memory, and lets the peak begin anew (5 in proc_pid_clear_refs(5)).
func forgetPeak(b *testing.B) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Log(err)
	}
}

// peak is the peak of the process's memory, in bytes.
func peak(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	kB, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kB << 10
}
