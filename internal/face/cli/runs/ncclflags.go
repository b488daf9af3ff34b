package runs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// reductions are nccl-tests' names for the operations of -o, except all: a table here has one.
var reductions = []string{"sum", "prod", "min", "max", "avg", "mulsum"}

// fixedFlag is a flag of nccl-tests that scripts pass; a simulation supports only some of its
// values.
type fixedFlag struct {
	name, short string
	value       int
	may         []int // nil: any value from 0 on, because it has no effect
	usage       string
	why         string // the meaning of the other values
}

// fixedFlags are in the order of nccl-tests' own help.
var fixedFlags = []fixedFlag{
	{"agg_iters", "m", 1, []int{1}, "operations aggregated in an iteration; only 1", "operations are not aggregated"},
	{"run_cycles", "N", 1, []int{1}, "cycles over all sizes; only 1", "each cycle would print the same rows"},
	{"average", "a", 1, []int{1, 3}, "time over the ranks: 1 and 3 (until the last rank ends)", "the time of rank 0, or of the first rank that is done, is not kept"},
	{"parallel_init", "p", 0, nil, "no effect: nothing is initialised", ""},
	{"blocking", "z", 0, []int{0}, "only 0: the next operation is posted before the previous one is done", "waiting for each operation is not simulated"},
	{"stream_null", "y", 0, nil, "no effect: there is no stream", ""},
	{"timeout", "T", 0, nil, "no effect: run.limit bounds a simulation", ""},
	{"cudagraph", "G", 0, nil, "from 1 on: CUDA graphs launch the kernels, so launches do not bound the time", ""},
	{"report_cputime", "C", 0, []int{0}, "only 0: the time of the operation is reported", "the table has the time of the operation, not of the CPU's calls"},
	{"local_register", "R", 0, []int{0}, "only 0: buffers are not registered", "registered buffers are not simulated"},
}

// register adds the flag to a verb.
func (f *fixedFlag) register(flags *pflag.FlagSet) {
	flags.IntP(f.name, f.short, f.value, f.usage)
}

// check refuses a value for which the table would have another meaning.
func (f *fixedFlag) check(flags *pflag.FlagSet) error {
	v, err := flags.GetInt(f.name)
	switch {
	case err != nil:
		return err
	case f.may == nil && v < 0:
		return fmt.Errorf("-%s %d: want 0 or more", f.short, v)
	case f.may == nil || slices.Contains(f.may, v):
		return nil
	}
	var may []string
	for _, v := range f.may {
		may = append(may, strconv.Itoa(v))
	}
	return fmt.Errorf("-%s %d: %s; only -%s %s is accepted", f.short, v, f.why, f.short, strings.Join(may, " or "))
}
