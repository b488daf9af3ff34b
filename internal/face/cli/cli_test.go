package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/sim/run/network"
	"weft/internal/sim/runstore"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// TestScripts runs testdata/script: the whole command line, in this process,
// with a made-up simulator. "weft" runs it, "exits N" checks its code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"weft": func(ts *testscript.TestScript, neg bool, args []string) {
				e := environment(args)
				e.Dir, e.Getenv = ts.MkAbs("."), ts.Getenv
				e.Stdin = strings.NewReader(ts.Getenv("STDIN"))
				e.Stdout, e.Stderr = ts.Stdout(), ts.Stderr()
				code := Main(context.Background(), e)
				ts.Setenv("CODE", strconv.Itoa(int(code)))
				if neg == (code == exit.OK) {
					ts.Fatalf("weft exits with %d", code)
				}
			},
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				if len(args) != 1 || args[0] != ts.Getenv("CODE") {
					ts.Fatalf("weft exited with %s, want %v", ts.Getenv("CODE"), args)
				}
			},
		},
	})
}

// environment is a process without a terminal and with a clock that stands
// still.
func environment(args []string) *Program {
	return &Program{Run: madeUp, Env: process.Env{
		Args: args, Getenv: func(string) string { return "" },
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Now:   func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Pulse: time.Hour, // no line of progress, however slow the machine is
		Cores: 2, Version: process.Version{Weft: "v1.2.3", Go: "go1.26", Platform: "plan9/mips"},
	}}
}

// simulatorOf is the simulator of a process.
func simulatorOf(p *Program) *simulator.Simulator { return simulator.New(&p.Env, p.Run) }

// madeUp returns invented results without a simulation. The scenario's name selects
// the end of the run.
func madeUp(_ context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
	out := &results.Results{
		Version: results.ResultsVersion, Scenario: r.Name, Seed: r.Run.Seed, Workload: string(r.Workload.Collective),
		Ranks: r.Cluster.Ranks(), Nodes: r.Cluster.Nodes,
	}
	for i, f := range r.Fabrics {
		res := results.FabricResult{Name: f.Name, Protocol: string(f.Kind), Rate: f.Link.Rate()}
		sizes := r.Workload.Sizes
		if len(sizes) == 0 { // a list of flows
			sizes = []units.Bytes{0}
		}
		for _, size := range sizes {
			t := units.Time(10+15*i)*units.Microsecond + units.Time(size)*20
			gb := float64(size) / (t.Seconds() * 1e9)
			res.Points = append(res.Points, results.Point{
				Bytes: int64(size), Algorithm: "ring", Time: t, AlgBW: gb, BusBW: gb * 2,
				Flows:   results.Distribution{N: 10, Mean: t / 8, P50: t / 8, P99: t / 7, P999: t / 6, Max: t / 5},
				Counts:  results.Counts{Packets: 1000, Events: 5000},
				Hottest: []results.HotLink{{Name: "leaf to spine", Bytes: int64(size), Busy: 0.5}},
			})
			if p := &res.Points[len(res.Points)-1]; o.Seeds > 1 || o.Seeds == weft.AutoSeeds {
				p.Seeds = &results.Seeds{LowPs: int64(t) * 99 / 100, HighPs: int64(t) * 101 / 100}
				for range max(3, o.Seeds) {
					p.Seeds.TimesPs = append(p.Seeds.TimesPs, int64(t))
				}
			}
			if o.Finished != nil {
				o.Finished(weft.Finished{Fabric: i, Size: len(res.Points) - 1, Point: res.Points[len(res.Points)-1]})
			}
			if o.Progress != nil {
				o.Progress(weft.Progress{Fabric: f.Name, Bytes: int64(size), Done: len(res.Points), Total: len(r.Workload.Sizes) * len(r.Fabrics), Events: 5000})
			}
		}
		out.Fabrics = append(out.Fabrics, res)
	}
	return ending(out)
}

func ending(out *results.Results) (*results.Results, error) {
	last := &out.Fabrics[0].Points[len(out.Fabrics[0].Points)-1]
	switch out.Scenario {
	case "deadlock":
		*last = results.Point{Bytes: last.Bytes, Failure: "deadlock at 3 us:\n  nic-0 waits for leaf-1"}
		return out, errors.New("deadlock at 3 us")
	case "breach":
		return out, errors.New("leaf-3: 4096 bytes in, 4000 bytes out at 12 us")
	case "impossible":
		return nil, errors.New("the topology cannot be built")
	case "interrupted":
		*last = results.Point{Bytes: last.Bytes, Partial: true}
		out.Partial = true
		return out, context.Canceled
	case "stopped at once":
		return nil, context.Canceled
	case "defect":
		panic("an invented defect")
	}
	return out, nil
}

// invoke runs the command line and gives its code and both streams.
func invoke(e *Program) (code exit.Code, stdout, stderr string) {
	var out, errs bytes.Buffer
	e.Stdout, e.Stderr = &out, &errs
	code = Main(context.Background(), e)
	return code, out.String(), errs.String()
}

func TestEveryCodeIsDocumented(t *testing.T) {
	_, help, _ := invoke(environment([]string{"help", "exit-codes"}))
	for _, code := range []exit.Code{exit.OK, exit.Failed, exit.BadInput, exit.Missed, exit.Partial, exit.Refuted, exit.NotJudged, exit.NotProved, exit.Defect} {
		if !strings.Contains(help, fmt.Sprintf("\n%4d  ", code)) {
			t.Errorf("exit code %d is not in the help:\n%s", code, help)
		}
	}
	for i, want := range []exit.Code{0, 1, 2, 3, 4, 5, 6, 7, 70} { // scripts depend on the numbers
		if exit.Codes[i].Code != want {
			t.Errorf("exit code %d is now %d", want, exit.Codes[i].Code)
		}
	}
}

func TestEveryVerbSaysWhatItDoes(t *testing.T) {
	for _, c := range newRoot(simulatorOf(environment(nil))).Commands() {
		if c.Short == "" || c.Name() != "completion" && c.Name() != "help" && c.Runnable() && c.Args == nil {
			t.Errorf("%s has no short help, or does not check its arguments", c.Name())
		}
	}
}

func TestATerminalHasALineOfProgress(t *testing.T) {
	e := environment([]string{"compare", "-", "--set", "workload.sizes=[1MiB, 2MiB]"})
	e.Stdin = strings.NewReader("cluster: {nodes: 2}\n")
	e.StderrTerminal, e.Width = true, 64
	now := e.Now()
	e.Now = func() time.Time { now = now.Add(time.Second); return now }
	code, _, stderr := invoke(e)
	if code != exit.OK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"\r\x1b[K1 of 6  infiniband-ndr  1 MiB", "M events/s"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the terminal lacks %q: %q", want, stderr)
		}
	}
	for line := range strings.SplitSeq(stderr, "\r\x1b[K") {
		if len(line) >= 64 {
			t.Errorf("the line of progress wraps: %q", line)
		}
	}
	if !strings.HasSuffix(stderr, "\r\x1b[K") {
		t.Errorf("the line of progress stays: %q", stderr)
	}
}

// TestLongWorkInAPipeHasLinesOfProgress: short work has none, and none is printed
// with --quiet.
func TestLongWorkInAPipeHasLinesOfProgress(t *testing.T) {
	for _, c := range []struct {
		args []string
		long bool
		want string
	}{
		{nil, true, "weft: after 10s: 6 of 6  tcp-400g  2 MiB"},
		{nil, false, ""},
		{[]string{"--quiet"}, true, ""},
	} {
		e := environment(append([]string{"compare", "-", "--set", "workload.sizes=[1MiB, 2MiB]"}, c.args...))
		e.Stdin = strings.NewReader("cluster: {nodes: 2}\n")
		e.Run = func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
			out, err := madeUp(ctx, r, o)
			if c.long {
				o.Progress(weft.Progress{Fabric: "tcp-400g", Bytes: 2 << 20, Done: 6, Total: 6})
				time.Sleep(50 * time.Millisecond)
			}
			return out, err
		}
		if c.long {
			e.Pulse = 5 * time.Millisecond
		}
		code, _, stderr := invoke(e)
		if code != exit.OK || !strings.Contains(stderr, c.want) || c.want == "" && stderr != "" || strings.ContainsAny(stderr, "\r\x1b") {
			t.Errorf("%v, long %v: exit code %d, standard error %q, want %q", c.args, c.long, code, stderr, c.want)
		}
	}
}

// With -j 2 sizes finish in any order. A size is printed after all smaller ones, and
// a size that was never reached is reported at the end.
func TestBenchPrintsRowsEarlyAndInTheOrderOfSizes(t *testing.T) {
	e := environment([]string{"bench", "all-reduce", "-b", "1K", "-e", "8K", "-f", "2", "--nodes", "2"})
	var out bytes.Buffer
	rows := func() (sizes string) {
		for line := range strings.Lines(out.String()) {
			if f := strings.Fields(line); len(f) == 13 && f[0] != "#" {
				sizes += f[0] + " "
			}
		}
		return sizes
	}
	e.Run = func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
		finished := o.Finished
		o.Finished = nil
		outcome, err := madeUp(ctx, r, o)
		points := outcome.Fabrics[0].Points
		for _, step := range []struct {
			size int
			want string
		}{{1, ""}, {0, "1024 2048 "}, {3, "1024 2048 "}} {
			finished(weft.Finished{Size: step.size, Point: points[step.size]})
			if got := rows(); got != step.want {
				t.Errorf("after size %d the rows are %q, want %q", step.size, got, step.want)
			}
		}
		points[2] = results.Point{Bytes: 4096, Partial: true}
		outcome.Partial = true
		return outcome, errors.Join(err, context.Canceled)
	}
	var errs bytes.Buffer
	e.Stdout, e.Stderr = &out, &errs
	if code := Main(t.Context(), e); code != exit.Partial || rows() != "1024 2048 8192 " {
		t.Errorf("exit code %d, rows %q, want %d and all but 4096\n%s%s", code, rows(), exit.Partial, out.String(), errs.String())
	}
	for _, want := range []string{"# no result at 4096 B: interrupted\n", "# partial: the run was stopped"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("want %q once in\n%s", want, out.String())
		}
	}
}

// A verb that cannot write its output exits with 1 and the reason.
func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, args := range [][]string{
		{"compare", "-"},
		{"compare", "-", "--json"},
		{"run", "-", "--print-scenario"},
		{"bench", "all-reduce", "--nodes", "2"},
		{"catalog"},
		{"catalog", "nic"},
		{"catalog", "nic", "connectx-7"},
		{"topology", "-"},
		{"topology", "-", "--svg", "-"},
		{"latency"},
		{"version"},
		{"version", "--json"},
		{"exit-codes"},
		{"help"},
		{"compare", "--help"},
		{"roce"},
	} {
		e := environment(args)
		e.Stdin = strings.NewReader("cluster: {nodes: 2}\n")
		var errs bytes.Buffer
		e.Stdout, e.Stderr = full{}, &errs
		if code := Main(t.Context(), e); code != exit.Failed || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v on a full disk: exit code %d, want %d: %s", args, code, exit.Failed, errs.String())
		}
	}
}

// An impossible topology is an error in the file: it has a line and a column, and all
// errors are reported together.
func TestAnImpossibleTopologyHasItsPlaceInTheFile(t *testing.T) {
	for _, verb := range [][]string{{"compare", "-"}, {"run", "-"}, {"compare", "-", "--fabric", "infiniband-ndr,roce-v2-400g"}} {
		e := environment(verb)
		e.Stdin = strings.NewReader("topology: {radix: 16}\nfabrics:\n  - tcp-400g\n  - infiniband-ndr\n  - preset: roce-v2-400g\n    topology: {radix: 32}\n")
		e.Run = func(context.Context, *scenario.Resolved, weft.Options) (*results.Results, error) {
			return nil, errors.Join(
				&network.Refusal{Fabric: "infiniband-ndr", Field: "topology", Err: errors.New("a port is missing")},
				&network.Refusal{Fabric: "roce-v2-400g", Field: "topology", Err: errors.New("a switch is missing")})
		}
		want := "weft: stdin:1:12: topology: fabric infiniband-ndr: a port is missing\nstdin:6:16: fabrics[2].topology: a switch is missing\n"
		if code, _, stderr := invoke(e); code != exit.BadInput || stderr != want {
			t.Errorf("%v: exit code %d, want %d: %q, want %q", verb, code, exit.BadInput, stderr, want)
		}
	}
}

// A closed pipe ends the program: the folder already has the results of the run.
func TestTheFolderIsWrittenBeforeTheResultsArePrinted(t *testing.T) {
	for _, args := range [][]string{{"compare", "-"}, {"bench", "all-reduce", "--nodes", "2", "--json"}} {
		dir := filepath.Join(t.TempDir(), "run")
		e := environment(append(args, "--out", dir))
		e.Stdin = strings.NewReader("cluster: {nodes: 2}\n")
		var errs bytes.Buffer
		e.Stdout, e.Stderr = full{}, &errs
		if code := Main(t.Context(), e); code != exit.Failed || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v on a full disk: exit code %d, want %d: %s", args, code, exit.Failed, errs.String())
		}
		if _, err := runstore.Read(dir); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestColourNeedsATerminalWithColours(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      map[string]string
		want     bool
	}{{false, nil, false}, {true, nil, true}, {true, map[string]string{"NO_COLOR": "1"}, false}, {true, map[string]string{"TERM": "dumb"}, false}} {
		e := environment(nil)
		e.StdoutTerminal, e.Getenv = c.terminal, func(k string) string { return c.env[k] }
		if got := e.Style().Colour; got != c.want {
			t.Errorf("terminal %v, %v: colour %v, want %v", c.terminal, c.env, got, c.want)
		}
	}
}

func TestACancelledRunIsPartial(t *testing.T) {
	e := environment([]string{"compare", "-"})
	e.Stdin = strings.NewReader("cluster: {nodes: 2}\n")
	ctx, cancel := context.WithCancel(context.Background())
	e.Run = func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
		cancel()
		return madeUp(ctx, r, o) // without Partial
	}
	var out, errs bytes.Buffer
	e.Stdout, e.Stderr = &out, &errs
	if code := Main(ctx, e); code != exit.Partial || !strings.Contains(out.String(), "Partial: the run was stopped") {
		t.Errorf("exit code %d, want %d\n%s%s", code, exit.Partial, out.String(), errs.String())
	}
}

// TestWorkWithoutPartsHasLinesOfProgress: in a pipe, a long computation reports without a
// number of simulations. A verb that waits for input from others reports nothing.
func TestWorkWithoutPartsHasLinesOfProgress(t *testing.T) {
	e := environment([]string{"topology", "-"})
	e.Stdin, e.Pulse = &slow{strings.NewReader("cluster: {nodes: 2}\n")}, 2*time.Millisecond
	if code, _, stderr := invoke(e); code != exit.OK || !strings.Contains(stderr, "weft: after 10s: topology is at work") {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
	e = environment([]string{"sniff", "-"})
	e.Stdin, e.Pulse = &slow{strings.NewReader(classicHead)}, 2*time.Millisecond
	if _, _, stderr := invoke(e); strings.Contains(stderr, "at work") {
		t.Errorf("a verb that waits for packets says %q", stderr)
	}
}

// slow is an input with a delay before each read.
type slow struct{ io.Reader }

func (s *slow) Read(b []byte) (int, error) {
	time.Sleep(40 * time.Millisecond)
	return s.Reader.Read(b)
}
