package simai

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/formats/source"
	"weft/internal/sim/collective"
	"weft/units"
)

// layer is a line of the list. Its passes are forward, input gradient and weight
// gradient.
type layer struct {
	name   string
	pass   [3]pass
	update units.Time
}

// pass is one pass of a layer.
type pass struct {
	time  units.Time
	moves bool // it has a collective
	do    collective.Op
	on    family
	bytes units.Bytes
}

// reader is the state of Read.
type reader struct {
	lines   *source.Lines
	head    header
	layers  []layer
	depends bool // some layer names a dependency
	ignored int  // lines after the list

	broadcasts bool // some layer has a broadcast
}

// Read reads a workload file; file is its display name.
func Read(file string, in io.Reader) *source.Workload {
	r := &reader{lines: source.NewLines(file, in)}
	w := &source.Workload{Format: "SimAI workload"}
	if w.Stopped = r.header(); w.Stopped != nil {
		return w
	}
	w.Stopped = r.list()
	w.Ranks = r.head.gpus
	w.Folded = r.fold()
	r.describe(w)
	if r.head.open {
		w.Sized = func(gpus int) *source.Problem { return r.sized(w, gpus) }
	}
	return w
}

// sized gives a file that does not say its number of ranks that of a cluster. SimAI takes it from the
// topology, too.
func (r *reader) sized(w *source.Workload, gpus int) *source.Problem {
	if unit := r.head.tensor * r.head.expert; gpus%unit != 0 {
		return &source.Problem{File: r.lines.File, Line: 1, Want: fmt.Sprintf(
			"all_gpus, or a cluster whose GPUs, %d, are a multiple of model_parallel_NPU_group times ep, %d", gpus, unit)}
	}
	r.head.gpus = gpus
	w.Ranks, w.Folded = gpus, r.fold()
	w.Units, w.Assumptions = nil, nil
	r.describe(w)
	return nil
}

// list reads the layers.
func (r *reader) list() *source.Problem {
	ok, p := r.lines.Next()
	if p != nil {
		return p
	}
	n, err := strconv.Atoi(strings.TrimSpace(r.lines.Text))
	if !ok || err != nil || n < 1 || n > maxLayers {
		return r.lines.Problem(r.lines.Text, fmt.Sprintf("the number of layers, from 1 to %d, by itself on the second line", maxLayers))
	}
	for {
		ok, p := r.lines.Next()
		switch words := strings.Fields(r.lines.Text); {
		case p != nil:
			return p
		case !ok && len(r.layers) < n:
			return r.lines.Problem("", fmt.Sprintf("%d layers as the second line announces, but the file ends after %d", n, len(r.layers)))
		case !ok:
			return nil
		case len(words) == 0:
		case len(r.layers) == n:
			r.ignored++
		default:
			l, p := r.layer(words)
			if p != nil {
				return p
			}
			r.layers = append(r.layers, l)
		}
	}
}

// layer reads a line of the list.
func (r *reader) layer(words []string) (l layer, p *source.Problem) {
	const fields = 12
	if len(words) != fields {
		return l, r.lines.Problem(r.lines.Text, fmt.Sprintf("a layer of %d words (name, dependency, three times a time, a collective and its size, and the time of the update), not %d", fields, len(words)))
	}
	l.name = words[0]
	depends, err := strconv.Atoi(words[1])
	if err != nil {
		return l, r.lines.Problem(words[1], "the number of a layer, or -1")
	}
	r.depends = r.depends || depends >= 0
	for i := range l.pass {
		field := words[2+3*i : 5+3*i]
		x := &l.pass[i]
		if x.time, p = r.time(field[0]); p != nil {
			return l, p
		}
		n, err := strconv.ParseUint(field[2], 10, 64)
		if err != nil || n > maxNumber {
			return l, r.lines.Problem(field[2], fmt.Sprintf("a number of bytes from 0 to %d", int64(maxNumber)))
		}
		x.bytes = units.Bytes(n)
		if p := r.collective(x, i, field[1]); p != nil {
			return l, p
		}
	}
	l.update, p = r.time(words[fields-1])
	return l, p
}

func (r *reader) time(word string) (units.Time, *source.Problem) {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil || n > maxNumber {
		return 0, r.lines.Problem(word, fmt.Sprintf("a time in nanoseconds from 0 to %d", int64(maxNumber)))
	}
	return units.Time(n) * nanosecond, nil
}

// operations are the collectives by their names.
var operations = map[string]collective.Op{
	"ALLREDUCE": collective.AllReduce, "ALLGATHER": collective.AllGather, "REDUCESCATTER": collective.ReduceScatter, "ALLTOALL": collective.AllToAll,
	"BROADCAST": collective.Broadcast,
}

// collective reads the name of a collective: the operation, and the group by its suffix and its
// pass.
func (r *reader) collective(x *pass, number int, word string) *source.Problem {
	if word == "NONE" {
		return nil
	}
	name, on := word, tensor
	if number == 2 {
		on = data
	}
	if cut, found := strings.CutSuffix(word, "_DP_EP"); found {
		name, on = cut, dataExpert
	} else if cut, found := strings.CutSuffix(word, "_EP"); found {
		name, on = cut, expert
	}
	do, known := operations[name]
	if !known {
		return r.lines.Problem(word, "NONE, or ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL or BROADCAST, alone or with _EP or _DP_EP")
	}
	x.do, x.on, x.moves = do, on, x.bytes > 0
	r.broadcasts = r.broadcasts || do == collective.Broadcast
	return nil
}
