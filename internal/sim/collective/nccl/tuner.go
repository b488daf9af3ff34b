package nccl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/collective"
)

// Rule is a line of the configuration of NCCL's example tuner plug-in (plugins/tuner/example/README.md):
// the algorithm and the protocol for an operation and a range of sizes.
type Rule struct {
	Op       collective.Op
	Min, Max int64 // in bytes, both included
	Algo     Algo
	Proto    Proto
	// Channels is 0 for NCCL's own number; Nodes and Ranks are 0 for any.
	Channels, Nodes, Ranks int
	never                  bool // numPipeOps or regBuff that weft's operations do not have
}

// The plug-in's names.
var (
	ruleOps = map[string]collective.Op{
		"allreduce": collective.AllReduce, "allgather": collective.AllGather,
		"reducescatter": collective.ReduceScatter, "broadcast": collective.Broadcast,
	}
	ruleAlgos  = []string{"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"} // in the order of Algo
	ruleProtos = []string{"ll", "ll128", "simple"}
)

// ruleFields are the fields of a line; the last two may be missing.
var ruleFields = []string{"collective_type", "min_bytes", "max_bytes", "algorithm", "protocol", "channels", "nNodes", "nRanks", "numPipeOps", "regBuff"}

// ParseRule reads a line of the configuration.
func ParseRule(line string) (r Rule, err error) {
	f := strings.Split(line, ",")
	if len(f) < len(ruleFields)-2 || len(f) > len(ruleFields) {
		return r, fmt.Errorf("%d fields, want %s", len(f), strings.Join(ruleFields, ","))
	}
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	var known bool
	if r.Op, known = ruleOps[f[0]]; !known {
		return r, fmt.Errorf("%s is %q: want allreduce, allgather, reducescatter or broadcast", ruleFields[0], f[0])
	}
	algo, proto := slices.Index(ruleAlgos, f[3]), slices.Index(ruleProtos, f[4])
	switch {
	case algo < 0:
		return r, fmt.Errorf("%s is %q: want %s", ruleFields[3], f[3], strings.Join(ruleAlgos, ", "))
	case proto < 0:
		return r, fmt.Errorf("%s is %q: want %s", ruleFields[4], f[4], strings.Join(ruleProtos, ", "))
	}
	r.Algo, r.Proto = Algo(algo), Proto(proto)
	numbers := make([]int64, len(ruleFields))
	for i := range f {
		if i == 0 || i == 3 || i == 4 {
			continue
		}
		if numbers[i], err = strconv.ParseInt(f[i], 10, 64); err != nil || numbers[i] < -1 || numbers[i] > 1<<50 {
			return r, fmt.Errorf("%s is %q: want a number, or -1 for any", ruleFields[i], f[i])
		}
	}
	r.Min, r.Max = numbers[1], numbers[2]
	r.Channels, r.Nodes, r.Ranks = int(max(numbers[5], 0)), int(max(numbers[6], 0)), int(max(numbers[7], 0))
	switch {
	case r.Min < 0 || r.Max < r.Min:
		return r, fmt.Errorf("sizes from %d to %d: want the smaller first", r.Min, r.Max)
	case r.Channels > newest.channels:
		return r, fmt.Errorf("%d channels: NCCL has at most %d", r.Channels, newest.channels)
	}
	r.never = len(f) > 8 && numbers[8] != -1 && numbers[8] != 1 || len(f) > 9 && numbers[9] == 1
	return r, nil
}

// tuned is the choice of the first rule that fits and that NCCL enables; false if there is none.
func (c Cluster) tuned(op collective.Op, bytes int64) (Choice, bool) {
	for i := range c.Tuner {
		r := &c.Tuner[i]
		if r.never || r.Op != op || bytes < r.Min || bytes > r.Max ||
			r.Nodes > 0 && r.Nodes != c.Nodes || r.Ranks > 0 && r.Ranks != c.Ranks() ||
			!c.enabled(op, r.Algo, r.Proto) || c.bandwidth(op, r.Algo, r.Proto) <= 0 {
			continue
		}
		ch := Choice{Cluster: c, Op: op, Bytes: bytes, Algo: r.Algo, Proto: r.Proto, Channels: r.Channels}
		if ch.Channels == 0 {
			ch.Channels = c.channelsFor(op, r.Algo, r.Proto, bytes)
		}
		return ch, true
	}
	return Choice{}, false
}
