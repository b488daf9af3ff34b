package executor

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// Launcher executes graphs of messages between GPUs beside an application of another package, on the
// application's network: one graph after the other, on some of the ranks. Several launchers on one
// network must have no rank in common.
type Launcher struct {
	run   *graphRun
	first bool
}

// NewLauncher is a launcher for graphs whose messages the same software sends as those of g. The sources of its timers begin
// with source; they are as many as the cluster has ranks.
func NewLauncher(r *scenario.Resolved, net *network.Network, g *workload.Graph, source uint32) *Launcher {
	l := &Launcher{run: newGraphRun(r, net.Plan, g), first: true}
	l.run.register = newRegister(maxOperations) // the next graph may have more messages
	l.run.source = source
	l.run.on(net)
	return l
}

// Launch begins a graph, which has passed Check, on ranks that are done with the graph before. over is
// called when all ranks are done, in the middle of an event: the next graph must begin later.
func (l *Launcher) Launch(g *workload.Graph, over func()) {
	l.run.ended = over
	if !l.first || l.run.graph != g {
		l.run.load(g)
	}
	l.first = false
	l.run.start()
}

// Owns reports whether an end of a connection at a NIC is the launcher's.
func (l *Launcher) Owns(nic int32, end units.QPN) bool {
	ends := l.run.ends[nic]
	return int(end) < len(ends) && ends[end].under != nil
}

// Failure is the first error; nil if there is none.
func (l *Launcher) Failure() error { return l.run.failed() }

// Complete is fabric.App's, for an end that the launcher owns.
func (l *Launcher) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	l.run.Complete(p, nic, c)
}

// Timer is fabric.App's, for a source of the launcher.
func (l *Launcher) Timer(p *fabric.Partition, source uint32) { l.run.Timer(p, source) }

// Arrived is fabric.LocalApp's, for a GPU of the launcher's ranks.
func (l *Launcher) Arrived(p *fabric.Partition, gpu int32, tag uint64) { l.run.Arrived(p, gpu, tag) }
