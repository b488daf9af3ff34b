package transport

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/test/golden"
	"weft/units"
	"weft/wire"
)

// rdScript runs a script on the state machines alone.
type rdScript struct {
	t     *testing.T
	cfg   Config
	nodes map[string]*rdScriptNode
	now   units.Time
	lose  map[string]units.PSN
	trace []string
	ids   uint64
}

type rdScriptNode struct {
	name  string
	eec   *EEC
	qps   map[string]*RDQP
	in    []rdPacket
	batch Batch
	ended map[string][]string
}

const rdGoodKey, rdGoodQKey = 1, 0x77

func newRDScript(t *testing.T) *rdScript {
	t.Helper()
	s := &rdScript{t: t, nodes: map[string]*rdScriptNode{}, lose: map[string]units.PSN{}}
	s.cfg = Config{
		PathMTU: 1024, AckEvery: 1 << 20, AskEvery: 32, Duplicates: DuplicatesAcked, MaxReads: 16, RetryTimeout: RetryTime(14), RetryCount: 7,
		RNRRetry: 7, RNRTimer: 12, Delivery: EndToEnd,
		Access: func(_ units.QPN, _ Access, rkey uint32, _ uint64, _ uint32) bool { return rkey == rdGoodKey },
		Atomic: func(units.QPN, Op, uint32, uint64) uint64 { return 0 },
	}
	for i, name := range []string{"a", "b"} {
		n := &rdScriptNode{name: name, qps: map[string]*RDQP{}, ended: map[string][]string{}, eec: new(EEC)}
		q, err := newQP(&s.cfg, RC, 50, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			d := new(RDQP)
			d.Setup(units.QPN(i*10+k+1), 1)
			d.SetQKey(rdGoodQKey)
			for _, to := range []State{StateInit, StateRTR, StateRTS} {
				if err := d.Become(0, to, &n.batch); err != nil {
					t.Fatal(err)
				}
			}
			n.qps[fmt.Sprint(name, k+1)] = d
		}
		if err := n.eec.Setup(q, 1, n.find); err != nil {
			t.Fatal(err)
		}
		psn := [2]units.PSN{100, 200}
		if err := n.eec.Connect(0, 50, psn[i], psn[1-i]); err != nil {
			t.Fatal(err)
		}
		s.nodes[name] = n
	}
	return s
}

func (n *rdScriptNode) find(qpn units.QPN) *RDQP {
	for _, d := range n.qps {
		if d.qpn == qpn {
			return d
		}
	}
	return nil
}

// name is the script's name of a queue pair.
func (s *rdScript) name(qpn units.QPN) string {
	for _, n := range s.nodes {
		for name, d := range n.qps {
			if d.qpn == qpn {
				return name
			}
		}
	}
	return "none"
}

// rdScriptMessage is a work request of a script.
type rdScriptMessage struct {
	from, to string // queue pairs: a1, a2, b1, b2
	op       string // send, write, read, fetchadd
	bytes    int
	flaw     string // qkey, rkey, or nothing
}

// Command executes a line of the script.
func (s *rdScript) Command(words []string) error {
	n, err := strconv.Atoi(words[min(2, len(words)-1)])
	switch {
	case words[0] == "lose" && len(words) == 3 && err == nil: // the next packet to a node that has this PSN
		s.lose[words[1]] = units.PSN(n)
	case words[1] == "recv" && len(words) == 3 && err == nil:
		err = s.nodes[words[0][:1]].qps[words[0]].PostRecv(RecvRequest{Length: uint32(n)}, &s.nodes[words[0][:1]].batch)
	case len(words) >= 4:
		n, err = strconv.Atoi(words[3])
		if err == nil {
			s.post(rdScriptMessage{from: words[0], to: words[1], op: words[2], bytes: n, flaw: strings.Join(words[4:], " ")})
		}
	default:
		err = strconv.ErrSyntax
	}
	return err
}

func (s *rdScript) post(m rdScriptMessage) {
	n := s.nodes[m.from[:1]]
	d := s.nodes[m.to[:1]].qps[m.to]
	s.ids++
	wr := WorkRequest{
		ID: s.ids, Op: map[string]Op{"send": OpSend, "write": OpWrite, "read": OpRead, "fetchadd": OpFetchAdd}[m.op],
		Length: uint32(m.bytes), RKey: rdGoodKey, DestQP: d.qpn, QKey: rdGoodQKey,
	}
	switch m.flaw {
	case "rkey":
		wr.RKey++
	case "qkey":
		wr.QKey++
	}
	if n.qps[m.from].State() == StateSQE {
		if err := n.qps[m.from].Become(s.now, StateRTS, &n.batch); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := n.qps[m.from].PostSend(s.now, n.eec, wr, &n.batch); err != nil {
		s.t.Fatal(err)
	}
	s.drain(n)
}

// send notes a packet and brings it to the other node, or loses it.
func (s *rdScript) send(n *rdScriptNode, p *Packet) {
	a := n.eec.Address(p)
	s.trace = append(s.trace, rdLine(n.name, p.Op+RDOffset, p.PSN, s.name(a.Dest), s.name(a.Src), p.Syndrome))
	to := s.nodes[map[string]string{"a": "b", "b": "a"}[n.name]]
	if psn, ok := s.lose[to.name]; ok && psn == p.PSN {
		delete(s.lose, to.name)
		return
	}
	to.in = append(to.in, rdPacket{p: *p, a: a})
}

func (s *rdScript) drain(n *rdScriptNode) {
	for i := range n.batch.Packets {
		s.send(n, &n.batch.Packets[i])
	}
	for told := 0; told < len(n.batch.Completions); { // a context may add to them
		c := n.batch.Completions[told]
		told++
		d, _ := n.eec.Completed(s.now, &c, &n.batch)
		if d != nil {
			name := s.name(d.qpn)
			n.ended[name] = append(n.ended[name], c.Status.String())
		}
	}
	n.batch.Reset()
}

// rdLine is a line of a trace: the packet on the wire, and its queue pairs by name.
func rdLine(from string, op wire.Opcode, psn units.PSN, dest, src string, s wire.Syndrome) string {
	line := fmt.Sprintf("%s sends %v psn=%d to %s", from, op, psn, dest)
	if op.Headers().Has(wire.DETH) {
		line += " from " + src
	}
	if op.Headers().Has(wire.AETH) {
		line += fmt.Sprintf(" %v", s)
	}
	return line
}

// Trace moves packets and time until nothing is left. It returns the packets in their order, and then how each queue
// pair's work ended.
func (s *rdScript) Trace() string {
	for s.turn() {
	}
	for _, node := range []string{"a", "b"} {
		n := s.nodes[node]
		for _, name := range []string{node + "1", node + "2"} {
			if len(n.ended[name]) > 0 {
				s.trace = append(s.trace, name+" ends "+strings.Join(n.ended[name], " "))
			}
		}
		clear(n.ended)
	}
	out := strings.Join(s.trace, "\n")
	s.trace = nil
	return out
}

// turn lets each node send all it may and take the packets that came. If nothing moved,
// time passes.
func (s *rdScript) turn() (moved bool) {
	next := units.Forever
	for _, name := range []string{"a", "b"} {
		n := s.nodes[name]
		in := slices.Clone(n.in)
		n.in = nil
		for i := range in {
			n.eec.Receive(s.now, &in[i].p, in[i].a, &n.batch)
			s.drain(n)
			moved = true
		}
		for n.eec.q.Ready(s.now) <= s.now {
			var p Packet
			if !n.eec.q.Next(s.now, &p) {
				break
			}
			s.send(n, &p)
			moved = true
		}
		if n.eec.q.NextTimeout() <= s.now {
			n.eec.q.Timeout(s.now, &n.batch)
			s.drain(n)
		}
		next = min(next, n.eec.q.Ready(s.now), n.eec.q.NextTimeout())
	}
	if !moved && next != units.Forever {
		s.now = max(s.now, next)
		return true
	}
	return moved
}

func TestReliableDatagramScript(t *testing.T) {
	const file = "testdata/rd/trace.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, file, golden.Play(t, string(text), newRDScript(t)))
}
