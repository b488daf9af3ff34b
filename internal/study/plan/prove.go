package plan

import (
	"context"
	"fmt"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Proof is what the simulator measures on a model of a design. A time is 0 if the measurement has none.
type Proof struct {
	Model Model
	// Shift is the share of a NIC's rate that the slowest NIC gets while each sends to the one half the cluster and a
	// rail away.
	Shift float64
	// Bytes is the size of the all-reduce, and Time its time.
	Bytes units.Bytes
	Time  units.Time
	// Whole is the time of the shift, and Failed its time with a broken uplink, which the control plane mends meanwhile.
	Whole, Failed units.Time
	Broken        string // the uplink; empty if there is none to spare
	Problem       string // why there is no model, or why a simulation failed
}

// Sizes of a proof: it takes seconds, not minutes.
const (
	proofNICs    = 64              // of a model, if so few have the levels
	proofNodes   = 8               // of a model at most
	proofShift   = 256 * units.KiB // a message
	proofFlows   = 4               // messages of a NIC
	mostProof    = 4 * units.MiB
	mostProved   = 2 // designs of a protocol
	proofFaultAt = units.Microsecond
)

// Prove simulates the first designs of each protocol's front, several at a time. If ctx ends, the rest
// has no proof.
func (p *Plan) Prove(ctx context.Context, run many.Runner, workers int) {
	var chosen []*Design
	count := map[scenario.FabricKind]int{}
	for _, d := range p.Designs {
		if d.Front && count[d.Kind] < mostProved {
			count[d.Kind]++
			chosen = append(chosen, d)
		}
	}
	cores.Each(len(chosen), min(len(chosen), max(1, workers)), func(i int) {
		if ctx.Err() == nil {
			proof := chosen[i].prove(ctx, run)
			if ctx.Err() == nil {
				chosen[i].Proof = proof
			}
		}
	})
}

// prove simulates a model of the design.
func (d *Design) prove(ctx context.Context, run many.Runner) *Proof {
	if d.Shape == scenario.Dragonfly {
		return &Proof{Problem: "a dragonfly has no smaller model"}
	}
	var models []Model
	err := ErrNoModel
	for nodes := max(2, proofNICs*d.Count.Nodes/d.Count.Endpoints); err != nil && nodes <= proofNodes; nodes *= 2 {
		models, err = ModelsOf(nodes, []*Design{d})
	}
	if err != nil {
		return &Proof{Problem: fmt.Sprintf("no model of %d nodes has its levels", proofNodes)}
	}
	out := &Proof{Model: models[0], Bytes: mostProof}
	if sizes := d.Resolved.Workload.Sizes; len(sizes) > 0 {
		out.Bytes = min(out.Bytes, sizes[len(sizes)-1])
	}
	faults, _, err := Breakable(d, out.Model, proofFaultAt)
	if err != nil {
		return &Proof{Problem: err.Error()}
	}
	collective := scenario.Set("workload", scenario.Workload{Collective: scenario.AllReduce, Sizes: []units.Bytes{out.Bytes}}, "the proof")
	point := func(changes ...scenario.Override) *results.Point {
		if out.Problem != "" {
			return nil
		}
		p, err := d.simulate(ctx, run, out.Model, changes...)
		if err != nil {
			out.Problem = err.Error()
		}
		return p
	}
	shifted := append(d.OverPlanes(), shift(d, out.Model))
	if p := point(shifted...); p != nil {
		out.Shift, out.Whole = share(p, d.choice.nicRate()), p.Flows.Max
	}
	if p := point(collective); p != nil {
		out.Time = p.Time
	}
	if len(faults) > 0 && faults[0].Link != "" {
		out.Broken = faults[0].Link
		if p := point(append(shifted, scenario.Set("faults", faults[:1], "the proof"))...); p != nil {
			out.Failed = p.Flows.Max
		}
	}
	return out
}

// simulate runs a model of the design with changes.
func (d *Design) simulate(ctx context.Context, run many.Runner, m Model, changes ...scenario.Override) (*results.Point, error) {
	job := []scenario.Override{scenario.Set("training", scenario.DefaultTraining(), "the proof"), scenario.Set("serving", scenario.DefaultServing(), "the proof")}
	if !d.Resolved.Training.Given() && !d.Resolved.Serving.Given() {
		job = nil
	}
	r, err := Scaled(d, m, append(job, changes...)...)
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, r, sim.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	return &out.Fabrics[0].Points[0], nil
}

// shift is the workload in which each NIC sends to the one half the cluster and a rail away: over the spines.
func shift(d *Design, m Model) scenario.Override {
	nics := m.Nodes * (d.Count.Endpoints / d.Count.Nodes)
	var flows []scenario.Flow
	for src := range nics * proofFlows {
		src /= proofFlows
		flows = append(flows, scenario.Flow{Src: src, Dst: (src + nics/2 + 1) % nics, Bytes: proofShift})
	}
	return scenario.Set("workload", scenario.Workload{Pattern: scenario.Flows, Flows: flows}, "the proof")
}

// OverPlanes divides each message of a pattern over the planes: a NIC with a port on each has a connection on each, as the
// libraries of collectives do. It changes nothing on one plane.
func (d *Design) OverPlanes() []scenario.Override {
	n := d.choice.planes()
	if n <= d.Resolved.Fabrics[0].Transport.QPsPerConnection {
		return nil
	}
	return []scenario.Override{scenario.Set("fabrics[0].transport.qps-per-connection", n, "a connection on each plane")}
}

// share is the share of a rate that the slowest flow of a shift gets.
func share(p *results.Point, rate units.Rate) float64 {
	if p.Flows.Max <= 0 {
		return 0
	}
	return 8 * proofFlows * float64(proofShift) / float64(rate) * float64(units.Second) / float64(p.Flows.Max)
}
