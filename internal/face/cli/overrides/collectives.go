package overrides

import (
	"fmt"
	"strings"

	"weft/internal/face/cli/flags"
	"weft/scenario"
)

// collectives are the collectives by their names in nccl-tests and in common use.
var collectives = []struct {
	name    string
	collect scenario.Collective
}{
	{"all-reduce", scenario.AllReduce},
	{"all-gather", scenario.AllGather},
	{"reduce-scatter", scenario.ReduceScatter},
	{"broadcast", scenario.Broadcast},
	{"reduce", scenario.Reduce},
	{"scatter", scenario.Scatter},
	{"gather", scenario.Gather},
	{"alltoall", scenario.AllToAll},
	{"sendrecv", scenario.SendRecv},
}

// CollectiveNames are the names of the collectives.
func CollectiveNames() []string {
	names := make([]string, 0, len(collectives))
	for _, o := range collectives {
		names = append(names, o.name)
	}
	return names
}

// Collective finds a collective by name: all-reduce, allreduce, all_reduce_perf. The error lists
// also other names, which are valid in its place.
func Collective(name string, also ...string) (scenario.Collective, error) {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s)), "perf")
	}
	for _, o := range collectives {
		if plain(o.name) == plain(name) {
			return o.collect, nil
		}
	}
	names := append(CollectiveNames(), also...)
	return "", fmt.Errorf("%q is no collective%s: valid are %s", flags.Abridged(name), flags.DidYouMean(name, names), strings.Join(names, ", "))
}
