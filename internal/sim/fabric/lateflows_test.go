package fabric_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// growing is an application that connects further queue pairs while its first packets
// are under way, as collectives do.
type growing struct {
	flows
	t       *testing.T
	net     *fabric.Network
	further int
}

func (g *growing) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	g.flows.Complete(p, nic, c)
	for ; g.further > 0; g.further-- {
		if err := g.send(g.net, 0, 1, 64); err != nil {
			g.t.Fatal(err)
		}
	}
}

func TestFlowsThatAreConnectedDuringTheRunDoNotMoveThePacketsUnderWay(t *testing.T) {
	app := &growing{t: t, further: 3000}
	app.net = mustBuild(t, topology.SingleSwitch{Endpoints: 3, Radix: 4}, "roce", app)
	for from := range int32(2) {
		if err := app.send(app.net, from, 2, 1<<16); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.net.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if n := app.unfinished(); n != 0 {
		t.Errorf("%d of %d messages are unfinished", n, len(app.done))
	}
}
