package tcp

import (
	"errors"
	"fmt"

	"weft/units"
)

// The reasons why Send refuses a message.
var (
	ErrEmpty = errors.New("tcp: a message has at least one byte")
	ErrFull  = fmt.Errorf("tcp: %d messages are queued already", maxMessages)
	ErrGone  = errors.New("tcp: the connection has given up after too many timeouts")
)

// Stats are the counters of a connection.
type Stats struct {
	Segments      uint64 // with payload, sent
	Retransmitted uint64 // segments that were sent before
	Acks          uint64 // pure acknowledgements sent
	Probes        uint64 // tail loss probes
	Timeouts      uint64 // retransmission timeouts
	Recoveries    uint64 // recoveries after a loss that acknowledgements showed
	Echoes        uint64 // reductions after an echo of congestion
	Undone        uint64 // reductions that were undone
	Duplicates    uint64 // segments received twice
	Refused       uint64 // received segments that were invalid or did not fit
}

// Conn is one end of an established connection. Use New.
//
// After each call ask Ready and NextTimeout again: any call may change them,
// to earlier and to later. Calls come in the order of now.
type Conn struct {
	peer  uint32
	snd   sender
	rcv   receiver
	phase units.Time // of the ticks
	stats Stats
}

// New is an end of a connection that the peer identifies by peer. It keeps cfg, which must be
// valid; both ends need the same ECN.
func New(cfg *Config, peer uint32) *Conn {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	c := &Conn{peer: peer}
	c.rcv = receiver{cfg: cfg, delack: units.Forever}
	c.snd = sender{
		cfg:      cfg,
		cc:       newControl(cfg),
		edge:     uint64(cfg.Window),
		win:      window{cwnd: cfg.InitialWindow, ssthresh: noThreshold},
		deadline: units.Forever,
	}
	c.snd.rack.widths = 1
	c.snd.rtt.reset(cfg)
	if cfg.InitialRTT > 0 {
		c.snd.rtt.sample(cfg.InitialRTT, cfg)
	}
	return c
}

// Send appends a message to the stream. Both ends report it under id.
func (c *Conn) Send(now units.Time, bytes units.Bytes, id uint32) error {
	s := &c.snd
	switch {
	case bytes <= 0:
		return ErrEmpty
	case s.state == Broken:
		return ErrGone
	case s.messages.len() >= maxMessages:
		return ErrFull
	}
	if s.board.len() == 0 && !s.unsent() {
		s.restartIfIdle(now)
	}
	s.written += uint64(bytes)
	*s.messages.push() = boundary{s.written, id}
	return nil
}

// Ready is the time at which Next has a segment: now, or Forever until another event.
func (c *Conn) Ready(now units.Time) units.Time {
	if c.snd.ready() {
		return now
	}
	return units.Forever
}

// Next fills seg with the next segment of data and reports whether there is
// one. The caller pulls it when its port is free.
func (c *Conn) Next(now units.Time, seg *Segment) bool {
	*seg = Segment{Conn: c.peer}
	if !c.snd.next(now, seg, &c.stats) {
		return false
	}
	c.rcv.acknowledge(seg)
	return true
}

// Receive handles an arrived segment, with FlagCE if a switch marked it. seg must not lie in b.
func (c *Conn) Receive(now units.Time, seg *Segment, b *Batch) {
	if c.snd.state != Broken {
		c.snd.acknowledged(now, seg, b, &c.stats)
	}
	if seg.Length == 0 {
		return
	}
	if c.rcv.changes(seg) && c.rcv.owes() {
		c.sendAck(b, reply{})
	}
	c.rcv.mark(seg)
	if r := c.rcv.take(now, seg, b, &c.stats); r.now {
		c.sendAck(b, r)
	}
}

// NextTimeout is the time at which Timeout is due; Forever if no timer runs.
func (c *Conn) NextTimeout() units.Time {
	t := min(c.snd.deadline, c.rcv.delack)
	if tick := c.snd.cfg.Tick; tick > 0 && t < units.Forever {
		return nextTick(t, tick, c.phase)
	}
	return t
}

// SetPhase sets the phase of the ticks of the connection's host, 0 to less than a tick. It has no
// effect without Config.Tick.
func (c *Conn) SetPhase(phase units.Time) { c.phase = phase }

// nextTick is the first tick at or after t.
func nextTick(t, tick, phase units.Time) units.Time {
	return max(0, t-phase+tick-1)/tick*tick + phase
}

// RetransmitAt is the time at which the retransmission timeout expires; units.Forever if it does
// not run: nothing is in flight or another timer is earlier.
func (c *Conn) RetransmitAt() units.Time {
	if c.snd.timer != timerRTO {
		return units.Forever
	}
	return c.snd.deadline
}

// Peer is the other end's identifier, as given to New.
func (c *Conn) Peer() uint32 { return c.peer }

// Timeout handles the due timers; an early call does nothing.
func (c *Conn) Timeout(now units.Time, b *Batch) {
	if now < c.NextTimeout() {
		return
	}
	if now >= c.rcv.delack {
		c.sendAck(b, reply{})
	}
	c.snd.expired(now, b, &c.stats)
}

// sendAck adds a pure acknowledgement to b.
func (c *Conn) sendAck(b *Batch, r reply) {
	seg := Segment{Conn: c.peer, Seq: c.snd.nxt}
	c.rcv.acknowledge(&seg)
	if r.block.end > c.rcv.nxt {
		seg.SACK = Range{uint32(r.block.start - c.rcv.nxt), uint32(r.block.end - r.block.start)}
	}
	if r.dup {
		seg.Flags |= FlagDup
	}
	if c.rcv.cfg.ECN == ECNDCTCP {
		seg.Flags |= FlagECT
	}
	b.Segments = append(b.Segments, seg)
	c.stats.Acks++
}

// Stats counts the connection's actions so far.
func (c *Conn) Stats() Stats { return c.stats }
