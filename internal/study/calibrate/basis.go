package calibrate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/formats/logfile"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Stated is a setting that the log itself states. The prediction is made with it: what the user
// chose is no fault.
type Stated struct {
	File string // of several; "" if the log is one file
	Line int
	Text string // the words of the log
	// Unused says which hardware the setting leaves unused, as the end of a sentence: 3 of 4 NICs of each node are
	// unused. It is "" for all other settings.
	Unused string

	over []scenario.Override
	// Of a setting that leaves hardware unused: the hypothesis that it is, and what the cluster has without it; nil for
	// what is described.
	cause string
	full  []scenario.Override
}

// state adds what the log states of the run to a collective's task. A setting that the scenario
// cannot have is told.
func (c *Cluster) state(t *Task, whole *scenario.Resolved, said *logfile.Said) {
	if t.kind != collective {
		return
	}
	for _, s := range slices.Concat(choices(t, c, said), idleNICsOf(t, whole, said), fewSocketsOf(t, c, whole, said)) {
		if _, err := c.under(t, s.over); err != nil {
			t.Told = append(t.Told, fmt.Sprintf("line %d: %s is not simulated: %v", s.Line, s.Text, shortened(err)))
			continue
		}
		t.Stated = append(t.Stated, s)
	}
}

// choice is a user's choice among NCCL's ways: a variable, and the field of the scenario that a value
// of it sets; no field if the value leaves NCCL a choice. The variables are NCCL's (its user guide,
// "Environment Variables").
type choice struct {
	variable string
	field    func(c *Cluster, t *Task, said *logfile.Said, value string) (path, to string)
}

var choiceVariables = []choice{
	{"NCCL_ALGO", func(_ *Cluster, t *Task, _ *logfile.Said, value string) (path, to string) {
		switch algorithm := algorithmNamed(value); {
		case algorithm != "" && t.Table.Op == string(scenario.AllReduce):
			return "workload.algorithm", string(algorithm)
		case strings.HasPrefix(value, "^") && strings.Contains(value, "nvls"):
			return "cluster.node.scale-up.multicast", "false"
		}
		return "", ""
	}},
	// Until 2.4, trees are for sizes up to this one.
	{"NCCL_TREE_THRESHOLD", func(_ *Cluster, t *Task, _ *logfile.Said, value string) (path, to string) {
		if value == "0" && t.Table.Op == string(scenario.AllReduce) {
			return "workload.algorithm", string(scenario.AlgoRing)
		}
		return "", ""
	}},
	{"NCCL_PROTO", func(_ *Cluster, t *Task, _ *logfile.Said, value string) (path, to string) {
		protocol := scenario.Protocol(value)
		if slices.Contains([]scenario.Protocol{scenario.ProtoSimple, scenario.ProtoLL, scenario.ProtoLL128}, protocol) && t.choosesProtocol() {
			return "workload.protocol", value
		}
		return "", ""
	}},
	{"NCCL_NVLS_ENABLE", off("0", "cluster.node.scale-up.multicast")},
	{"NCCL_PXN_DISABLE", off("1", "nccl.pxn")},
	{"NCCL_MAX_NCHANNELS", func(_ *Cluster, t *Task, said *logfile.Said, value string) (path, to string) {
		if least, ok := setFor(t, said, "NCCL_MIN_NCHANNELS"); ok && least.Value == value {
			return "workload.channels", value
		}
		return "", ""
	}},
	{"NCCL_IB_QPS_PER_CONNECTION", func(c *Cluster, _ *Task, _ *logfile.Said, value string) (path, to string) {
		return c.path(".transport.qps-per-connection"), value
	}},
}

// off is a field that one value of a variable turns off.
func off(by, field string) func(*Cluster, *Task, *logfile.Said, string) (path, to string) {
	return func(_ *Cluster, _ *Task, _ *logfile.Said, value string) (path, to string) {
		if value == by {
			return field, "false"
		}
		return "", ""
	}
}

// choices are the user's choices that the log states, in its order.
func choices(t *Task, c *Cluster, said *logfile.Said) (out []Stated) {
	for _, v := range choiceVariables {
		set, ok := setFor(t, said, v.variable)
		if !ok {
			continue
		}
		path, to := v.field(c, t, said, strings.ToLower(strings.TrimSpace(set.Value)))
		if path == "" {
			continue
		}
		text := set.Name + "=" + set.Value
		out = append(out, Stated{File: set.File, Line: set.Line, Text: text, over: []scenario.Override{{Path: path, Value: to, Origin: text}}})
	}
	sorting.StableFunc(out, func(a, b Stated) int { return cmp.Compare(a.Line, b.Line) })
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
// that are left. On TCP it is the number of interfaces that NCCL lists.
func idleNICsOf(t *Task, whole *scenario.Resolved, said *logfile.Said) []Stated {
	nics, devices := whole.Cluster.Node.NICs, said.Devices
	if !protocol.Of(whole.Fabrics[0].Kind).RDMA() {
		devices = said.Interfaces
	}
	used, s := len(devices), Stated{Text: "NCCL uses " + strings.Join(devices, ", "), cause: fewerRailsID}
	if set, ok := setFor(t, said, "NCCL_IB_HCA"); ok && protocol.Of(whole.Fabrics[0].Kind).RDMA() {
		if used == 0 {
			used = devicesIn(set.Value)
		}
		s.File, s.Line, s.Text = set.File, set.Line, set.Name+"="+set.Value
	}
	if used == 0 || used >= nics || !t.Network() {
		return nil
	}
	s.Unused = fmt.Sprintf("%d of %s of each node are unused", nics-used, wording.Counted(nics, "NIC", "NICs"))
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
