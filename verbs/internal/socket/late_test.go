package socket

import (
	"net/netip"
	"testing"
	"time"

	"weft/internal/sim/transport"
	"weft/units"
)

// end is one end of a network in memory. It gives one packet at a time.
type end struct {
	local netip.AddrPort
	peer  *end
	in    [][]byte
}

func (e *end) Local() netip.AddrPort     { return e.local }
func (e *end) Buffer() int               { return 1 << 30 }
func (e *end) MTU() int                  { return 0 }
func (e *end) AllowMarks() error         { return nil }
func (e *end) Reach(netip.AddrPort) *Way { return nil }
func (e *end) Join(netip.Addr) error     { return nil }
func (e *end) Leave(netip.Addr)          {}
func (e *end) Wait(time.Duration)        {}
func (e *end) Wake()                     {}
func (e *end) Close() error              { return nil }
func (e *end) Receive() ([]Incoming, error) {
	if len(e.in) == 0 {
		return nil, nil
	}
	b := e.in[0]
	e.in = e.in[1:]
	return []Incoming{{From: e.peer.local, Segment: len(b), Data: b}}, nil
}

func (e *end) Send(batch []Outgoing) error {
	for _, o := range batch {
		var all []byte
		for _, part := range o.Parts {
			all = append(all, part...)
		}
		for len(all) > 0 {
			n := min(o.Segment, len(all))
			e.peer.in = append(e.peer.in, all[:n:n])
			all = all[n:]
		}
	}
	return nil
}

// memoryless owns queue pairs whose messages have no bytes.
type memoryless struct{ done int }

func (m *memoryless) Gather(_ *transport.Packet, parts [][]byte) ([][]byte, bool) { return parts, true }
func (m *memoryless) Operands(*transport.Packet) (a, b uint64)                    { return 0, 0 }
func (m *memoryless) Destination(*transport.Packet) *Peer                         { return nil }
func (m *memoryless) Place(transport.Verdict, *transport.Packet, []byte)          {}
func (m *memoryless) Landing(uint64, uint32, uint32) []byte                       { return nil }
func (m *memoryless) Replenish()                                                  {}
func (m *memoryless) Completed(*transport.Completion)                             { m.done++ }

// A machine stood still for longer than the timeout. More acknowledgements wait in the socket than
// one read takes: all are read before any packet is retransmitted.
func TestTheSocketIsReadBeforeAnythingIsSentAgain(t *testing.T) {
	const pairs = 10 * maxRounds
	var now units.Time
	var owner memoryless
	cfg := transport.Config{PathMTU: 1024, RetryTimeout: units.Millisecond, RetryCount: 7}
	ends := [2]*end{{local: netip.MustParseAddrPort("10.0.0.1:4791")}, {local: netip.MustParseAddrPort("10.0.0.2:4791")}}
	var ports [2]*Port
	var all [2][]*Endpoint
	for i := range ends {
		ends[i].peer = ends[1-i]
		ports[i] = Open(Config{Conn: ends[i], PathMTU: 1024, Clock: func() units.Time { return now }})
		peer, err := ports[i].Peer(ends[1-i].local)
		if err != nil {
			t.Fatal(err)
		}
		for n := range units.QPN(pairs) {
			e := &Endpoint{Owner: &owner, Peer: peer, PKey: 0xffff}
			err := ports[i].Attach(e, 100+n, func(qpn units.QPN) error {
				if err := e.QP.Setup(&cfg, transport.RC, qpn, nil); err != nil {
					return err
				}
				return e.QP.Connect(0, qpn, 0, 0)
			})
			if err != nil {
				t.Fatal(err)
			}
			all[i] = append(all[i], e)
		}
	}
	for _, e := range all[0] {
		if err := e.QP.PostSend(now, transport.WorkRequest{Op: transport.OpWrite}); err != nil {
			t.Fatal(err)
		}
		ports[0].Process(e)
	}
	for range 2 * pairs {
		ports[1].Progress()
	}
	if len(ends[0].in) != pairs {
		t.Fatalf("%d acknowledgements wait, want %d", len(ends[0].in), pairs)
	}
	now += units.Second
	ports[0].progress(false)
	for _, e := range all[0] {
		if n := e.QP.Repeated(); n != 0 {
			t.Fatalf("queue pair %d sent %d packets again", e.QP.QPN(), n)
		}
	}
	if owner.done != pairs {
		t.Errorf("%d messages have ended, want %d", owner.done, pairs)
	}
}
