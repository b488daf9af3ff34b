package runs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/study/latency"
	"weft/scenario"
	"weft/units"
)

// explaining is the flags of weft latency.
type explaining struct {
	overrides.Flags
	bytes      string
	op         string
	path       string
	cable      string
	hops       int
	iterations int
	jitter     bool
	json       bool
	presets    []string // without a file
}

// NewLatency is the verb weft latency.
func NewLatency(e *process.Env) *cobra.Command {
	l := &explaining{}
	cmd := &cobra.Command{
		Use:   "latency [FILE]",
		Short: "the time of a small message, term by term",
		Long: `Simulates one small message between two hosts on each fabric and splits its time
into terms: the differences of the timestamps of the packet that carried it,
which add up to the whole, each with its source. It also prints copies, system calls
and CPU cycles, perftest's report of the ping-pong, and published figures.

Without a file the fabrics are presets; with a file they are the scenario's. In both
cases two NICs are connected by a chain of switches, idle except for the message. A
WRITE and a SEND carry immediate data, 4 bytes more on the wire than in perftest,
whose receiver polls its memory instead. The remote NIC's work for a READ is charged
after the response.`,
		Example: `  weft latency
  weft latency --fabric infiniband-hdr,roce-v2-200g --path rdma-host --bytes 4K --hops 3
  weft latency example:h100-128 --op send --jitter`,
		Args:              flags.Args(0, 1, "at most one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE:              func(_ *cobra.Command, given []string) error { return l.do(e, given) },
	}
	l.Given = cmd.Flags()
	f := cmd.Flags()
	f.StringSliceVar(&l.Fabrics, "fabric", nil, "presets, or fabrics of the scenario (default: all of the scenario's, or InfiniBand, RoCE v2 and TCP at 400 Gb/s)")
	flags.Absent(cmd, "the size of the message is --bytes", "size")
	f.StringVar(&l.bytes, "bytes", "2", "size of the message, in the form of ib_write_lat (2, 4K)")
	f.StringVar(&l.op, "op", "write", "operation: write, send or read; TCP sends")
	f.StringVar(&l.path, "path", "", "data path of RDMA: cpu, rdma-host, gpudirect-p2p or gpudirect-rdma (default: the fabric's); TCP has cpu")
	f.StringVar(&l.cable, "cable", "", "length of each cable, such as 5m (default: the scenario's)")
	f.IntVar(&l.hops, "hops", 1, "switches between the two hosts; 0 is a cable")
	f.IntVarP(&l.iterations, "iters", "n", 1000, "round trips of the ping-pong")
	f.BoolVar(&l.jitter, "jitter", false, "turn the seeded jitter of hosts, NICs and switches on (default: the scenario's)")
	f.Uint64Var(&l.Seed, "seed", 0, "seed of the jitter (default: the scenario's)")
	f.StringArrayVar(&l.Set, "set", nil, "change a field, such as fabrics[0].mtu=1KiB; without a file each fabric is fabrics[0], and fabrics[NAME] is one of them; may be repeated")
	l.RegisterOverlay(cmd)
	f.BoolVar(&l.json, "json", false, "print as JSON")
	for flag, values := range map[string][]string{
		"path": catalog.Names(catalog.Host), "op": {"write", "send", "read"},
		"bytes": nil, "cable": nil, "hops": nil, "iters": nil, "seed": nil, "set": nil,
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	e.ReportFlags(cmd)
	return cmd
}

func (l *explaining) do(e *process.Env, given []string) error {
	spec := latency.Spec{Op: latency.Op(l.op), Hops: l.hops, Iterations: l.iterations}
	var err error
	if spec.Bytes, err = units.ParseBytes(l.bytes); err != nil {
		return fmt.Errorf("--bytes: %w", err)
	}
	if l.path != "" {
		if _, err := catalog.Lookup(catalog.Host, l.path); err != nil {
			return fmt.Errorf("--path: %w", err)
		}
	}
	if i := slices.IndexFunc(l.Set, func(s string) bool { return strings.Contains(s, ".host") }); i >= 0 && l.path != "" && len(given) > 0 {
		return fmt.Errorf("--path %s: it replaces the host of a scenario's fabrics, also --set %s: set the path there, too, such as fabrics[0].host=%s", l.path, l.Set[i], l.path)
	}
	scenarios, err := l.scenarios(e, given)
	if err != nil {
		return err
	}
	if err := l.change(scenarios, len(given) > 0); err != nil {
		return err
	}
	var all []*latency.Result
	for _, r := range scenarios {
		for i := range r.Fabrics {
			f := &r.Fabrics[i]
			s := spec
			if !protocol.Of(f.Kind).RDMA() && s.Op != latency.Send && !l.onlyTCP(scenarios, "op") {
				s.Op = latency.Send
			}
			if err := s.Check(f); err != nil {
				return err
			}
			m, err := latency.Measure(r, f, s)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			all = append(all, m)
		}
	}
	figures, err := latency.Figures(all)
	if err != nil {
		return exit.Errorf(exit.Defect, "%w", err)
	}
	return e.Present(report.Latencies(all, figures), l.json, latency.RecordOf(all, figures))
}

// onlyTCP reports whether a flag without effect on TCP was given for fabrics of TCP alone: then it
// is a mistake.
func (l *explaining) onlyTCP(scenarios []*scenario.Resolved, flag string) bool {
	for _, r := range scenarios {
		for i := range r.Fabrics {
			if protocol.Of(r.Fabrics[i].Kind).RDMA() {
				return false
			}
		}
	}
	return l.Changed(flag)
}

// usualFabrics are the default fabrics.
var usualFabrics = []string{"infiniband-ndr", "roce-v2-400g", "tcp-400g"}

// latencyNodes are the nodes to try: the first with a NIC that is fast enough for the fabric.
var latencyNodes = []scenario.Node{{Preset: "dgx-h100"}, {Preset: "dgx-b300"}, {Preset: "dgx-b300", NIC: scenario.NIC{Model: "thor-ultra"}}}

// scenarios are the scenarios of the fabrics: one from a file, or one for each preset.
func (l *explaining) scenarios(e *process.Env, given []string) ([]*scenario.Resolved, error) {
	if len(given) > 0 {
		r, err := l.Load(e, given[0])
		return []*scenario.Resolved{r}, err
	}
	names := l.Fabrics
	l.Fabrics = nil // here they are not a filter
	if len(names) == 0 {
		names = usualFabrics
	}
	var out []*scenario.Resolved
	l.presets = names
	for _, name := range names {
		if _, err := catalog.Lookup(catalog.Fabric, name); err != nil {
			return nil, fmt.Errorf("--fabric: %w", err)
		}
		r, err := l.preset(e, name)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (l *explaining) preset(e *process.Env, name string) (r *scenario.Resolved, err error) {
	var first error
	for _, node := range latencyNodes {
		var file *scenario.File
		file, err = scenario.New(name, &scenario.Scenario{
			Name: name, Cluster: scenario.Cluster{Nodes: 2, Node: node}, Fabrics: []scenario.Fabric{l.fabric(name)},
		})
		if err == nil {
			file, err = l.Overlaid(e, file)
		}
		if err == nil {
			r, err = l.ofPreset(name).Resolve(file)
		}
		if err == nil {
			return r, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// ofPreset is the flags with the --set for a preset, without those for the others by name.
func (l *explaining) ofPreset(name string) *overrides.Flags {
	c := l.Flags
	c.Set = slices.DeleteFunc(slices.Clone(c.Set), func(set string) bool {
		return slices.ContainsFunc(l.presets, func(other string) bool {
			return other != name && strings.HasPrefix(set, "fabrics["+other+"]")
		})
	})
	return &c
}

// fabric is the preset of a fabric, with the path of --path. TCP in the kernel has its own.
func (l *explaining) fabric(name string) scenario.Fabric {
	f := scenario.Fabric{Preset: name}
	if e, err := catalog.Lookup(catalog.Fabric, name); err == nil {
		if kind, ok := e.Get("kind"); ok && protocol.Of(kind.Value).RDMA() {
			f.Host.Path = scenario.HostPath(l.path)
		}
	}
	return f
}

// change applies the flags of all fabrics to the scenarios. Presets have the path of --path already; ofFile says
// that the fabrics are a file's, which get it here.
func (l *explaining) change(scenarios []*scenario.Resolved, ofFile bool) error {
	var host scenario.Host
	if l.path != "" {
		if l.path != string(scenario.PathCPU) && l.onlyTCP(scenarios, "path") {
			return fmt.Errorf("--path %s: TCP in the kernel has only the path cpu", l.path)
		}
		file, err := scenario.New("--path", &scenario.Scenario{
			Fabrics: []scenario.Fabric{{Preset: "infiniband-ndr", Host: scenario.Host{Path: scenario.HostPath(l.path)}}},
		})
		if err != nil {
			return err
		}
		r, err := file.Resolve()
		if err != nil {
			return err
		}
		host = r.Fabrics[0].Host
	}
	length := units.Length(0)
	if l.cable != "" {
		var err error
		if length, err = units.ParseLength(l.cable); err != nil {
			return fmt.Errorf("--cable: %w", err)
		}
		if length < units.Millimetre || length > 100_000*units.Metre {
			return fmt.Errorf("--cable %s: want 1mm to 100km", l.cable)
		}
	}
	if l.Changed("seed") && !l.jitter && !slices.ContainsFunc(scenarios, func(r *scenario.Resolved) bool { return r.Run.Jitter }) {
		return errors.New("--seed is for --jitter: without it nothing is random")
	}
	for _, r := range scenarios {
		r.Run.Jitter = r.Run.Jitter || l.jitter
		for i := range r.Fabrics {
			f := &r.Fabrics[i]
			if ofFile && l.path != "" && protocol.Of(f.Kind).RDMA() {
				f.Host = host
			}
			if length > 0 {
				f.Topology.Cables = scenario.Cables{NodeLeaf: length, LeafSpine: length, SpineCore: length, Local: length, Global: length}
			}
		}
	}
	return nil
}
