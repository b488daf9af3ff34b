package calibrate

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/formats/logfile"
	"weft/scenario"
	"weft/units"
)

// Stated is a setting that the log itself states. The prediction is made with it: what the user
// chose is no fault.
type Stated struct {
	File string // of several; "" if the log is one file
	Line int
	Text string // the words of the log
	// Idle is the number of a node's NICs that the setting leaves unused; 0 for all other settings.
	Idle int

	over []scenario.Override
}

// state adds what the log states of the run to a collective's task. A setting that the scenario
// cannot have is told.
func (c *Cluster) state(t *Task, whole *scenario.Resolved, said *logfile.Said) {
	if t.kind != collective {
		return
	}
	for _, s := range slices.Concat(choices(t, c, said), idleNICsOf(t, whole, said)) {
		if _, err := c.under(t, s.over); err != nil {
			t.Told = append(t.Told, fmt.Sprintf("line %d: %s is not simulated: %v", s.Line, s.Text, shortened(err)))
			continue
		}
		t.Stated = append(t.Stated, s)
	}
}

// choices are the user's choices among NCCL's ways. The variables are NCCL's (its user guide,
// "Environment Variables").
func choices(t *Task, c *Cluster, said *logfile.Said) (out []Stated) {
	add := func(s logfile.Setting, path, value string) {
		text := s.Name + "=" + s.Value
		out = append(out, Stated{File: s.File, Line: s.Line, Text: text, over: []scenario.Override{{Path: path, Value: value, Origin: text}}})
	}
	seen := make(map[string]bool)
	for _, s := range slices.Concat(t.Table.Settings, said.Settings) {
		if last, _ := setFor(t, said, s.Name); last != s || seen[s.Name] {
			continue
		}
		seen[s.Name] = true
		switch value := strings.ToLower(strings.TrimSpace(s.Value)); s.Name {
		case "NCCL_ALGO":
			if algorithm := algorithmNamed(value); algorithm != "" && t.Table.Op == string(scenario.AllReduce) {
				add(s, "workload.algorithm", string(algorithm))
			} else if strings.HasPrefix(value, "^") && strings.Contains(value, "nvls") {
				add(s, "cluster.node.scale-up.multicast", "false")
			}
		case "NCCL_TREE_THRESHOLD": // until 2.4: trees up to this size
			if value == "0" && t.Table.Op == string(scenario.AllReduce) {
				add(s, "workload.algorithm", string(scenario.AlgoRing))
			}
		case "NCCL_PROTO":
			if protocols := map[string]scenario.Protocol{"simple": scenario.ProtoSimple, "ll": scenario.ProtoLL, "ll128": scenario.ProtoLL128}; protocols[value] != "" && t.choosesProtocol() {
				add(s, "workload.protocol", string(protocols[value]))
			}
		case "NCCL_NVLS_ENABLE":
			if value == "0" {
				add(s, "cluster.node.scale-up.multicast", "false")
			}
		case "NCCL_MAX_NCHANNELS":
			if least, ok := setFor(t, said, "NCCL_MIN_NCHANNELS"); ok && least.Value == s.Value {
				add(s, "workload.channels", value)
			}
		case "NCCL_PXN_DISABLE":
			if value == "1" {
				add(s, "nccl.pxn", "false")
			}
		case "NCCL_IB_QPS_PER_CONNECTION":
			add(s, c.path(".transport.qps-per-connection"), value)
		}
	}
	return out
}

// setFor is a setting of a table's run: of its own command line, or else of the log.
func setFor(t *Task, said *logfile.Said, name string) (logfile.Setting, bool) {
	if set, ok := t.Table.Setting(name); ok {
		return set, true
	}
	return said.Setting(name)
}

// choosesProtocol reports whether NCCL chooses a protocol for the operation: point-to-point
// operations have none to choose.
func (t *Task) choosesProtocol() bool {
	return t.Table.Op != string(scenario.AllToAll) && t.Table.Op != string(scenario.SendRecv)
}

// algorithmNamed is the algorithm that NCCL_ALGO forces; empty if it leaves a choice.
func algorithmNamed(value string) scenario.Algorithm {
	names := map[string]scenario.Algorithm{
		"ring": scenario.AlgoRing, "tree": scenario.AlgoTree, "nvls": scenario.AlgoNVLS, "nvlstree": scenario.AlgoNVLSTree,
	}
	return names[strings.TrimPrefix(value, "allreduce:")]
}

// oneDevice is the name of one network device in NCCL_IB_HCA: it ends with its number, and perhaps a
// port. Other names, as mlx5 or mlx5_, are prefixes of several.
var oneDevice = regexp.MustCompile(`^(?:\w+_\d+|(?:bnxt_re|irdma|rocep|efa)\w*\d+)(?::\d+)?$`)

// idleNICsOf is the log's own number of NICs of a node, if it is less than the cluster's: of the
// devices that NCCL lists, or of NCCL_IB_HCA. A list of devices to leave out says nothing of those
// that are left.
func idleNICsOf(t *Task, whole *scenario.Resolved, said *logfile.Said) []Stated {
	nics := whole.Cluster.Node.NICs
	used, s := len(said.Devices), Stated{Text: "NCCL uses " + strings.Join(said.Devices, ", ")}
	if set, ok := setFor(t, said, "NCCL_IB_HCA"); ok {
		if used == 0 {
			used = devicesIn(set.Value)
		}
		s.File, s.Line, s.Text = set.File, set.Line, set.Name+"="+set.Value
	}
	if used == 0 || used >= nics || !t.Network() {
		return nil
	}
	s.Idle = nics - used
	label := fmt.Sprintf("%d of %s of each node in use", used, wording.Counted(nics, "NIC", "NICs"))
	s.over = []scenario.Override{{Path: "cluster.node.nics", Value: fmt.Sprint(used), Origin: label}}
	return []Stated{s}
}

// devicesIn is the number of devices in a value of NCCL_IB_HCA; 0 if it does not say one.
func devicesIn(list string) int {
	seen := make(map[string]bool)
	for _, name := range strings.Split(strings.TrimPrefix(list, "="), ",") {
		if !oneDevice.MatchString(name) {
			return 0
		}
		device, _, _ := strings.Cut(name, ":")
		seen[device] = true
	}
	return len(seen)
}

// states reports whether the log states a field of the scenario, and with which words.
func (t *Task) states(path string) (text string, ok bool) {
	for _, s := range t.Stated {
		for _, o := range s.over {
			if o.Path == path {
				return s.quoted(), true
			}
		}
	}
	return "", false
}

// quoted is the words of the log with their line.
func (s *Stated) quoted() string {
	if s.Line == 0 {
		return s.Text
	}
	return fmt.Sprintf("%s (%s)", s.Text, logfile.Place(s.File, s.Line))
}

// stated are the changes of the scenario that the log states, without those that keep leaves out.
func (t *Task) stated(keep func(*Stated) bool) (out []scenario.Override) {
	for i := range t.Stated {
		if keep(&t.Stated[i]) {
			out = append(out, t.Stated[i].over...)
		}
	}
	return out
}

// Cost is what settings that the log states cost.
type Cost struct {
	Stated []string       // the words of the log, each once
	Times  [][]units.Time // without the settings, by task and point
	// Ratio is the largest or least of the times with the settings over those without, at a size of
	// Bytes; 1 is no cost.
	Ratio float64
	Bytes int64
	// Idle is the number of a node's NICs that the settings leave unused, of NICs; 0 for the user's
	// choices.
	Idle, NICs int
	over       []scenario.Override
}

// price simulates the cluster without the settings that the log states: without those that leave
// NICs unused, and without the user's choices.
func (d *Diagnosis) price(ctx context.Context, c *Cluster, o *Options) (err error) {
	if d.Idle, err = d.cost(ctx, c, o, func(s *Stated) bool { return s.Idle > 0 }); err != nil {
		return err
	}
	d.Chosen, err = d.cost(ctx, c, o, func(s *Stated) bool { return s.Idle == 0 })
	return err
}

// cost simulates the tasks without some of their settings; nil if no task has one, or if they change
// nothing that the log could show.
func (d *Diagnosis) cost(ctx context.Context, c *Cluster, o *Options, of func(*Stated) bool) (*Cost, error) {
	cost := &Cost{Ratio: 1}
	for i, t := range d.Tasks {
		var some []Stated
		for _, s := range t.Stated {
			if of(&s) {
				some = append(some, s)
			}
		}
		if len(some) == 0 {
			cost.Times = append(cost.Times, d.Predicted[i])
			continue
		}
		r, err := c.resolve(slices.Concat(t.over, t.stated(func(s *Stated) bool { return !of(s) })))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Title, err)
		}
		times, err := t.simulate(ctx, r, c.Hops, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Title, err)
		}
		cost.Times = append(cost.Times, times)
		cost.take(t, some, r.Cluster.Node.NICs, times, d.Predicted[i])
	}
	if len(cost.Stated) == 0 || !d.differs(cost.Times) {
		return nil, nil
	}
	return cost, nil
}

// take adds a task with its settings and its times without them and with them.
func (x *Cost) take(t *Task, some []Stated, nics int, without, with []units.Time) {
	for i := range some {
		if text := some[i].quoted(); !slices.Contains(x.Stated, text) {
			x.Stated = append(x.Stated, text)
		}
		x.over = append(x.over, some[i].over...)
		x.Idle, x.NICs = max(x.Idle, some[i].Idle), nics
	}
	for j := range t.Points {
		if ratio := float64(with[j]) / float64(without[j]); math.Abs(math.Log(ratio)) > math.Abs(math.Log(x.Ratio)) {
			x.Ratio, x.Bytes = ratio, t.Points[j].Bytes
		}
	}
}

// IdleConvicted reports whether the NICs that the log itself leaves unused are the cause.
func (d *Diagnosis) IdleConvicted() bool { return d.idleConvicted }

// convictIdle makes the NICs that the log itself leaves unused the cause, if nothing else is likely,
// or if the log is nowhere slower than with them: then the prediction without that setting is the
// one to compare with.
func (d *Diagnosis) convictIdle() {
	fast := d.nowhereSlower()
	if d.Idle == nil || d.Idle.Ratio < 1 || d.Healthy < likely && !fast {
		return
	}
	share := d.Healthy
	if fast {
		share = max(share, certain)
	}
	h := &Hypotheses[slices.IndexFunc(Hypotheses, func(h Hypothesis) bool { return h.ID == fewerRailsID })]
	m := d.matchOf(d.Predicted)
	found := Explanation{
		Hypothesis: h, Label: d.Idle.over[0].Origin, Posterior: share, Match: m.rms(), Worst: m.worst, Shows: true,
		Predicted: d.Predicted, Changes: d.Idle.over, Evidence: strings.Join(d.Idle.Stated, ", "),
	}
	d.Explanations, d.idleConvicted = slices.Insert(d.Explanations, 0, found), true
	d.Untried = slices.DeleteFunc(d.Untried, func(u Untried) bool { return u.ID == h.ID })
	for i := range d.Explanations[1:] {
		d.Explanations[1+i].Posterior *= 1 - share
	}
	d.Predicted, d.Healthy, d.Other = d.Idle.Times, 0, 0
	described := d.matchOf(d.Predicted)
	d.Match = described.rms()
}
