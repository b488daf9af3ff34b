package sim_test

import (
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"weft/internal/sim"
	"weft/scenario"
)

// effectWorkloads are the kinds of workload. Collectives share their code but for the schedule, and so do patterns: with
// one of each all fields are tried, those of a fabric on several kinds; with the others those of the program.
var effectWorkloads = []struct {
	name, workload string
	all            bool
}{
	{"ring", "collective: all-reduce, algorithm: ring, channels: 1, sizes: [256KiB]", true},
	{"tree", "collective: all-reduce, algorithm: tree, sizes: [1MiB]", false},
	{"nvls-tree", "collective: all-reduce, algorithm: nvls-tree, sizes: [1MiB]", false},
	{"broadcast", "collective: broadcast, channels: 1, sizes: [2MiB]", false},
	{"all-to-all", "collective: all-to-all, sizes: [2MiB]", false},
	{"scatter", "collective: scatter, sizes: [2MiB]", false},
	{"send-recv", "collective: send-recv, sizes: [1MiB]", false},
	{"incast", "pattern: incast, sizes: [64KiB]", true},
	{"permutation", "pattern: permutation, sizes: [64KiB]", false},
	{"uniform", "pattern: uniform, sizes: [4KiB], duration: 5us", false},
	{"flows", "pattern: flows, flows: [{src: 0, dst: 3, bytes: 64KiB}, {src: 1, dst: 5, bytes: 64KiB}, {src: 2, dst: 5, bytes: 64KiB}]", false},
	{"exchange", "exchange: moe-dispatch, experts: {count: 16, top-k: 2, tokens: 8, hidden: 512}", false},
}

const effectScenario = `
cluster: {nodes: 4, node: {gpus: 2, nics: 2, gpu: h100}}
topology: {shape: fat-tree, levels: 2, radix: 8}
fabrics: [{preset: FABRIC}]
workload: {WORKLOAD}
`

// ofProgram are the fields that are tried with every kind of workload.
var ofProgram = []string{"workload.", "nccl.", "run.", "cluster.node.gpu", "cluster.node.cpu.", "cluster.node.scale-up.", "fabrics[0].transport.", "fabrics[0].host.", "fabrics[0].tcp."}

// conditions are what fields need to have an effect, as settings of --set with " ; " between. Fields are patterns of paths; a
// field may have several conditions, of which the first that resolves and shows an effect counts.
var conditions = []struct{ fields, set string }{
	{"*.jitter.sigma", "run.jitter=true ; fabrics[0].nic.jitter.distribution=lognormal ; fabrics[0].switch.jitter.distribution=lognormal ; fabrics[0].host.jitter.distribution=lognormal"},
	{"*.jitter.*", "run.jitter=true"},
	{"*.nic.cnp-jitter.*", "run.jitter=true ; " + congested},
	{"fabrics[0].cc.* fabrics[0].ethernet.ecn.* *.nic.cnp-*", congested},
	{"fabrics[0].cc.* fabrics[0].ethernet.ecn.* *.nic.cnp-*", marking},
	{"fabrics[0].cc.* fabrics[0].ib.*", slow},
	{"fabrics[0].ib.*vl-stall-count", slow + " ; fabrics[0].ib.hoq-lifetime=2us ; fabrics[0].ib.leaf-hoq-lifetime=2us"},
	{"fabrics[0].tcp.* fabrics[0].ethernet.ecn.*", slow + " ; fabrics[0].tcp.variant=dctcp ; fabrics[0].ethernet.shared=40KB ; fabrics[0].ethernet.ecn.kmin=5KB ; fabrics[0].ethernet.ecn.kmax=5KB"},
	{"fabrics[0].ethernet.pfc.watchdog.*", paused + " ; fabrics[0].ethernet.pfc.watchdog={enabled: true, detection: 5us, restoration: 5us, poll: 2us}"},
	{"fabrics[0].ethernet.pfc.* fabrics[0].ethernet.shared fabrics[0].switch.buffer fabrics[0].switch.cell fabrics[0].transport.window run.pauses", paused},
	{"fabrics[0].ethernet.pfc.* fabrics[0].ethernet.egress-alpha fabrics[0].switch.buffer fabrics[0].switch.cell", slow + " ; fabrics[0].cc=none ; fabrics[0].ethernet.ecn.enabled=false ; fabrics[0].ethernet.shared=20KB"},
	{"fabrics[0].ethernet.pfc.* fabrics[0].switch.buffer", slow + " ; fabrics[0].cc=none ; fabrics[0].ethernet.ecn.enabled=false ; fabrics[0].ethernet.pfc.enabled=false ; fabrics[0].switch.buffer=100KB"},
	{"fabrics[0].transport.* *.nic.retransmission.*", "fabrics[0].link.error-rate=5% ; fabrics[0].transport.timeout=100us ; fabrics[0].nic.retransmission={times: [20us, 50us, 100us], first: 2, least-timeout: 200us}"},
	{"fabrics[0].tcp.*", "fabrics[0].link.error-rate=5%"},
	{"fabrics[0].tcp.threads", "fabrics[0].tcp.sockets=4"},
	{"fabrics[0].link.fec*", "fabrics[0].link.raw-ber=4e-4"},
	{"fabrics[0].link.llr", "fabrics[0].link.effective-ber=1e-6"},
	{"fabrics[0].routing.adaptive-threshold fabrics[0].transport.ar-threshold *.nic.out-of-order", "fabrics[0].routing.mode=adaptive ; " + slow},
	{"fabrics[0].routing.flowlet-gap", "fabrics[0].routing.mode=flowlet ; " + slow},
	{"fabrics[0].transport.split-data", "fabrics[0].transport.qps-per-connection=4"},
	{"fabrics[0].transport.rnr-*", "workload.receive-queue=1 ; workload.repost=50us ; workload.sizes=[4KiB]"},
	{"*.nic.context-*", "fabrics[0].nic.contexts=1 ; fabrics[0].transport.qps-per-connection=4"},
	{"*.nic.receive-buffer", "fabrics[0].nic.receive-rate=20Gbps ; fabrics[0].cc=none"},
	{"*.nic.reads-in-flight", "workload.operation=read ; workload.sizes=[1MiB] ; fabrics[0].nic.reads-in-flight=2"},
	{"fabrics[0].host.copies", "fabrics[0].host.copy-start=1us"},
	{"fabrics[0].host.copy-*", "fabrics[0].host.copies=1"},
	{"fabrics[0].host.interrupt fabrics[0].host.per-segment fabrics[0].host.syscall cluster.node.cpu.cores cluster.node.cpu.memory-latency", "fabrics[0].host=cpu"},
	{"cluster.node.pcie.*", "cluster.node.pcie.lanes=2"},
	{"cluster.node.scale-up.*", "cluster.nodes=1"},
	{"workload.window workload.chunk", "workload.chunk=4KiB"},
	{"workload.experts.posting", "workload.experts.proxy-threads=1 ; workload.experts.proxy-time=1us"},
}

// slow has a cable on which everything waits. congested makes its switch mark, paused makes it pause.
const (
	slow      = "fabrics[0].slow-links=[{nics: ['node[1-3]'], rate: 20Gbps}]"
	marking   = "fabrics[0].ethernet.ecn.kmin=0B ; fabrics[0].ethernet.ecn.kmax=8KB ; fabrics[0].ethernet.ecn.pmax=1"
	congested = slow + " ; " + marking
	paused    = slow + " ; fabrics[0].cc=none ; fabrics[0].ethernet.ecn.enabled=false ; fabrics[0].ethernet.pfc.xoff=8KiB"
)

// notRun are sections that weft run leaves to other verbs.
var notRun = []string{"training.", "serving.", "tune.", "sweep.", "isolation."}

// effectBase is a scenario whose fields are changed.
type effectBase struct {
	file    *scenario.File
	results map[string]string // by the settings
}

// run is the outcome of a scenario with settings: its results, or an error of the run; refused if it does not resolve.
func (b *effectBase) run(t *testing.T, settings ...string) (out string, idle []string, refused error) {
	t.Helper()
	var over []scenario.Override
	for _, s := range settings {
		at, value, _ := strings.Cut(s, "=")
		over = append(over, scenario.Override{Path: at, Value: value, Origin: "--set " + s})
	}
	r, err := b.file.Resolve(over...)
	if err != nil {
		return "", nil, err
	}
	for _, i := range b.file.Idle(r) {
		idle = append(idle, i.Paths...)
	}
	return outcome(t, r), idle, nil
}

// outcome is a scenario's results, or the error of its run.
func outcome(t *testing.T, r *scenario.Resolved) string {
	t.Helper()
	results, err := sim.Run(t.Context(), r, sim.Options{Workers: 1})
	if err != nil {
		return err.Error()
	}
	text, err := results.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// verdicts of a field.
const (
	hasEffect = "has an effect"
	isIdle    = "is idle"
	isRefused = "is refused"
	isSilent  = "has no effect, in silence"
)

// try changes a field under settings.
func (b *effectBase) try(t *testing.T, l *leaf, values, settings []string) string {
	t.Helper()
	key := strings.Join(settings, "")
	base, known := b.results[key]
	if !known {
		var err error
		if base, _, err = b.run(t, settings...); err != nil {
			return isRefused
		}
		b.results[key] = base
	}
	verdict := isRefused
	for _, value := range values {
		if len(settings) == 0 && value == l.value {
			continue
		}
		got, idle, err := b.run(t, append(slices.Clone(settings), l.path+"="+value)...)
		switch {
		case err != nil && strings.Contains(err.Error(), " has no "): // the field is of another kind of fabric or workload
			return isRefused
		case err != nil:
		case got != base:
			return hasEffect
		case slices.Contains(idle, l.path):
			return isIdle
		default:
			verdict = isSilent
		}
	}
	return verdict
}

// matchesAny reports whether a field matches one of the patterns in a list with spaces.
func matchesAny(field, patterns string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		ok, err := path.Match(strings.ReplaceAll(p, "[0]", "?0?"), field)
		return ok && err == nil
	})
}

// judge is the verdict on a field: its effect in the base, or under its condition.
func (b *effectBase) judge(t *testing.T, l *leaf, values []string) string {
	t.Helper()
	verdict := b.try(t, l, values, nil)
	if verdict != isSilent && verdict != isIdle {
		return verdict
	}
	for _, c := range conditions {
		if !matchesAny(l.path, c.fields) {
			continue
		}
		if under := b.try(t, l, values, strings.Split(c.set, " ; ")); under == hasEffect || under == isIdle && verdict == isSilent {
			return under
		}
	}
	return verdict
}

// TestEveryFieldHasAnEffect changes each field of a scenario with each kind of workload: the results change, or the
// scenario is refused, or weft run says that the field has no effect. WEFT_EFFECTS=roce tries one kind or fabric.
func TestEveryFieldHasAnEffect(t *testing.T) {
	known, used, only := enums(t), map[string]bool{}, os.Getenv("WEFT_EFFECTS")
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g", "tcp-400g"} {
		for _, w := range effectWorkloads {
			name := fabric + "/" + w.name
			if only != "" && !strings.Contains(name, only) || !w.all && fabric != "roce-v2-400g" || name == "tcp-400g/incast" {
				continue
			}
			file, err := scenario.Decode("scenario", []byte(strings.NewReplacer("FABRIC", fabric, "WORKLOAD", w.workload).Replace(effectScenario)))
			if err != nil {
				t.Fatal(err)
			}
			b := &effectBase{file, map[string]string{}}
			r, err := file.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range leaves(t, r) {
				among := func(list []string) bool {
					return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(f.path, p) })
				}
				if among(notRun) || !w.all && !among(ofProgram) || fabric != "roce-v2-400g" && !strings.HasPrefix(f.path, "fabrics[0].") {
					continue
				}
				if pattern := excepted(f.path, name); pattern != "" {
					used[pattern] = true
					continue
				}
				if v := b.judge(t, &f, f.others(known)); v == isSilent {
					t.Errorf("%s: %s (%s) %s", name, f.path, f.value, v)
				}
			}
		}
	}
	for _, e := range exceptions {
		for _, p := range strings.Fields(e.fields) {
			if only == "" && !used[p] {
				t.Errorf("no field needs the exception %s", p)
			}
		}
	}
}

// leaf is a field of a resolved scenario with its value as a file has it; "" if there is none.
type leaf struct {
	path, value string
	of          reflect.Type // nil: a parameter of a congestion control
}

// leaves are all fields of a scenario with one fabric.
func leaves(t *testing.T, r *scenario.Resolved) (out []leaf) {
	t.Helper()
	text, err := r.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	var visit func(at string, n *yaml.Node)
	visit = func(at string, n *yaml.Node) {
		switch {
		case n.Kind == yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				visit(strings.TrimPrefix(at+"."+n.Content[i].Value, "."), n.Content[i+1])
			}
		case n.Kind == yaml.SequenceNode && at == "fabrics":
			visit("fabrics[0]", n.Content[0])
		case n.Kind == yaml.ScalarNode:
			values[at] = n.Value
		}
	}
	visit("", root.Content[0])
	seen := map[string]bool{}
	var walk func(at string, typ reflect.Type)
	walk = func(at string, typ reflect.Type) {
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			at := strings.TrimPrefix(at+"."+name, ".")
			switch {
			case name == "":
			case at == "fabrics":
				walk("fabrics[0]", f.Type.Elem())
			case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[scenario.Ratio]():
				walk(at, f.Type)
			default:
				seen[at] = true
				out = append(out, leaf{at, values[at], f.Type})
			}
		}
	}
	walk("", reflect.TypeFor[scenario.Resolved]())
	for at, value := range values {
		if !seen[at] {
			out = append(out, leaf{at, value, nil})
		}
	}
	slices.SortFunc(out, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return out
}

// others are other values of a field; none of a list, whose items are fields of other tests.
func (l *leaf) others(known map[string][]string) []string {
	kind := reflect.Invalid
	if l.of != nil {
		kind = l.of.Kind()
	}
	switch {
	case kind == reflect.Bool || l.value == "true" || l.value == "false":
		return []string{strconv.FormatBool(l.value != "true")}
	case kind == reflect.String:
		return known[l.path[strings.LastIndex(l.path, ".")+1:]]
	case kind == reflect.Slice || kind == reflect.Array:
		return nil
	}
	number := strings.TrimRight(l.value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ /")
	unit := strings.TrimSpace(l.value[len(number):])
	if strings.Contains(l.value, "/") {
		return []string{"1/2", "1/100", "9/10", "1", "2", "0"}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || x == 0 {
		of := ""
		if l.of != nil {
			of = l.of.Name()
		}
		for name, values := range map[string][]string{
			"Time": {"1us", "100us", "1ns"}, "Bytes": {"4KiB", "64KiB", "8MiB"}, "Rate": {"10Gbps", "100Gbps"}, "Ratio": {"1/2", "1/100", "2"}, "Length": {"1m", "100m"},
		} {
			if of == name {
				return values
			}
		}
		return []string{"1", "2", "3", "5", "64"}
	}
	var out []string
	for _, factor := range []float64{2, 1. / 16, 1000, .001} {
		y := strconv.FormatFloat(x*factor, 'f', -1, 64)
		if whole := unit == "" || unit == "B" || unit == "bps" || unit == "ps"; whole {
			y = strconv.FormatInt(int64(x*factor), 10)
		}
		out = append(out, y+unit)
	}
	switch {
	case strings.HasSuffix(unit, "B"):
		out = append(out, "4KiB", "1MiB")
	case l.of != nil && l.of.Name() == "Time":
		out = append(out, "1us", "1ms")
	}
	return append(out, "1"+unit, "0"+unit)
}

// enums are the values of fields that have a list of them, by the field's name, from the published schema.
func enums(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../schema/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := yaml.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	var visit func(name string, v any)
	visit = func(name string, v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				visit(name, x)
			}
		case map[string]any:
			for key, x := range v {
				if list, ok := x.([]any); ok && key == "enum" {
					for _, value := range list {
						out[name] = append(out[name], fmt.Sprint(value))
					}
					continue
				}
				if key == "anyOf" {
					key = name
				}
				visit(key, x)
			}
		}
	}
	visit("", schema)
	for name := range out {
		slices.Sort(out[name])
		out[name] = slices.Compact(out[name])
	}
	return out
}

// exceptions are fields without an effect that nothing says: patterns of paths, the fabrics and workloads (as
// FABRIC/WORKLOAD, a part of it; "": all), and the reason.
var exceptions = []struct{ fields, of, why string }{
	{"cluster.node.nic.model fabrics[0].nic.model cluster.node.preset", "", "a name of figures, which may be equal for two names"},
	{"cluster.node.nic.rate fabrics[0].nic.rate fabrics[0].switch.ports fabrics[0].switch.max-ports fabrics[0].switch.rate", "", "a bound on what can be cabled: the check refuses more, and weft plan counts"},
	{"cluster.node.gpu.memory workload.experts.expert-bytes run.limit.memory", "", "a bound: what needs more is refused"},
	{"cluster.node.nic.fence fabrics[0].nic.fence", "incast", "a pattern's messages of one kind wait for none of another"},
	{"run.limit.simulated-time", "exchange", "a bound that this short exchange does not reach"},
	{"fabrics[0].ethernet.dscp fabrics[0].ethernet.cnp-dscp", "", "other programs' settings: weft roce export and check; the simulated packets have priorities"},
	{"fabrics[0].ethernet.*-priority fabrics[0].ib.sl fabrics[0].ib.ack-sl fabrics[0].ib.vls fabrics[0].ib.high-limit", "", "traffic of one kind meets no other, so that it does not matter in which class it is"},
	{"cluster.node.rails", "", "the rails of a topology by rails, which this is not"},
	{"workload.algorithm workload.protocol", "all-to-all|scatter|send-recv|nvls-tree", "there is one choice"},
	{"workload.datatype", "", "cuts fall between elements, and do so with each type at these sizes"},
	{"workload.receive-queue", "", "a queue pair has one message here, and one receive is always enough for it"},
	{"workload.experts.nics", "", "a GPU has one NIC here"},
	{"cluster.node.scale-up.multicast", "", "NVLS does not run here; without it the algorithm is refused"},
	{"fabrics[0].routing.hash-seed", "infiniband", "nothing is hashed or drawn"},
	{"cluster.node.cpu.vendor nccl.proxy nccl.step-local", "roce|tcp-400g/ring", "the proxy and the steps inside a node are hidden behind the network's steps"},
	{"cluster.node.scale-up.switches", "exchange", "the links of a GPU are one in the model; switches bound their buffer, which this short exchange does not fill"},
	{"*.nic.retransmission.first *.nic.retransmission.least-timeout fabrics[0].transport.retransmission", "", "a packet must be lost several times: internal/sim/transport tests them"},
	{"fabrics[0].cc.first-rate fabrics[0].cc.initial-alpha fabrics[0].cc.hai-rate fabrics[0].cc.ai-rate fabrics[0].cc.fast-recovery fabrics[0].cc.clamp-*", "", "these messages end before DCQCN is in that stage: internal/sim/transport/cc tests them"},
	{"fabrics[0].cc.* fabrics[0].ethernet.ecn.*", "roce-v2-400g/incast", "the receiver's link is busy to the end at any rate of the senders: internal/sim/transport/cc tests them"},
	{"fabrics[0].ethernet.egress-alpha fabrics[0].ethernet.pfc.link-pause fabrics[0].ethernet.pfc.watchdog.enabled fabrics[0].ethernet.shared fabrics[0].switch.cell", "", "buffers, pauses and the watchdog at their bounds: internal/sim/fabric tests them"},
	{"fabrics[0].ethernet.pfc.alpha fabrics[0].ethernet.pfc.reserve fabrics[0].ethernet.pfc.xoff fabrics[0].switch.buffer fabrics[0].ethernet.ecn.enabled", "tcp", "sockets are slower than the links here, so that no queue grows"},
	{"fabrics[0].ib.credit-* fabrics[0].ib.*hoq-lifetime fabrics[0].ib.*vl-stall-count fabrics[0].ib.queueing", "", "a packet must wait long for credits: internal/sim/fabric tests them"},
	{"fabrics[0].tcp.max-window fabrics[0].tcp.threads fabrics[0].tcp.tick", "", "these messages are shorter than the window, and fewer than the threads: internal/sim/transport/tcp tests them"},
	{"fabrics[0].transport.ack-every fabrics[0].transport.window fabrics[0].transport.qps-per-connection", "uniform|exchange|nvls-tree", "a message is a packet or two, or has a connection to itself"},
	{"run.pauses", "", "it records pauses, and nothing pauses without PFC"},
	{"workload.experts.posting", "exchange", "it counts with proxy-time, which is 0 here"},
	{"workload.window", "broadcast", "a ring's chunks follow one another at the wire's rate with any window"},
}

// excepted is the pattern that excepts a field; "" if none does.
func excepted(field, of string) string {
	for _, e := range exceptions {
		if !slices.ContainsFunc(strings.Split(e.of, "|"), func(part string) bool { return strings.Contains(of, part) }) {
			continue
		}
		for _, p := range strings.Fields(e.fields) {
			if matchesAny(field, p) {
				return p
			}
		}
	}
	return ""
}
