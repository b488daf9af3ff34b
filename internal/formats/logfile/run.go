package logfile

import (
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
)

// run is what holds for the tables between two command lines, or between two runs of a test.
type run struct {
	settings []Setting
	measured bool // a table of it has begun
}

// begin begins a run, for which some settings hold already.
func (b *builder) begin(with []Setting) { b.run = &run{settings: slices.Clone(with)} }

// again begins a further run of the last command line, if the last one has a table.
func (b *builder) again() {
	if b.run.measured {
		b.begin(b.base)
	}
}

// setting keeps a setting of the current run. Words are the log's.
func (b *builder) setting(line int, name, value, words string) {
	b.run.settings = setIn(b.run.settings, line, name, value)
	b.Said.set(line, name, value)
	b.Said.choose(line, name, value, words)
}

// settle gives each table the settings of its run, and the number of nodes of its command line, if nothing else says it.
func (b *builder) settle() {
	for i, t := range b.Tables {
		if len(t.Hosts) == 0 && t.Nodes == 0 {
			t.Nodes = nodesOf(b.runs[i].settings)
		}
		for _, s := range b.runs[i].settings {
			if len(t.Settings) < 2*maxSettings {
				t.Settings = append(t.Settings, s)
			}
		}
		sorting.StableFunc(t.Settings, func(x, y Setting) int { return x.Line - y.Line })
	}
}

// nodesOf is the number of nodes that a command line asks for, 0 if it does not say it.
func nodesOf(all []Setting) int {
	count := func(name string) int {
		s, _ := lastOf(all, name)
		n, err := strconv.Atoi(s.Value)
		if err != nil || n < 1 || n > maxHosts {
			return 0
		}
		return n
	}
	if n := count("--nodes"); n > 0 {
		return n
	}
	if hosts, ok := lastOf(all, "--host"); ok {
		names := map[string]bool{}
		for part := range strings.SplitSeq(hosts.Value, ",") {
			name, _, _ := strings.Cut(part, ":")
			names[name] = true
		}
		if np := count("--np"); np == 0 || np%len(names) == 0 {
			return len(names)
		}
		return 0 // mpirun fills the hosts one after another
	}
	for _, pair := range [][2]string{{"--np", "--npernode"}, {"--ntasks", "--ntasks-per-node"}} {
		if all, each := count(pair[0]), count(pair[1]); all > 0 && each > 0 {
			return (all + each - 1) / each
		}
	}
	return 0
}
