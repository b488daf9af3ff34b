package verbs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"
)

// another is the environment variable that makes the test's program the other process of a test.
const another = "WEFT_TEST_ANOTHER_PROCESS"

func TestMain(m *testing.M) {
	if at := os.Getenv(another); at != "" {
		beAnother(at)
		return
	}
	os.Exit(m.Run())
}

// beAnother is the other process: it takes WRITEs at an address.
func beAnother(at string) {
	dev, err := Open(Options{Addr: netip.MustParseAddrPort(at)})
	if err != nil {
		fmt.Println(err)
		return
	}
	pd := dev.AllocPD()
	cq, _ := dev.CreateCQ(16)
	qp, _ := pd.CreateQP(QPInitAttr{Type: RC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 16, MaxRecvWR: 16})
	mr, _ := pd.RegMR(make([]byte, 1<<20), allAccess)
	fmt.Println(qp.QPN(), mr.Addr(), mr.RKey())
	in := bufio.NewReader(os.Stdin)
	for {
		var addr string
		var qpn QPN
		if _, err := fmt.Fscan(in, &addr, &qpn); err != nil {
			return
		}
		fmt.Println(qp.Connect(Remote{Addr: netip.MustParseAddrPort(addr), QPN: qpn, PSN: 100}, 100, allAccess))
	}
}

// process is another process with a device.
type process struct {
	*exec.Cmd
	in   *bufio.Reader
	qpn  QPN
	addr uint64
	rkey uint32
}

// start starts another process with a device at an address, and connects a side with it.
func start(t *testing.T, at string, s *side) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), another+"="+at)
	p.Stderr = os.Stderr
	to, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.Process.Kill(), p.Wait() })
	p.in = bufio.NewReader(from)
	if _, err := fmt.Fscan(p.in, &p.qpn, &p.addr, &p.rkey); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(to, s.dev.Addr(), s.qp.QPN())
	if err := s.qp.Connect(Remote{Addr: netip.MustParseAddrPort(at), QPN: p.qpn, PSN: 100}, 100, allAccess); err != nil {
		t.Fatal(err)
	}
	var connected string
	if _, err := fmt.Fscan(p.in, &connected); err != nil || connected != "<nil>" {
		t.Fatal(connected, err)
	}
	return p
}

func (p *process) write(s *side, id uint64) SendWR {
	return SendWR{WRID: id, Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{s.mr.SGE(0, len(s.buf))}, RemoteAddr: p.addr, RKey: p.rkey}
}

// freeAddr is an address of the loopback, with a port of its own.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.ListenPacket("udp", "127.0.0.77:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.LocalAddr().String()
}

// A process that is killed ends the way through its memory. Its peer's work requests end with an error
// after their retries, and a new process at the same address is reached through memory again.
func TestAKilledProcessEndsItsWayAndTheNextHasItsOwn(t *testing.T) {
	at := freeAddr(t)
	s := newSide(t, Options{}, QPInitAttr{}, 1<<20)
	p := start(t, at, s)
	s.post(p.write(s, 1))
	s.want(1, Success)
	if n := s.dev.Stats(); n.NearSent != n.DatagramsSent || n.NearSent == 0 {
		t.Errorf("%d of %d datagrams went through memory", n.NearSent, n.DatagramsSent)
	}
	for id := range uint64(8) {
		s.post(p.write(s, 2+id))
	}
	_, _ = p.Process.Kill(), p.Wait()
	failed := false
	for range 8 {
		if wc := s.wait(); wc.Status == RetryExcErr || wc.Status == WRFlushErr {
			failed = true
		} else if wc.Status != Success || failed {
			t.Errorf("a WRITE to a killed process ended with %v, after a failure: %v", wc.Status, failed)
		}
	}
	next := fit(t, s.dev, QPInitAttr{}, 1<<20)
	q := start(t, at, next)
	before := s.dev.Stats().NearSent
	next.post(q.write(next, 20))
	next.want(20, Success)
	if s.dev.Stats().NearSent == before {
		t.Error("the next process at the address is not reached through memory")
	}
}

// Data of all operations come through memory as they were, and a sleeping receiver is woken.
func TestASleepingReceiverIsWokenThroughMemory(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 64<<10)
	from, to := p.on[0], p.on[1]
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range 50 {
		fillPattern(from.buf, byte(i))
		if err := to.qp.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{to.mr.SGE(0, len(to.buf))}}); err != nil {
			t.Fatal(err)
		}
		to.cq.ReqNotify(false)
		time.Sleep(time.Duration(i%3) * time.Millisecond) // the port's goroutine sleeps after some microseconds
		from.post(SendWR{WRID: uint64(i), Opcode: Send, Flags: SendSignaled, SGL: []SGE{from.mr.SGE(0, len(from.buf))}})
		if err := to.cq.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		to.want(uint64(i), Success)
		from.want(uint64(i), Success)
		if !bytes.Equal(from.buf, to.buf) {
			t.Fatalf("message %d came otherwise", i)
		}
	}
	if n := to.dev.Stats(); n.NearReceived != n.DatagramsReceived || n.NearReceived == 0 {
		t.Errorf("%d of %d datagrams came through memory", n.NearReceived, n.DatagramsReceived)
	}
}

// UC and UD lose nothing to a peer that gets no processor for a while: there is no acknowledgement
// that would bring it back, and a program that counts its messages would wait for ever.
func TestUnreliableRequestsWaitForRoomInMemory(t *testing.T) {
	const messages, bytes = 800, 4096
	for _, service := range []QPType{UC, UD} {
		p := &pair{t: t}
		for i := range p.on {
			p.on[i] = newSide(t, Options{}, QPInitAttr{Type: service, MaxSendWR: messages, MaxRecvWR: messages}, bytes+grhBytes)
		}
		from, to := p.on[0], p.on[1]
		wr := SendWR{Opcode: Send, SGL: []SGE{from.mr.SGE(0, bytes)}}
		if service == UC {
			p.connect()
		} else {
			for _, s := range p.on {
				if err := s.qp.ConnectWith(&QPAttr{QKey: 7, SQPSN: 100}); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			if wr.AH, err = from.pd.CreateAH(to.dev.Addr()); err != nil {
				t.Fatal(err)
			}
			wr.DestQPN, wr.QKey = to.qp.QPN(), 7
		}
		for id := range uint64(messages) {
			if err := to.qp.PostRecv(RecvWR{WRID: id, SGL: []SGE{to.mr.SGE(0, bytes+grhBytes)}}); err != nil {
				t.Fatal(err)
			}
		}
		to.dev.port.Lock()
		time.AfterFunc(50*time.Millisecond, to.dev.port.Unlock)
		for id := range uint64(messages) {
			wr.WRID = id
			from.post(wr)
		}
		for id := range uint64(messages) {
			to.want(id, Success)
		}
	}
}
