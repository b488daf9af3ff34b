package scenario

import (
	"reflect"

	"weft/internal/sim/catalog"
)

// stack lays what the catalog has of a training job's stack under the section. A name that the catalog does not have is
// an error of the field.
func (r *resolver) stack(training *node) {
	name := training.child("stack")
	if name == nil || name.kind != scalar {
		return
	}
	if e, err := catalog.Lookup(catalog.Stack, name.text); err == nil {
		r.facts("training", e, reflect.ValueOf(&r.doc.Training).Elem())
	}
}

// deriveStack sets the rates of the GPU's kernels that a stack has, if the scenario does not.
func (r workloadRules) deriveStack() {
	t, g := &r.Training, &r.Cluster.Node.GPU
	if t.Stack == "" {
		return
	}
	kernels := KernelsOf(t.Stack, g)
	if !r.written["cluster.node.gpu.attention"] {
		g.Attention = kernels.Attention
	}
	if !r.written["cluster.node.gpu.sustained"] {
		g.Sustained = kernels.Sustained
	}
}

// StackKernels are the shares of rates that a GPU's kernels reach under a stack.
type StackKernels struct {
	// Attention is the share of the peak that the attention's kernel reaches.
	Attention Ratio
	// Sustained is the share of the kernels' rate that long runs leave.
	Sustained Ratio
	// Power is what the GPUs of the stack's steps have, such as "500 W", if Sustained is theirs.
	Power string
	// Assumed says that no published step of the stack has a GPU of this architecture.
	Assumed bool
}

// KernelsOf are the rates of a GPU's kernels under a stack: those of the catalog's entry of the GPU, but for what the
// stack's entry says of its architecture or of its model.
func KernelsOf(s Stack, g *GPU) StackKernels {
	out := StackKernels{Attention: g.Attention, Sustained: g.Sustained}
	if s == "" {
		return out
	}
	e := stackEntry(s)
	if f, ok := e.Known("about.attention." + string(g.Architecture)); ok {
		out.Attention = mustRatio(f.Value)
	}
	if f, ok := e.Known("about.sustained." + g.Model); ok {
		out.Sustained = mustRatio(f.Value)
		power, _ := e.Known("about.power." + g.Model)
		out.Power = power.Value
	}
	_, steps := e.Known("about.steps." + string(g.Architecture))
	out.Assumed = !steps
	return out
}

// Framework is the share of the kernels' rate that steps of a stack reach.
func (s Stack) Framework() Ratio {
	f, _ := stackEntry(s).Known("framework")
	return mustRatio(f.Value)
}

// HeldOut is the mean error of a stack's published steps that gave no figure of its entry, without its sign, as a text
// such as "6 % of 5 steps": of steps with experts, or of the others. It is empty if none was held out.
func (s Stack) HeldOut(experts bool) string {
	field := "about.held-out"
	if experts {
		field += "-experts"
	}
	if s == "" {
		return ""
	}
	f, _ := stackEntry(s).Known(field)
	return f.Value
}

func stackEntry(s Stack) catalog.Entry {
	e, err := catalog.Lookup(catalog.Stack, string(s))
	if err != nil {
		panic(err)
	}
	return e
}

// mustRatio is a ratio of the catalog.
func mustRatio(text string) Ratio {
	r, err := ParseRatio(text)
	if err != nil {
		panic(err)
	}
	return r
}
