package transport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/internal/sim/transport/cc"
	"weft/internal/test/golden"
	"weft/units"
	"weft/wire"
)

// TestPacketScripts plays testdata/*.txt: commands, and the trace that they leave. Two
// queue pairs, a and b, are joined by a network that holds its packets until a command
// moves them.
//
//	new rc|uc|ud [mtu=…] …    two connected queue pairs; see newPair for the keys
//	post a write len=… …      a work request; also writeimm, send, sendimm, sendinv,
//	                          read, cmpswap, fetchadd, bind, localinv
//	recv b id=… len=…         a receive
//	emit a [n]                the port of a pulls n packets, or all there are
//	deliver [n]               the network delivers its n oldest packets, or all
//	                          and all that they draw
//	drop|dup|late n           loses packet n of those in flight, from 0; copies
//	                          it; makes it the last
//	mark n                    sets the congestion mark on packet n
//	trim n                    cuts the payload off packet n, before the last switch
//	run                       emit and deliver until nothing moves
//	advance 1ms               time passes; due timers fire
//	timer                     time passes until a timer fires
//	state                     the states and counters
//	flow                      how a limits itself: its window, its timeout
//	modify a sqd|rts|err|…    a state transition
//	deny b                    b's memory refuses all remote access from here on, and
//	                          its keys local operations and invalidation
func TestPacketScripts(t *testing.T) {
	golden.Transcripts(t, "testdata/*.txt", func(*testing.T) golden.Player { return newScript() })
}

// flight is a packet in the script's network.
type flight struct {
	to string
	p  Packet
}

// script is the state of one script.
type script struct {
	cfg   Config
	qp    map[string]*QP
	net   []flight
	held  []flight // packets that came ahead, with hold
	now   units.Time
	batch Batch
	out   strings.Builder
	deny  map[units.QPN]bool

	atomics uint64 // executed: each finds the number of earlier atomics
}

func newScript() *script {
	return &script{qp: map[string]*QP{}, deny: map[units.QPN]bool{}}
}

func (s *script) Trace() string {
	defer s.out.Reset()
	return s.out.String()
}

// args are the key=value words of a command.
type args map[string]string

func argsOf(words []string) args {
	a := args{}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		a[k] = v
	}
	return a
}

func (a args) num(key string, standard int) int {
	v, ok := a[key]
	if !ok {
		return standard
	}
	n, err := strconv.ParseInt(v, 0, 64)
	if err != nil {
		panic(err)
	}
	return int(n)
}

func (a args) time(key string, standard units.Time) units.Time {
	v, ok := a[key]
	if !ok {
		return standard
	}
	return parseTime(v)
}

func (a args) has(key string) bool { _, ok := a[key]; return ok }

func (a args) delivery() Delivery {
	switch {
	case a.has("unordered"):
		return Unordered
	case a.has("ooo"):
		return OutOfOrder
	case a.has("hold"):
		return SelectiveHeld
	case a.has("selective"):
		return Selective
	}
	return InOrder
}

func (a args) marks() Marks {
	switch {
	case a.has("ackce"):
		return MarksAcked
	case a.has("echo"):
		return MarksEchoed
	}
	return MarksNotified
}

func parseTime(s string) units.Time {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return units.Time(d.Nanoseconds()) * units.Nanosecond
}

func (s *script) Command(words []string) error {
	name, rest := words[0], words[1:]
	a := argsOf(rest)
	count := func(i int) int {
		if len(rest) <= i {
			return 1 << 30
		}
		n, err := strconv.Atoi(rest[i])
		if err != nil {
			panic(err)
		}
		return n
	}
	switch name {
	case "new":
		return s.newPair(rest[0], a)
	case "post":
		return s.post(s.qp[rest[0]], rest[1], a)
	case "recv":
		return s.qp[rest[0]].PostRecv(s.now, RecvRequest{ID: uint64(a.num("id", 0)), Length: uint32(a.num("len", 1<<20))})
	case "emit":
		s.emit(rest[0], count(1))
	case "deliver":
		s.deliver(count(0))
	case "drop", "dup", "late", "mark", "trim":
		s.meddle(name, count(0))
	case "run":
		for moved := true; moved; {
			moved = s.emit("a", 1)+s.emit("b", 1)+s.deliver(len(s.net))+s.fire() > 0
		}
	case "advance":
		s.advance(s.now + parseTime(rest[0]))
	case "timer":
		at := min(s.qp["a"].NextTimeout(), s.qp["b"].NextTimeout())
		if at == units.Forever {
			s.print("no timer")
			return nil
		}
		s.advance(at)
	case "state":
		for _, n := range []string{"a", "b"} {
			s.printState(n)
		}
	case "flow":
		f := s.qp["a"].req.flow
		s.print("a has a window of %d with room for %d, waits %s, and takes %d behind a missing one for a loss", f.window.Packets(), f.window.Room(), showTime(f.timer.Wait()), s.qp["a"].req.tolerance())
	case "modify":
		return s.modify(rest[0], rest[1])
	case "deny":
		s.deny[s.qp[rest[0]].QPN()] = true
	default:
		return fmt.Errorf("no command %q", name)
	}
	return nil
}

func (s *script) newPair(service string, a args) error {
	*s = script{qp: map[string]*QP{}, deny: map[units.QPN]bool{}}
	s.cfg = Config{
		Delivery: a.delivery(), Marks: a.marks(),
		PathMTU: a.num("mtu", 1024), AckEvery: a.num("ack", 1), AskEvery: a.num("ask", 0),
		RetryTimeout: a.time("timeout", units.Millisecond), RetryCount: a.num("retry", 7), RNRRetry: a.num("rnr", 7),
		RNRTimer: uint8(a.num("rnrtimer", 14)), Window: units.Bytes(a.num("window", 0)), MaxReads: a.num("reads", 0),
		MaxOutstandingPackets: a.num("packets", 0),
		CNPInterval:           a.time("cnp", 0), ImplicitRecv: a.has("implicit"),
		RecycleEntropy: a.has("recycle"), EntropyValues: a.num("values", 0), InferLoss: a.num("infer", 0),
		NAKInterval: a.time("nak", 0), PacedOverhead: units.Bytes(a.num("overhead", 0)),
		Access: func(qp units.QPN, _ Access, _ uint32, _ uint64, _ uint32) bool { return !s.deny[qp] },
		Atomic: func(units.QPN, Op, uint32, uint64) uint64 { s.atomics++; return s.atomics - 1 },
		Local:  s.local,
		Invalidate: func(qp units.QPN, rkey uint32) bool {
			s.print("%c invalidates %#x: %v", 'a'+rune(qp)-1, rkey, !s.deny[qp])
			return !s.deny[qp]
		},
	}
	if a.has("flow") {
		s.cfg.Flow = &FlowControl{Initial: int32(a.num("flow", 1)), Most: int32(a.num("most", 64)), FirstTimeout: units.Forever, LeastTimeout: a.time("least", 100*units.Microsecond)}
	}
	psn := [2]units.PSN{units.PSN(a.num("apsn", 100)), units.PSN(a.num("bpsn", 200))}
	for i, n := range []string{"a", "b"} {
		var alg cc.Algorithm
		if a.has("dcqcn") {
			p, err := cc.DCQCNPreset(a["dcqcn"], 100*units.Gbps)
			if err != nil {
				return err
			}
			alg = cc.NewDCQCN(&p, 0)
		}
		if a.has("unordered") {
			alg = cc.NewFixed(units.Bytes(a.num("cwnd", 1<<20)))
		}
		svc := map[string]Service{"rc": RC, "uc": UC, "ud": UD}[service]
		q, err := newQP(&s.cfg, svc, units.QPN(i+1), alg)
		if err != nil {
			return err
		}
		if err := q.Connect(0, units.QPN(2-i), psn[i], psn[1-i]); err != nil {
			return err
		}
		s.qp[n] = q
	}
	return nil
}

func (s *script) local(qp units.QPN, id uint64) Status {
	s.print("%c carries out id=%d", 'a'+rune(qp)-1, id)
	if s.deny[qp] {
		return MWBindErr
	}
	return Success
}

func (s *script) post(q *QP, op string, a args) error {
	ops := map[string]Op{
		"send": OpSend, "sendimm": OpSendImm, "write": OpWrite, "writeimm": OpWriteImm, "read": OpRead,
		"sendinv": OpSendInv, "cmpswap": OpCmpSwap, "fetchadd": OpFetchAdd, "bind": OpBindMW, "localinv": OpLocalInv,
	}
	err := q.PostSend(s.now, WorkRequest{
		ID: uint64(a.num("id", 1)), Op: ops[op], Length: uint32(a.num("len", 0)), Imm: uint32(a.num("imm", 0)),
		RKey: uint32(a.num("rkey", 0)), RemoteVA: uint64(a.num("va", 0)), Unsignaled: a.has("unsignaled"), Fence: a.has("fence"),
		DestQP: units.QPN(a.num("qpn", 0)), QKey: uint32(a.num("qkey", 0)),
	})
	if err != nil {
		fmt.Fprintf(&s.out, "post: %v\n", err)
	}
	return nil
}

// emit lets a queue pair's port pull packets that may go now.
func (s *script) emit(name string, n int) int {
	q := s.qp[name]
	for i := range n {
		if q.Ready(s.now) > s.now {
			return i
		}
		var p Packet
		if !q.Next(s.now, &p) {
			s.print("%s is ready and has nothing", name)
			return i
		}
		s.print("%s sends    %s", name, show(&p))
		s.send(name, p)
	}
	return n
}

func (s *script) send(from string, p Packet) {
	to := map[string]string{"a": "b", "b": "a"}[from]
	s.net = append(s.net, flight{to, p})
}

func (s *script) deliver(n int) int {
	for i := range n {
		if len(s.net) == 0 {
			return i
		}
		f := s.net[0]
		s.net = s.net[1:]
		s.give(f)
		for i := 0; i < len(s.held); i++ {
			if f := s.held[i]; f.p.PSN == s.qp[f.to].Expected() {
				s.held = slices.Delete(s.held, i, i+1)
				s.give(f)
				i = -1
			}
		}
	}
	return n
}

// give gives a packet to its queue pair, and keeps it if the queue pair holds it back.
func (s *script) give(f flight) {
	kept := f
	where := ""
	switch v := s.qp[f.to].Receive(s.now, &f.p, &s.batch); v {
	case PlaceWrite:
		where = fmt.Sprintf(" write va=%#x+%d", f.p.VA, f.p.Offset)
	case PlaceRecv:
		where = fmt.Sprintf(" recv id=%d+%d", f.p.VA, f.p.Offset)
	case PlaceAtomic:
		where = fmt.Sprintf(" atomic id=%d", f.p.VA)
	case PlaceRead:
		where = fmt.Sprintf(" read id=%d+%d", f.p.VA, f.p.Offset)
	case Dropped:
		where = " dropped"
	case Held:
		where = " held"
		s.held = append(s.held, kept)
	}
	s.print("%s receives %s psn=%d%s", f.to, opName(&f.p), f.p.PSN, where)
	s.drain(f.to)
}

// drain prints and forwards the packets and completions that a call left in the batch.
func (s *script) drain(name string) {
	for i := range s.batch.Packets {
		s.print("%s answers  %s", name, show(&s.batch.Packets[i]))
		s.send(name, s.batch.Packets[i])
	}
	for _, c := range s.batch.Completions {
		what := c.Op.String()
		if c.Recv {
			what = "RECV of " + what
		}
		extra := ""
		if c.HasImm {
			extra = fmt.Sprintf(" imm=%#x", c.Imm)
		}
		if c.HasInv {
			extra = fmt.Sprintf(" invalidated=%#x", c.Imm)
		}
		if c.SrcQP != 0 {
			extra += fmt.Sprintf(" from=%d", c.SrcQP)
		}
		s.print("%s completes %s id=%d %v bytes=%d%s", name, what, c.ID, c.Status, c.Bytes, extra)
	}
	s.batch.Reset()
}

func (s *script) meddle(how string, i int) {
	f := s.net[i]
	s.print("network: %s %s psn=%d to %s", how, opName(&f.p), f.p.PSN, f.to)
	switch how {
	case "drop":
		s.net = append(s.net[:i], s.net[i+1:]...)
	case "dup":
		s.net = append(s.net, f)
	case "late":
		s.net = append(append(s.net[:i], s.net[i+1:]...), f)
	case "mark":
		s.net[i].p.Flags |= FlagCE
	case "trim":
		s.net[i].p.Flags |= FlagTrimmed
	}
}

// fire calls the timers that are due.
func (s *script) fire() int {
	n := 0
	for _, name := range []string{"a", "b"} {
		if q := s.qp[name]; q.NextTimeout() <= s.now {
			q.Timeout(s.now, &s.batch)
			n += len(s.batch.Packets) + len(s.batch.Completions)
			s.drain(name)
		}
	}
	return n
}

// advance lets time pass, timer by timer.
func (s *script) advance(to units.Time) {
	for {
		next := min(s.qp["a"].NextTimeout(), s.qp["b"].NextTimeout())
		if next > to {
			break
		}
		s.now = max(s.now, next)
		s.fire()
		if min(s.qp["a"].NextTimeout(), s.qp["b"].NextTimeout()) <= s.now {
			s.print("a timer does not go away")
			break
		}
	}
	s.now = max(s.now, to)
}

func (s *script) modify(name, to string) (err error) {
	q := s.qp[name]
	switch to {
	case "reset":
		q.BecomeReset()
	case "init":
		err = q.BecomeInit()
	case "rtr":
		err = q.BecomeRTR(q.Remote(), q.resp.epsn)
	case "rts":
		err = q.BecomeRTS(s.now, 0)
	case "sqd":
		err = q.BecomeSQD()
	case "err":
		q.BecomeErr(&s.batch)
		s.drain(name)
	case "fail":
		q.FailSend(LocProtErr, &s.batch)
		s.drain(name)
	}
	if err != nil {
		s.print("%v", err)
	}
	return nil
}

func (s *script) printState(n string) {
	q := s.qp[n]
	s.print("%s: %v una=%d nxt=%d max=%d expects=%d msn=%d flight=%d pending=%d rate=%d ready=%s timer=%s", n, q.State(), q.req.una, q.req.nxt, q.req.max,
		q.resp.epsn, q.resp.msn, q.Flight(), q.Pending(), q.Rate(), showTime(q.Ready(s.now)), showTime(q.NextTimeout()))
}

func (s *script) print(format string, a ...any) {
	fmt.Fprintf(&s.out, "%s %s\n", showTime(s.now), fmt.Sprintf(format, a...))
}

func showTime(t units.Time) string {
	if t == units.Forever {
		return "never"
	}
	if t%units.Nanosecond != 0 {
		return fmt.Sprintf("%dps", t)
	}
	return time.Duration(t / units.Nanosecond).String()
}

func opName(p *Packet) string {
	switch ops[p.Op].class {
	case classSelectiveAck:
		return "selective ACK"
	case classNack:
		return "NACK"
	case classAck:
	default:
		return p.Op.String()
	}
	switch p.Syndrome.Kind() {
	case wire.SyndromeACK:
		return "ACK"
	case wire.SyndromeRNR:
		return fmt.Sprintf("RNR NAK %#x", uint8(p.Syndrome))
	}
	return fmt.Sprintf("NAK %#x", uint8(p.Syndrome))
}

func show(p *Packet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s psn=%d", opName(p), p.PSN)
	info := ops[p.Op]
	switch info.class {
	case classAck:
		fmt.Fprintf(&b, " msn=%d", p.MSN)
	case classReadRequest:
		fmt.Fprintf(&b, " va=%#x dmalen=%d", p.VA, p.DMALen)
	case classSelectiveAck:
		fmt.Fprintf(&b, " of=%d have=%#x taken=%d ev=%d", p.Imm, p.VA, p.DMALen, p.EV)
	case classNack:
		fmt.Fprintf(&b, " of=%d ev=%d", p.Imm, p.EV)
	case classCNP:
	case classAtomic:
		fmt.Fprintf(&b, " va=%#x", p.VA)
	case classAtomicResponse:
		fmt.Fprintf(&b, " original=%d msn=%d", p.VA, p.MSN)
	default:
		fmt.Fprintf(&b, " len=%d", p.Length)
		if p.EV != 0 {
			fmt.Fprintf(&b, " ev=%d", p.EV)
		}
	}
	if info.imm {
		fmt.Fprintf(&b, " imm=%#x", p.Imm)
	}
	if info.inv {
		fmt.Fprintf(&b, " invalidates=%#x", p.Imm)
	}
	for i, f := range []string{"SE", "ackreq", "CE", "cnp"} {
		if p.Flags&(1<<i) != 0 {
			b.WriteString(" " + f)
		}
	}
	return b.String()
}
