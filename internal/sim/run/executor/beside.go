package executor

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// Application is an application of another package that runs until it is over or has failed.
type Application interface {
	fabric.App
	fabric.LocalApp
	Running() bool
}

// Beside is an application with the fabric's streams beside it, which end with it.
type Beside struct{ streams *streamRun }

// BesideOf adds the streams of a plan's fabric to an application, on a cluster with a number of NICs.
func BesideOf(p *network.Plan, app Application, nics int) *Beside {
	return &Beside{withStreams(p, applied{app}, nics)}
}

// applied is an Application as the foreground of streams.
type applied struct{ Application }

func (a applied) running() bool { return a.Running() }

// App is the application of the network.
func (b *Beside) App() fabric.App { return b.streams.app() }

// Start connects the streams and posts their first messages. The application's connections come after it.
func (b *Beside) Start(net *network.Network) error { return b.streams.start(net) }

// Failure is the first failure of a stream; nil if none failed.
func (b *Beside) Failure() error { return b.streams.failure }

// Results are the results of the streams up to the end of the application, whose share of the busy links,
// under the name job, and theirs they add to these.
func (b *Beside) Results(ended units.Time, hot []results.HotLink, links []int32, job string) []results.Stream {
	b.streams.attribute(hot, links, job)
	return b.streams.results(ended)
}
