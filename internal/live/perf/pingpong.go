package perf

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"weft/units"
	"weft/verbs"
)

// PingPong is a test against ibv_rc_pingpong, ibv_uc_pingpong or ibv_ud_pingpong of rdma-core:
// messages that go back and forth. Both sides must be started with the same size and iterations;
// they do not exchange them.
type PingPong struct {
	Meeting
	Type  verbs.QPType
	Size  int // of a message, in bytes
	Iters int // messages of each side
	MTU   int // path MTU, of connected services
	// Patience is the time to wait for a message, above 0. UC and UD do not send a lost message
	// again, and Linux's own programs wait for it for ever.
	Patience time.Duration
}

// PingPongTypes are the services by the names of ibv_*_pingpong.
var PingPongTypes = map[string]verbs.QPType{"rc": verbs.RC, "uc": verbs.UC, "ud": verbs.UD}

// QPAddress is the address of one side's queue pair.
type QPAddress struct {
	EndQP
	Addr netip.Addr
}

// PingPongResult is the result of a PingPong.
type PingPongResult struct {
	Type       string  `json:"type"`       // the service
	Iterations int     `json:"iterations"` // messages of each side
	Bytes      int64   `json:"bytes"`      // in both directions
	Seconds    float64 `json:"seconds"`
	// Wrong is the number of messages with other contents than these programs send.
	Wrong int `json:"wrong"`
	// Unconfirmed says that the server's last message was not acknowledged: the client leaves when
	// it has the message, so a lost acknowledgement is never sent again.
	Unconfirmed bool `json:"unconfirmed"`
}

const (
	// pingQKey is the Q_Key of ibv_ud_pingpong.
	pingQKey = 0x11111111
	// pingFill is the byte that these programs fill their buffers with. The first byte of each page
	// may be 0, as from a client that checks its data.
	pingFill = 0x7b
	// grhBytes is the space before a datagram.
	grhBytes = 40
	// pingRecvs is the number of posted receives.
	pingRecvs = 16
	// maxPingPong bounds a message: there are pingRecvs buffers of this size.
	maxPingPong = 16 << 20
)

// Run runs the test. ready is called when the two sides know each other.
func (p *PingPong) Run(ctx context.Context, ready func(local, peer QPAddress)) (*PingPongResult, error) {
	p.MTU = min(p.MTU, p.Dev.PathMTU())
	switch {
	case p.Size < 1 || p.Size > maxPingPong:
		return nil, fmt.Errorf("perf: messages of %d bytes: valid are 1 to %d", p.Size, maxPingPong)
	case p.Type == verbs.UD && p.Size > p.Dev.PathMTU():
		return nil, fmt.Errorf("perf: datagrams of %d bytes: the device takes at most %d", p.Size, p.Dev.PathMTU())
	case p.Iters < 1 || p.Iters > MaxIters:
		return nil, fmt.Errorf("perf: %d iterations: valid are 1 to %d", p.Iters, MaxIters)
	case p.Patience <= 0:
		return nil, fmt.Errorf("perf: a patience of %v: valid is more than 0", p.Patience)
	}
	t, err := newPingPong(ctx, p)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.meet(ctx, ready); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := t.play(); err != nil {
		return nil, err
	}
	r := &PingPongResult{
		Type: p.Type.String(), Iterations: p.Iters, Bytes: 2 * int64(p.Size) * int64(p.Iters),
		Seconds: time.Since(start).Seconds(), Wrong: t.wrong, Unconfirmed: t.unconfirmed,
	}
	if p.Type == verbs.RC {
		// The last acknowledgement may have been lost.
		select {
		case <-ctx.Done():
		case <-time.After(linger):
		}
	}
	return r, nil
}

// pingPong is the state of one side of a PingPong.
type pingPong struct {
	*PingPong
	endpoint // its buffer has the message to send, followed by the receive buffers
	ctx      context.Context
	peer     QPAddress
	ah       *verbs.AH
	wrong    int

	unconfirmed bool
}

func newPingPong(ctx context.Context, p *PingPong) (*pingPong, error) {
	buf := make([]byte, p.Size+pingRecvs*(p.Size+grhBytes))
	for i := range buf[:p.Size] {
		buf[i] = pingFill
		if i%pageBytes == 0 {
			buf[i] = 0
		}
	}
	e, err := newEndpoint(p.Dev, verbs.QPInitAttr{Type: p.Type}, pingRecvs, buf)
	return &pingPong{PingPong: p, endpoint: e, ctx: ctx}, err
}

// meet swaps addresses and connects. The server answers when it is connected. The client then
// confirms and closes.
func (t *pingPong) meet(ctx context.Context, ready func(local, peer QPAddress)) error {
	c, err := t.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if err := c.SetReadDeadline(time.Now().Add(t.Patience)); err != nil {
		return err
	}
	over := tcpChannel{c}
	mine := QPAddress{EndQP{t.qp.QPN(), firstPSN()}, t.Dev.Addr().Addr()}
	theirs := make([]byte, addressBytes)
	if t.Server != "" {
		if err = over.send(mine.text()); err == nil {
			err = over.receive(theirs)
		}
	} else {
		err = over.receive(theirs)
	}
	if err == nil {
		err = t.peer.parse(string(theirs))
	}
	if err == nil {
		err = t.connect(mine.PSN)
	}
	if err != nil {
		return fmt.Errorf("perf: no pingpong at the other side: %w", err)
	}
	ready(mine, t.peer)
	const done = "done\x00"
	if t.Server != "" {
		return over.send([]byte(done))
	}
	if err := over.send(mine.text()); err != nil {
		return err
	}
	return over.receive(make([]byte, len(done)))
}

func (t *pingPong) connect(psn units.PSN) (err error) {
	to := netip.AddrPortFrom(t.peer.Addr, t.Dev.Addr().Port())
	err = t.qp.ConnectWith(&verbs.QPAttr{
		QKey: pingQKey, PathMTU: t.MTU, Dest: to, DestQPN: t.peer.QPN, RQPSN: t.peer.PSN, SQPSN: psn,
		MaxRdAtomic: 1, MaxDestRdAtomic: 1, MinRNRTimer: 12, Timeout: verbs.AckTimeout, RetryCnt: 7, RNRRetry: 7,
	})
	if err == nil && t.Type == verbs.UD {
		t.ah, err = t.pd.CreateAH(to)
	}
	for i := range uint64(pingRecvs) {
		if err == nil {
			err = t.post(i)
		}
	}
	return err
}

// place is the offset of the i-th receive's memory.
func (t *pingPong) place(i uint64) int { return t.Size + int(i)*(t.Size+grhBytes) }

// post posts the i-th receive.
func (t *pingPong) post(i uint64) error {
	return t.qp.PostRecv(verbs.RecvWR{WRID: i, SGL: []verbs.SGE{t.mr.SGE(t.place(i), t.Size+grhBytes)}})
}

// errLate ends a wait for a message that does not come.
var errLate = errors.New("perf: no message has come")

// play exchanges the messages; the client begins.
func (t *pingPong) play() error {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	t.ctx = ctx
	late := time.AfterFunc(t.Patience, func() { cancel(errLate) })
	defer late.Stop()
	for i := range t.Iters {
		steps := []func() error{t.receive, t.send}
		if t.Server != "" {
			steps = []func() error{t.send, t.receive}
		}
		for _, step := range steps {
			err := step()
			if errors.Is(context.Cause(ctx), errLate) {
				return fmt.Errorf("perf: message %d of %d has not come within %v: %s", i+1, t.Iters, t.Patience, lossOf[t.Type])
			}
			if last := t.Server == "" && i == t.Iters-1; last && errors.Is(err, verbs.RetryExcErr) {
				t.unconfirmed = true
				return nil
			}
			if err != nil {
				return err
			}
		}
		late.Reset(t.Patience)
	}
	return nil
}

// lossOf explains a missing message.
var lossOf = map[verbs.QPType]string{
	verbs.RC: "the other side has gone",
	verbs.UC: "it is lost, and UC does not retransmit, or the other side has gone",
	verbs.UD: "it is lost, and UD does not retransmit, or the other side has gone",
}

func (t *pingPong) send() error {
	err := t.qp.PostSend(verbs.SendWR{
		Opcode: verbs.Send, Flags: verbs.SendSignaled, SGL: []verbs.SGE{t.mr.SGE(0, t.Size)}, AH: t.ah, DestQPN: t.peer.QPN, QKey: pingQKey,
	})
	if err == nil {
		_, err = next(t.ctx, t.sent)
	}
	return err
}

func (t *pingPong) receive() error {
	wc, err := next(t.ctx, t.come)
	if err != nil {
		return err
	}
	b := t.buf[t.place(wc.WRID):][:wc.ByteLen]
	if t.Type == verbs.UD {
		b = b[grhBytes:]
	}
	if !served(b, t.Size) {
		t.wrong++
	}
	return t.post(wc.WRID)
}

// served reports whether a message has the contents that these programs send.
func served(b []byte, size int) bool {
	for i, v := range b {
		if v != pingFill && (v != 0 || i%pageBytes != 0) {
			return false
		}
	}
	return len(b) == size
}

// addressBytes is the size of a QPAddress in the exchange: LID, number, PSN and GID in hexadecimal,
// and a zero byte (rc_pingpong.c of rdma-core).
const addressBytes = 4 + 1 + 6 + 1 + 6 + 1 + 32 + 1

func (s *QPAddress) text() []byte {
	gid := s.Addr.As16()
	return append(fmt.Appendf(nil, "%04x:%06x:%06x:%x", 0, uint32(s.QPN), uint32(s.PSN), gid[:]), 0)
}

var errNoAddress = errors.New("perf: the other side sends no address of a queue pair")

func (s *QPAddress) parse(text string) error {
	fields := strings.Split(strings.TrimRight(text, "\x00"), ":")
	if len(fields) != 4 {
		return fmt.Errorf("%w: %q", errNoAddress, text)
	}
	qpn, err1 := strconv.ParseUint(fields[1], 16, 24)
	psn, err2 := strconv.ParseUint(fields[2], 16, 24)
	gid, err3 := hex.DecodeString(fields[3])
	if errors.Join(err1, err2, err3) != nil || len(gid) != 16 {
		return fmt.Errorf("%w: %q", errNoAddress, text)
	}
	*s = QPAddress{EndQP{verbs.QPN(qpn), units.PSN(psn)}, netip.AddrFrom16([16]byte(gid)).Unmap()}
	return nil
}
