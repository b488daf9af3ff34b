package scenario

import (
	"fmt"

	"weft/internal/sim/collective/nccl"
)

// NCCL is factors on the constants that NCCL publishes in its cost model
// (src/graph/tuning.cc): a field of 1 is NCCL's figure. weft calibrate fits
// them to a measured log. NCCL's choice of algorithm uses its own constants,
// whatever the factors.
type NCCL struct {
	// Version is NCCL's release, whose rules and constants decide: 2.9 or later, such as 2.27 or
	// 2.27.3. Empty is the newest that is known.
	Version string `yaml:"version"`
	// Harness is the program that reports a collective's time, and its way of launch.
	Harness Harness `yaml:"harness"`
	// PerThread is the number of GPUs for which one thread launches, with the harness for-all; 0 is
	// all of a node.
	PerThread int `yaml:"per-thread" range:"0..1024"`
	// PXN has a rank reach a NIC on its peer's rail through the GPU beside it. Without it
	// (NCCL_PXN_DISABLE=1) an all-to-all goes from the rank's own NIC to the peer's own.
	PXN bool `yaml:"pxn"`
	// Times is the source of the times of the kernels and of the messages between nodes: measured,
	// or nccl, the constants of NCCL's own cost model.
	Times KernelTimes `yaml:"times"`
	// Base is on the fixed time of an operation: launch, first and last copies.
	Base Ratio `yaml:"base"`
	// StepLocal is on the software's time of a message inside a node.
	StepLocal Ratio `yaml:"step-local"`
	// StepNetwork is on the software's time of a message between nodes, which is a
	// delay: messages of one connection overlap in it.
	StepNetwork Ratio `yaml:"step-network"`
	// Proxy is on the time that a rank's proxy thread takes for a message between
	// nodes, in which the rank's other messages wait.
	Proxy Ratio `yaml:"proxy"`
	// Turn is on the fixed time of a turn of a channel's thread block, and on that of its first trip.
	Turn Ratio `yaml:"turn"`
	// Kernel is on the rates at which the GPUs' kernels move data.
	Kernel Ratio `yaml:"kernel"`
	// Tuner is what a tuner plug-in has NCCL choose: lines as in the configuration of NCCL's example
	// plug-in (plugins/tuner/example), collective_type,min_bytes,max_bytes,algorithm,protocol,
	// channels,nNodes,nRanks. The first line that fits holds.
	Tuner []string `yaml:"tuner,omitzero"`

	figures *nccl.Figures
}

// Figures replace the measured times of kernels and of messages between nodes; nil is those in use.
func (n *NCCL) Figures() *nccl.Figures { return n.figures }

// SetFigures sets Figures; a file cannot.
func (n *NCCL) SetFigures(f *nccl.Figures) { n.figures = f }

// Rules are the lines of Tuner, which are checked.
func (n *NCCL) Rules() (rules []nccl.Rule) {
	for _, line := range n.Tuner {
		if r, err := nccl.ParseRule(line); err == nil {
			rules = append(rules, r)
		}
	}
	return rules
}

// checkNCCL keeps the factors within two orders of magnitude: beyond, they no longer describe NCCL.
func (r clusterRules) checkNCCL() {
	n := &r.NCCL
	for i, line := range n.Tuner {
		if _, err := nccl.ParseRule(line); err != nil {
			r.complain(fmt.Sprintf("nccl.tuner[%d]", i), "%v", err)
		}
	}
	if _, err := nccl.ParseRelease(n.Version); err != nil {
		r.complain("nccl.version", "%v", err)
	}
	if n.PerThread > 0 && n.Harness != ForAll {
		r.complain("nccl.per-thread", "it is for the harness %s: with %s a thread launches for one GPU", ForAll, n.Harness)
	}
	for _, f := range []struct {
		name  string
		value Ratio
	}{
		{"base", n.Base},
		{"step-local", n.StepLocal},
		{"step-network", n.StepNetwork},
		{"proxy", n.Proxy},
		{"turn", n.Turn},
		{"kernel", n.Kernel},
	} {
		if f.value.Cmp(1, 100) < 0 || f.value.Cmp(100, 1) > 0 {
			r.complain("nccl."+f.name, "a factor of %s on NCCL's own figure: want 1/100 to 100", f.value)
		}
	}
}
