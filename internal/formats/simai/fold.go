package simai

import (
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/units"
)

// The passes of a layer.
const (
	forward = iota
	inputGradient
	weightGradient
)

// computing is the stream of computing; the streams of the families' collectives follow it.
const computing = 0

// folder writes the list for one rank that stands for all.
type folder struct {
	*reader
	ops    []workload.Op
	held   int32 // the operation that the rank waits for next; -1 at the beginning
	groups [numFamilies][][]int32
	phases map[phaseKey]int32
	out    *workload.Folded
}

// phaseKey tells phases apart.
type phaseKey struct {
	on    family
	do    collective.Op
	bytes units.Bytes
}

// fold is the workload of the layers.
func (r *reader) fold() *workload.Folded {
	f := &folder{reader: r, held: -1, phases: make(map[phaseKey]int32), out: &workload.Folded{Graph: &workload.Graph{}}}
	for on := range numFamilies {
		f.groups[on] = r.head.groups(on)
		f.out.Graph.Groups = append(f.out.Graph.Groups, workload.Group{Name: familyNames[on], Ranks: []int32{0}})
	}
	if r.head.micro {
		for i := range r.layers {
			f.hold(&r.layers[i], weightGradient)
		}
	} else {
		f.step()
	}
	f.out.Graph.Ranks = [][]workload.Op{f.ops}
	all := make([]int32, r.head.gpus)
	for i := range all {
		all[i] = int32(i)
	}
	f.out.Stands = [][]int32{all}
	return f.out
}

// step adds the passes of a step: all layers forward, and backward from the last.
func (f *folder) step() {
	for i := range f.layers {
		f.hold(&f.layers[i], forward)
	}
	for i := len(f.layers) - 1; i >= 0; i-- {
		f.hold(&f.layers[i], inputGradient)
		f.weights(&f.layers[i])
	}
}

// hold adds a pass whose collective the rank waits for.
func (f *folder) hold(l *layer, number int) {
	f.held = f.compute(l, number)
	if at := f.collective(l, number); at >= 0 {
		f.held = at
	}
}

// weights adds the pass of the weight gradient: its collective runs while the rank continues, and
// the update follows it.
func (f *folder) weights(l *layer) {
	f.held = f.compute(l, weightGradient)
	if at := f.collective(l, weightGradient); at >= 0 {
		f.add(workload.Op{Name: l.name + " update", Time: l.update, Stream: workload.Unordered, After: []int32{at}})
	}
}

var passNames = [...]string{"", " input gradient", " weight gradient"}

// compute adds the computing of a pass.
func (f *folder) compute(l *layer, number int) int32 {
	o := workload.Op{Name: l.name + passNames[number], Time: l.pass[number].time, Stream: computing}
	if f.held >= 0 {
		o.After = []int32{f.held}
	}
	return f.add(o)
}

// collective adds the collective of a pass, after its computing; -1 if there is none.
func (f *folder) collective(l *layer, number int) int32 {
	x := &l.pass[number]
	if !x.moves || len(f.groups[x.on][0]) < 2 {
		return -1
	}
	return f.add(workload.Op{
		Name: l.name + passNames[number], Kind: workload.Collective, Purpose: purposes[x.on], Stream: computing + 1 + uint8(x.on),
		Do: x.do, Bytes: x.bytes, Group: int32(x.on), Phase: f.phase(x), After: []int32{f.held},
	})
}

func (f *folder) add(o workload.Op) int32 {
	f.ops = append(f.ops, o)
	return int32(len(f.ops) - 1)
}

// phase is the number of a collective among the phases.
func (f *folder) phase(x *pass) int32 {
	key := phaseKey{x.on, x.do, x.bytes}
	if n, known := f.phases[key]; known {
		return n
	}
	n := int32(len(f.out.Phases))
	f.phases[key] = n
	p := workload.Phase{
		Name: fmt.Sprintf("%s %s of %s", familyNames[x.on], x.do, x.bytes), Purpose: purposes[x.on], Kind: workload.Collective, Do: x.do, Groups: f.groups[x.on],
	}
	for range p.Groups {
		p.Bytes = append(p.Bytes, x.bytes)
	}
	f.out.Phases = append(f.out.Phases, p)
	return n
}
