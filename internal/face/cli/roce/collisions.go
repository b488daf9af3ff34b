package roce

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/base/jsontext"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/collisions"
	"weft/internal/study/many"
	"weft/scenario"
	"weft/units"
)

// collisionsResult is the file with the result in --out.
const collisionsResult = "collisions.json"

// The bounds of weft roce collisions: each seed is a simulation of every size and
// policy.
const (
	maxHashSeeds = 10000
	maxClusters  = 64
	maxQPChoices = 16
)

// balancing are the measured modes of routing.
var balancing = []string{string(scenario.Deterministic), string(scenario.ECMP), string(scenario.Flowlet), string(scenario.Adaptive), string(scenario.Spray)}

// colliding is the flags of weft roce collisions.
type colliding struct {
	overrides.Flags
	simulator.StudyFlags
	nodes []int
	qps   []int
	modes []string
	seeds int
}

func newRoCECollisions(e *simulator.Simulator) *cobra.Command {
	c := &colliding{}
	cmd := &cobra.Command{
		Use:   "collisions SCENARIO",
		Short: "the cost of ECMP collisions over the size of a job",
		Long: `Simulates the scenario's largest size on clusters of several sizes, for each way of
balancing the load and over many hash seeds. It prints the distribution of the loss of
bus bandwidth relative to one ideal switch: median, 10 % and 90 %, and worst.

ECMP runs with several queue pairs per connection, each with an entropy of its own
(QP scaling, E-ECMP); the other modes with the scenario's own number. Only
routing.hash-seed differs between the simulations of a distribution.`,
		Example: `  weft roce collisions example:collisions-growth --out curve
  weft roce collisions example:collisions-growth --set cluster.nodes=16 --hash-seeds 20
  weft roce collisions my.yaml --nodes 4,8,16 --qps 1,4 --modes ecmp,spray --hash-seeds 50`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			memory := func() (units.Bytes, error) {
				_, r, err := c.spec(e, given[0])
				if err != nil {
					return 0, err
				}
				return r.Estimate().Memory, nil
			}
			return c.Do(cmd, e, memory, func(ctx context.Context) error { return c.do(ctx, e, given[0]) })
		},
	}
	c.Register(cmd)
	f := cmd.Flags()
	f.Lookup("fabric").Usage = "the fabric to measure, by name (default: the scenario's only RoCE v2 fabric)"
	f.IntSliceVar(&c.nodes, "nodes", nil, "cluster sizes in nodes (default: 2, 4, 8, … up to the scenario's)")
	f.IntSliceVar(&c.qps, "qps", []int{1, 2, 4}, "queue pairs per connection, of ECMP")
	f.StringSliceVar(&c.modes, "modes", []string{"ecmp", "flowlet", "adaptive", "spray"}, "ways of balancing: "+strings.Join(balancing, ", "))
	f.IntVar(&c.seeds, "hash-seeds", 10, "hash seeds of each distribution")
	c.RegisterStudy(cmd, e, "scenario.yaml, collisions.json and report.html")
	e.ReportFlags(cmd)
	for _, flag := range []string{"nodes", "qps", "hash-seeds"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	_ = cmd.RegisterFlagCompletionFunc("modes", cobra.FixedCompletions(balancing, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (c *colliding) do(ctx context.Context, e *simulator.Simulator, path string) error {
	spec, r, err := c.spec(e, path)
	if err != nil {
		return err
	}
	folder := process.OwnFolder{Name: c.Out, Mark: collisionsResult, What: "collisions"}
	if err := folder.Open(e.Env); err != nil {
		return err
	}
	defer folder.Close()
	line := e.Working("the simulations begin")
	result, err := collisions.Run(ctx, spec, many.Options{
		Run: e.Study(), Workers: cmp.Or(c.Workers, e.Cores),
		Progress: func(p weft.Progress) { line.Count(p.Done, p.Total, "simulations") },
	})
	line.End()
	var reference *collisions.ReferenceError
	switch {
	case errors.As(err, &reference):
		return exit.Errorf(exit.Failed, "%w", err)
	case result == nil && ctx.Err() == nil:
		return err // nothing has run
	case result == nil || len(result.Sizes) == 0:
		return exit.Errorf(exit.Partial, "stopped before a size was complete")
	}
	stored, printErr := c.store(e, &folder, result, r), c.tell(e, result)
	if err := cmp.Or(stored, printErr); err != nil {
		return err
	}
	if result.Partial {
		return exit.Errorf(exit.Partial, "stopped: the larger sizes are missing")
	}
	return nil
}

func (c *colliding) tell(e *simulator.Simulator, result *collisions.Result) error {
	return e.Present(report.Collisions(result, nil), c.JSON, result)
}

// store writes the folder, if requested.
func (c *colliding) store(e *simulator.Simulator, folder *process.OwnFolder, result *collisions.Result, r *scenario.Resolved) error {
	if c.Out == "" {
		return nil
	}
	text, err := r.MarshalYAML()
	if err != nil {
		return err
	}
	var page, answer bytes.Buffer
	if err := jsontext.Write(&answer, result); err != nil {
		return err
	}
	if err := report.Collisions(result, text).HTML(&page); err != nil {
		return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
	}
	files := []runstore.File{
		{Name: runstore.ScenarioFile, Text: text}, {Name: runstore.ReportFile, Text: page.Bytes()}, {Name: collisionsResult, Text: answer.Bytes()},
	}
	return folder.Store(e.Env, files, c.JSON)
}

// spec is the request of the scenario and the flags.
func (c *colliding) spec(e *simulator.Simulator, path string) (*collisions.Spec, *scenario.Resolved, error) {
	file, err := overrides.Open(e.Env, path)
	if err == nil {
		file, err = c.Overlaid(e.Env, file)
	}
	if err != nil {
		return nil, nil, err
	}
	own, err := c.Overrides()
	if err != nil {
		return nil, nil, err
	}
	r, err := file.Resolve(own...)
	if err != nil {
		return nil, nil, err
	}
	fabric, err := c.fabricOf(r)
	if err != nil {
		return nil, nil, err
	}
	if c.seeds < 1 || c.seeds > maxHashSeeds {
		return nil, nil, fmt.Errorf("--hash-seeds %d: want 1 to %d", c.seeds, maxHashSeeds)
	}
	policies, err := c.policies()
	if err != nil {
		return nil, nil, err
	}
	nodes, err := c.clusters(r.Cluster.Nodes)
	if err != nil {
		return nil, nil, err
	}
	return &collisions.Spec{File: file, Overrides: own, Fabric: fabric, Nodes: nodes, Policies: policies, Seeds: c.seeds}, r, nil
}

// fabricOf is the RoCE v2 fabric of --fabric, or the only one.
func (c *colliding) fabricOf(r *scenario.Resolved) (int, error) {
	if len(c.Fabrics) > 1 {
		return 0, fmt.Errorf("--fabric %s: one fabric is measured at a time", strings.Join(c.Fabrics, ","))
	}
	if err := c.Reach(overrides.FabricNames(r)); err != nil {
		return 0, err
	}
	return overrides.OnlyRoCE(r, c.Fabrics, ", whose packets ECMP hashes")
}

// policies are the ways of balancing, ECMP with each number of queue pairs.
func (c *colliding) policies() ([]collisions.Policy, error) {
	if len(c.qps) == 0 || len(c.qps) > maxQPChoices {
		return nil, fmt.Errorf("--qps: want 1 to %d numbers such as 1,2,4", maxQPChoices)
	}
	var out []collisions.Policy
	for i, mode := range c.modes {
		if slices.Index(c.modes, mode) < i {
			return nil, fmt.Errorf("--modes: %s is given twice", mode)
		}
		if !slices.Contains(balancing, mode) {
			return nil, fmt.Errorf("--modes %s: want some of %s", mode, strings.Join(balancing, ", "))
		}
		if mode != string(scenario.ECMP) {
			out = append(out, collisions.Policy{Name: mode, Mode: scenario.RoutingMode(mode)})
			continue
		}
		for k, n := range c.qps {
			switch {
			case slices.Index(c.qps, n) < k:
				return nil, fmt.Errorf("--qps: %d is given twice", n)
			case n < 1:
				return nil, fmt.Errorf("--qps %d: a connection has at least one queue pair", n)
			}
			name := fmt.Sprintf("ecmp, %d QPs", n)
			if n == 1 {
				name = "ecmp, 1 QP"
			}
			out = append(out, collisions.Policy{Name: name, Mode: scenario.ECMP, QPs: n})
		}
	}
	return out, nil
}

// clusters are the sizes, ascending: the given ones, or powers of two up to the scenario's.
func (c *colliding) clusters(most int) ([]int, error) {
	nodes := slices.Clone(c.nodes)
	if len(nodes) == 0 {
		for n := 2; n < most; n *= 2 {
			nodes = append(nodes, n)
		}
		nodes = append(nodes, most)
	}
	slices.Sort(nodes)
	if len(nodes) > maxClusters {
		return nil, fmt.Errorf("--nodes: %d sizes are given: at most %d", len(nodes), maxClusters)
	}
	if nodes[0] < 1 {
		return nil, fmt.Errorf("--nodes %d: a cluster has at least one node", nodes[0])
	}
	return slices.Compact(nodes), nil
}
