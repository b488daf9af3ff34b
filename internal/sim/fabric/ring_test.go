package fabric

import (
	"testing"

	"weft/internal/sim/engine"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// atRate is a congestion control that allows a rate and never changes it.
type atRate struct {
	cc.Algorithm
	rate units.Rate
}

func (a atRate) Start(_ units.Time, allow *cc.Allowance) cc.Wants {
	allow.Rate = a.rate
	return 0
}

// A flow in the ring that is ready at 200 ns, when its port decides, has its turn behind a flow that is ready
// earlier and before one that is ready later. At 200 ns its place is its timer's: behind what arrives and behind
// timers of earlier connections, before all else.
func TestAFlowWithoutATimerHasItsTurn(t *testing.T) {
	const ready = 200 * units.Nanosecond
	for _, c := range []struct {
		name   string
		now    units.Time
		class  engine.Class
		order  uint64
		behind bool
	}{
		{"earlier", ready - 1, classApp, 9, false},
		{"later", ready + 1, classArrive, 1, true},
		{"an arrival", ready, classArrive, 9, false},
		{"the timer of an earlier connection", ready, classTimer, 1, false},
		{"the timer of a later connection", ready, classTimer, 9, true},
		{"the application", ready, classApp, 1, true},
	} {
		early := &flow{order: 5}
		if err := early.qp.Setup(&transport.Config{PathMTU: 4096}, transport.RC, 1, atRate{rate: units.Rate(4096 * 8 * units.Second / ready)}); err != nil {
			t.Fatal(err)
		}
		if err := early.qp.Connect(0, 2, 0, 0); err != nil {
			t.Fatal(err)
		}
		if err := early.qp.PostSend(0, transport.WorkRequest{Op: transport.OpWrite, Length: 8192}); err != nil {
			t.Fatal(err)
		}
		early.qp.Next(0, &transport.Packet{})
		p := &Partition{net: &Network{wiring: wiring{classes: 1, ports: make([]port, 1)}}, now: c.now, class: c.class}
		p.net.nicQueues = make([]nicQueue, 1)
		other, q := &flow{order: c.order}, &p.net.nicQueues[0]
		early.queueUp(p, true)
		other.queueUp(p, false)
		if first := q.ring.pop(); (first == early) != c.behind {
			t.Errorf("%s (%v, ready at %v): it is behind the flow: %t, want %t", c.name, c.now, early.readyAt(0), first == early, c.behind)
		}
	}
}
