package verbs

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"weft/internal/test/rdtest"
	"weft/units"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
)

// rdDevices runs a script of reliable datagrams on two devices.
type rdDevices struct {
	t     *testing.T
	p     *paced // their clock: a busy machine causes no timeouts
	g     *datagrams
	lose  map[string]units.PSN
	posts []func() *QP // posted at the start of the next run
	trace []string
	open  map[string]int // unfinished work, by node
	ended map[QPN][]string
	names map[QPN]string
}

func newRDDevices(t *testing.T) *rdDevices {
	t.Helper()
	s := &rdDevices{t: t, lose: map[string]units.PSN{}, open: map[string]int{}, ended: map[QPN][]string{}, names: map[QPN]string{}}
	s.p = &paced{t: t, net: faulty.New(1, faulty.Harm{})}
	s.g = newDatagrams(t, 2, 0, func(i int) *Device {
		node := string(rune('a' + i))
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		c := &leaky{Conn: s.p.net.Open(addr)}
		c.lose(func(h *wire.Packet) bool { return !s.pass(node, h) })
		dev, err := open(c, Options{PathMTU: 1024, clock: func() units.Time { return s.p.now }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		return dev
	})
	for i := range s.g.on {
		e, err := s.g.qps[i][0].attr.RDD.CreateEEC()
		if err != nil {
			t.Fatal(err)
		}
		s.g.eecs[i] = []*EEC{e}
		for k, q := range s.g.qps[i] {
			s.names[q.QPN()] = fmt.Sprintf("%c%d", 'a'+i, k+1)
		}
	}
	s.p.sender, s.p.receiver = s.g.on[0], s.g.on[1]
	psn := [2]units.PSN{100, 200}
	for i := range s.g.on {
		to := s.g.eecs[1-i][0]
		if err := s.g.eecs[i][0].Connect(Remote{Addr: s.g.on[1-i].dev.Addr(), QPN: to.Number(), PSN: psn[1-i]}, psn[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// pass records a packet, and reports whether it is delivered.
func (s *rdDevices) pass(node string, h *wire.Packet) bool {
	name := func(n QPN) string {
		if known := s.names[n]; known != "" {
			return known
		}
		return "none"
	}
	s.trace = append(s.trace, rdtest.Packet(node, h.BTH.Opcode, h.BTH.PSN, name(h.BTH.DestQP), name(h.DETH.SrcQP), h.AETH.Syndrome))
	to := map[string]string{"a": "b", "b": "a"}[node]
	if psn, ok := s.lose[to]; ok && psn == h.BTH.PSN {
		delete(s.lose, to)
		return false
	}
	return true
}

// at is the side and the queue pair of a name.
func (s *rdDevices) at(name string) (*side, *QP) {
	i := int(name[0] - 'a')
	return s.g.on[i], s.g.qps[i][name[1]-'1']
}

func (s *rdDevices) Post(m rdtest.Message) {
	on, q := s.at(m.From)
	to, dest := s.at(m.To)
	wr := SendWR{
		Opcode: map[string]Opcode{"send": Send, "write": RDMAWrite, "read": RDMARead, "fetchadd": AtomicFetchAndAdd}[m.Op],
		Flags:  SendSignaled, SGL: []SGE{on.mr.SGE(0, m.Bytes)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey(),
		EEC: s.g.eecs[m.From[0]-'a'][0], DestQPN: dest.QPN(), QKey: rdQKey,
	}
	switch m.Flaw {
	case "rkey":
		wr.RKey++
	case "qkey":
		wr.QKey++
	}
	if q.State() == StateSQE {
		if err := q.Modify(&QPAttr{State: StateRTS}, AttrState); err != nil {
			s.t.Fatal(err)
		}
	}
	s.open[m.From[:1]]++
	s.posts = append(s.posts, func() *QP {
		if err := q.postSend(&wr); err != nil {
			s.t.Error(err)
		}
		return q
	})
}

// post posts the work of the script, all at once.
func (s *rdDevices) post() {
	for _, on := range s.g.on {
		on.dev.port.Lock()
		defer on.dev.port.Unlock()
	}
	var all []*QP
	for _, f := range s.posts {
		all = append(all, f())
	}
	s.posts = nil
	for _, q := range all {
		q.pd.dev.port.Process(&q.end)
	}
}

func (s *rdDevices) Recv(at string, bytes int) {
	on, q := s.at(at)
	s.open[at[:1]]++
	if err := q.PostRecv(RecvWR{SGL: []SGE{on.mr.SGE(0, bytes)}}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *rdDevices) Lose(node string, psn units.PSN) {
	s.lose[node] = psn
}

// Run lets time pass until all work has ended, and no context has a message in progress: a RESYNC has no completion.
func (s *rdDevices) Run() string {
	s.post()
	end := s.p.now + units.Second
	for s.p.rest(func() {}); s.busy(); s.p.rest(func() {}) {
		if s.p.now += units.Millisecond; s.p.now > end {
			s.t.Fatalf("the contexts do not come to rest within %v", units.Second)
		}
	}
	for _, qps := range s.g.qps {
		for _, q := range qps {
			if len(s.ended[q.QPN()]) > 0 {
				s.trace = append(s.trace, s.names[q.QPN()]+" ends "+strings.Join(s.ended[q.QPN()], " "))
			}
		}
	}
	clear(s.ended)
	out := strings.Join(s.trace, "\n")
	s.trace = nil
	return out
}

// busy takes the completions, and reports whether work has not ended, or a context has a message in progress.
func (s *rdDevices) busy() (busy bool) {
	for i, on := range s.g.on {
		var wc [16]WC
		n, err := on.cq.Poll(wc[:])
		if err != nil {
			s.t.Fatal(err)
		}
		for _, c := range wc[:n] {
			s.ended[c.QPN] = append(s.ended[c.QPN], strings.TrimPrefix(c.Status.String(), "IBV_WC_"))
		}
		node := string(rune('a' + i))
		s.open[node] -= n
		on.dev.port.Lock()
		busy = busy || s.open[node] > 0 || s.g.eecs[i][0].end.QP.Pending() > 0
		on.dev.port.Unlock()
	}
	return busy
}

// The script of package transport leaves the same trace on devices.
func TestReliableDatagramsLeaveTheTraceOfTheStateMachines(t *testing.T) {
	text, err := os.ReadFile("../internal/sim/transport/testdata/rd/trace.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := rdtest.Script(t, string(text), newRDDevices(t)); got != string(text) {
		t.Errorf("on devices the trace is\n%s\nand on the state machines\n%s", got, text)
	}
}
