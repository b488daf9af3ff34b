package transport

import (
	"fmt"

	"weft/units"
)

// Access is what a request wants to do with a memory region.
type Access uint8

// The rights that a responder checks.
const (
	AccessRemoteWrite Access = iota
	AccessRemoteRead
	AccessRemoteAtomic
)

// Config is what many queue pairs share. It is immutable once a queue pair
// uses it.
type Config struct {
	// PathMTU is the payload of every packet but a message's last, in bytes.
	// InfiniBand and RoCE know 256 to 4096; any number works.
	PathMTU int

	// AckEvery lets a responder acknowledge every n-th packet only; a packet
	// that asks for it (the last of a message does) is always acknowledged.
	// 1, and 0, acknowledge every packet.
	AckEvery int
	// AskEvery sets the BTH's AckReq bit in every n-th packet, for peers that
	// acknowledge nothing else before a message's end; 0 asks at ends only,
	// and when a window closes.
	AskEvery int

	// RetryTimeout is the Local ACK Timeout, see RetryTime; 0 is no timer.
	RetryTimeout units.Time
	// Schedule, if not nil, is when repetitions go in place of RetryTimeout and
	// RetryCount, which bound those that a NAK asks for alone. RetryTimeout is set, too.
	Schedule *Schedule
	// RetryCount is how often in a row, without progress, the requester sends
	// again before it gives up (IBA vol. 1, 9.9.2.4.1; verbs allow 0 to 7).
	RetryCount int
	// RNRRetry is the same for RNR NAKs; 7 is for ever.
	RNRRetry int
	// RNRTimer is the code that this responder sends in RNR NAKs, see wire.RNRTimer.
	RNRTimer uint8

	// Window bounds the payload of SENDs and WRITEs in flight, in bytes: one
	// more packet may go as long as fewer are. 0 is no bound.
	Window units.Bytes
	// MaxOutstandingPackets bounds the PSNs in flight, those that a READ has
	// reserved included: one more request may go as long as fewer are. 0 is
	// MaxOutstandingPSNs.
	MaxOutstandingPackets int
	// Flow, if not nil, lets the requester adapt its timeout and the packets in flight
	// to the network, between the other bounds (flow.go).
	Flow *FlowControl
	// MaxReads bounds the READs and atomics in flight, and those that a
	// responder takes at once; 0 is 16.
	MaxReads int
	// MaxServed is another bound for the responder, where the two differ; 0 is
	// MaxReads.
	MaxServed int

	// OutOfOrder lets both ends take packets in any order, for adaptive
	// routing and spraying: payload is placed as it comes, tracked in a
	// bitmap and acknowledged cumulatively; a gap is no error and nothing is
	// NAKed, so loss is found by timeout. Without it a gap draws a NAK once
	// and the requester goes back to it. The receive of a SEND is not known
	// before its turn, so only lengths of SENDs may be moved like this.
	OutOfOrder bool
	// WriteOnly, with OutOfOrder, has WRITEs leave as packets that are messages of their
	// own, and has what the network must keep in order wait for them: see writeonly.go.
	WriteOnly bool
	// SelectiveRepeat takes packets in any order, too, and has each that comes
	// ahead of the expected one reported, so that the requester sends again what
	// is missing and nothing else. It takes a packet that comes ahead for a sign
	// of loss, so it is for networks that keep the order of a flow. Both ends must
	// have it. Lost responses of a READ are found by timeout.
	SelectiveRepeat bool
	// HoldAhead, with SelectiveRepeat, lets the caller keep the requests that come
	// ahead, and give them again in their turn: on a wire only a message's first
	// packet says where its payload goes.
	HoldAhead bool
	// Unordered is the reliable unordered delivery of Ultra Ethernet instead of RC's
	// delivery in order (unordered.go). Both ends must have it, it needs OutOfOrder
	// and a congestion control with a window, and has WRITEs and SENDs only, whose
	// receives are always there. EchoCE and AckCE are to be set.
	Unordered bool
	// EntropyValues is how many entropy values an unordered queue pair sprays
	// over, 1 to 256; RecycleEntropy takes those again that came back unmarked.
	EntropyValues  int
	RecycleEntropy bool
	// InferLoss is by how many packets the furthest that has come is ahead of a
	// missing one when that is taken for lost; 0 leaves it to the timeout.
	InferLoss int
	// NAKInterval repeats the NAK of a gap that lasts this long; 0 never does,
	// as the spec has it.
	NAKInterval units.Time
	// DropDuplicates leaves duplicate requests unanswered unless they ask.
	DropDuplicates bool
	// AckDuplicates answers each of them, however seldom AckEvery lets others be,
	// as Linux does.
	AckDuplicates bool

	// EchoCE answers a congestion mark with FlagCNP in the next
	// acknowledgement, instead of a CNP. InfiniBand's BECN on an ACK, and a
	// peculiarity of the HPCC ns-3 model.
	EchoCE bool
	// AckCE acknowledges a marked request at once where EchoCE is set, so that
	// the mark does not wait for AckEvery packets: Linux's hfi1 does.
	AckCE bool
	// CNPInterval is the least time between two CNPs of a queue pair; 0 is
	// none, so that every mark is answered; units.Forever sends no CNPs.
	CNPInterval units.Time

	// PacedOverhead is what each packet costs on the wire beyond its payload
	// when congestion control paces it, in bytes. It is one number and not a
	// function of the packet, because pacing happens per packet and a RETH
	// more or less changes a rate by less than the rate's own steps.
	PacedOverhead units.Bytes

	// PaceSlack is how much of a packet's lateness the next ones make up for, by going
	// earlier, for callers whose timers fire late. 0 makes up for none: a packet is
	// paced from when the one before it went.
	PaceSlack units.Time

	// KeepPace lets a packet's wait stand as the rate at its sending set it,
	// though the rate rises meanwhile: a peculiarity of the HPCC ns-3 model.
	KeepPace bool

	// ImplicitRecv gives the receive queue an entry of any length, of ID 0,
	// whenever one is needed: a simulated peer is always ready.
	ImplicitRecv bool

	// EndToEnd makes the queue pair the stream of an end-to-end context, of service RC:
	// an error of one message does not end it (resync.go). It takes messages in order.
	EndToEnd bool

	// Access checks a remote request when its message begins, and again at every
	// packet of a WRITE: memory may be withdrawn meanwhile. nil allows all.
	Access func(qp units.QPN, a Access, rkey uint32, va uint64, length uint32) bool
	// Atomic does CMP_SWAP or FETCH_ADD on the 8 bytes at va, which Access has
	// allowed, and returns what they held before. The operands are those of the
	// packet that is being received: like payload, they do not pass through the
	// queue pair. nil refuses all atomics.
	Atomic func(qp units.QPN, op Op, rkey uint32, va uint64) (original uint64)
	// Local carries out the local operation of a work request's ID. A status other
	// than Success ends the send queue. nil refuses all local operations.
	Local func(qp units.QPN, id uint64) Status
	// Invalidate makes a key stale for a SEND with invalidate, which fails where the
	// peer may not ask for that. nil is of those who have no keys.
	Invalidate func(qp units.QPN, rkey uint32) bool
}

// Check says what is wrong with a configuration.
func (c *Config) Check() error {
	bad := func(name string, got, low, high int64) error {
		if got < low || got > high {
			return fmt.Errorf("%w: %s is %d, want %d to %d", ErrConfig, name, got, low, high)
		}
		return nil
	}
	for _, err := range []error{
		bad("PathMTU", int64(c.PathMTU), 1, MaxPathMTU),
		bad("AckEvery", int64(c.AckEvery), 0, MaxOutstandingPSNs),
		bad("AskEvery", int64(c.AskEvery), 0, MaxOutstandingPSNs),
		bad("RetryTimeout", int64(c.RetryTimeout), 0, int64(units.Forever)/4),
		bad("RetryCount", int64(c.RetryCount), 0, 1<<16-2),
		bad("RNRRetry", int64(c.RNRRetry), 0, rnrInfinite),
		bad("RNRTimer", int64(c.RNRTimer), 0, 31),
		bad("Window", int64(c.Window), 0, 1<<62),
		bad("MaxOutstandingPackets", int64(c.MaxOutstandingPackets), 0, MaxOutstandingPSNs),
		bad("MaxReads", int64(c.MaxReads), 0, MaxReadResources),
		bad("MaxServed", int64(c.MaxServed), 0, MaxReadResources),
		bad("NAKInterval", int64(c.NAKInterval), 0, int64(units.Forever)/4),
		bad("CNPInterval", int64(c.CNPInterval), 0, int64(units.Forever)),
		bad("PacedOverhead", int64(c.PacedOverhead), 0, 4096),
		bad("PaceSlack", int64(c.PaceSlack), 0, int64(units.Second)),
		bad("EntropyValues", int64(c.EntropyValues), 0, MaxEntropyValues),
		bad("InferLoss", int64(c.InferLoss), 0, MaxReorder-1),
	} {
		if err != nil {
			return err
		}
	}
	if c.Unordered && (!c.OutOfOrder || c.SelectiveRepeat || c.EntropyValues == 0 || c.maxPSNs() > MaxReorder) {
		return fmt.Errorf("%w: Unordered needs OutOfOrder, EntropyValues, MaxOutstandingPackets up to %d and no SelectiveRepeat", ErrConfig, MaxReorder)
	}
	if f := c.Flow; f != nil && (f.Initial < 1 || f.Most < f.Initial || f.Most > MaxOutstandingPSNs || f.FirstTimeout <= 0 || f.LeastTimeout <= 0) {
		return fmt.Errorf("%w: Flow begins with %d packets, has at most %d a first timeout of %v and a least one of %v: want 1 packet or more, up to the most, and times", ErrConfig, f.Initial, f.Most, f.FirstTimeout, f.LeastTimeout)
	}
	if c.Schedule != nil && c.Flow != nil {
		return fmt.Errorf("%w: Schedule and Flow are two ways to time repetitions", ErrConfig)
	}
	if c.WriteOnly && (!c.OutOfOrder || c.Unordered) {
		return fmt.Errorf("%w: WriteOnly needs OutOfOrder, and no Unordered", ErrConfig)
	}
	if c.EndToEnd && c.anyOrder() {
		return fmt.Errorf("%w: EndToEnd takes packets in order", ErrConfig)
	}
	return nil
}

// anyOrder reports whether packets are taken in any order.
func (c *Config) anyOrder() bool { return c.OutOfOrder || c.SelectiveRepeat }

// requestsAnyOrder is whether the responder itself takes requests in any order.
func (c *Config) requestsAnyOrder() bool { return c.anyOrder() && !c.HoldAhead }

// maxPSNs is the bound on PSNs in flight.
func (c *Config) maxPSNs() int32 {
	if c.MaxOutstandingPackets > 0 {
		return int32(c.MaxOutstandingPackets)
	}
	return MaxOutstandingPSNs
}

// maxReads is the bound on READs in flight.
func (c *Config) maxReads() int {
	if c.MaxReads > 0 {
		return c.MaxReads
	}
	return 16
}

// maxServed is the bound on READs and atomics that a responder takes at once.
func (c *Config) maxServed() int {
	if c.MaxServed > 0 {
		return c.MaxServed
	}
	return c.maxReads()
}
