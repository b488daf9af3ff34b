package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// collective is an all-reduce in a ring, or an all-to-all with two messages at a time, that begins
// at a time.
type collective struct {
	t      *testing.T
	begins units.Time
	ring   bool
	size   uint32
	qp     [][]units.QPN  // by host: the queue pairs to its peers, or to its right neighbour
	next   []int          // by host: messages begun
	done   [][]units.Time // by host: completions, from the beginning on
}

func (c *collective) load(n *fabric.Network, hosts int, ends func(id int) (fabric.Connection, fabric.Connection)) {
	c.qp, c.next, c.done = make([][]units.QPN, hosts), make([]int, hosts), make([][]units.Time, hosts)
	for host := range hosts {
		for d := 1; d < hosts && (d == 1 || !c.ring); d++ {
			from, to := ends(host*hosts + d)
			qp, _, err := n.Connect(int32(host), int32((host+d)%hosts), from, to)
			if err != nil {
				c.t.Fatal(err)
			}
			c.qp[host] = append(c.qp[host], qp)
		}
		n.Partition(int32(host)).At(c.begins, uint32(host))
	}
}

// messages is the number of messages of a host.
func (c *collective) messages() int {
	if c.ring {
		return 2 * (len(c.qp) - 1)
	}
	return len(c.qp) - 1
}

func (c *collective) post(p *fabric.Partition, host int32) {
	if c.next[host] == c.messages() {
		return
	}
	qp := c.qp[host][c.next[host]%len(c.qp[host])]
	c.next[host]++
	wr := transport.WorkRequest{Op: transport.OpSend, Length: c.size}
	if err := p.Post(host, qp, wr); err != nil {
		c.t.Error(err)
	}
}

func (c *collective) Timer(p *fabric.Partition, source uint32) {
	host := int32(source)
	c.post(p, host)
	if !c.ring {
		c.post(p, host)
	}
}

func (c *collective) Complete(p *fabric.Partition, nic int32, done *transport.Completion) {
	if done.Status != transport.Success {
		c.t.Errorf("host %d: %v", nic, done.Status)
	}
	c.done[nic] = append(c.done[nic], p.Now()-c.begins)
	if done.Recv == c.ring {
		c.post(p, nic)
	}
}

// TestALaterStartOnlyMovesTheTimes begins collectives 1,234,567 ps later, with each host in a cell of its own, on all
// variants that draw nothing at random: no time of a run is rounded to a multiple of anything since time zero.
func TestALaterStartOnlyMovesTheTimes(t *testing.T) {
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	plain := func(*fabric.NIC, *fabric.EthernetSwitch, *fabric.InfiniBandSwitch) {}
	cases := append([]variant{
		{"plain", "infiniband", fabric.Static, plain},
		{"adaptive", "infiniband", fabric.Adaptive, plain},
		{"plain", "roce", fabric.ECMP, plain},
	}, variants...)
	for _, v := range cases {
		if bursts[v.name] != nil {
			continue // errors are drawn at random
		}
		for _, ring := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%s/ring %t", v.fabric, v.name, ring), func(t *testing.T) {
				now, later := &collective{t: t, ring: ring, size: 40_000}, &collective{t: t, ring: ring, size: 40_000, begins: 1_234_567}
				for _, c := range []*collective{now, later} {
					app := fabric.App(c)
					if c == later {
						app = byHost{c}
					}
					n, err := v.build(g, nil, app)
					if err != nil {
						t.Fatal(err)
					}
					c.load(n, g.Endpoints, func(id int) (fabric.Connection, fabric.Connection) {
						end := fabric.Connection{Entropy: uint32(id), Class: uint8(id % 3), Reply: uint8((id + 1) % 3)}
						return end, end
					})
					if err := n.Run(100*units.Millisecond, 1, nil); err != nil {
						t.Fatal(err)
					}
				}
				for host, want := range now.done {
					if len(want) < now.messages() {
						t.Errorf("host %d: %d completions, want %d or more", host, len(want), now.messages())
					}
					if got := later.done[host]; !slices.Equal(got, want) {
						at := 0
						for at < min(len(got), len(want)) && got[at] == want[at] {
							at++
						}
						t.Fatalf("host %d: completion %d of %d and %d differs: %v", host, at, len(want), len(got), [][]units.Time{want[at:min(at+1, len(want))], got[at:min(at+1, len(got))]})
					}
				}
			})
		}
	}
}

// lateBursts sends 20 bursts from every GPU to every other, at a time.
type lateBursts struct {
	begins units.Time
	gpus   int32
	at     []units.Time // arrivals, from the beginning on
}

func (*lateBursts) Complete(*fabric.Partition, int32, *transport.Completion) {}

func (l *lateBursts) Timer(p *fabric.Partition, gpu uint32) {
	from := int32(gpu)
	for d := int32(1); d < l.gpus; d++ {
		p.SendLocal(from, fabric.LocalMessage{Bytes: 20*burstPayload + int64(from), Queue: uint8(d), Tag: 1, To: (from + d) % l.gpus})
	}
}

func (l *lateBursts) Arrived(p *fabric.Partition, _ int32, _ uint64) {
	l.at = append(l.at, p.Now()-l.begins)
}

// TestALaterStartOnlyMovesBursts is the same on the scale-up network, with room for three bursts.
func TestALaterStartOnlyMovesBursts(t *testing.T) {
	const gpus = 4
	var want []units.Time
	for _, begins := range []units.Time{0, 1_234_567} {
		app := &lateBursts{begins: begins, gpus: gpus}
		b := scaleUp(app, gpus, 3, (400 * units.Gbps).PerByte(), 20*ns)
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		for gpu := range int32(gpus) {
			n.Partition(gpu).At(begins, uint32(gpu))
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = app.at
		}
		if len(app.at) != gpus*(gpus-1) || !slices.Equal(app.at, want) {
			t.Errorf("messages arrive at %v, and later %v", want, app.at)
		}
	}
}
