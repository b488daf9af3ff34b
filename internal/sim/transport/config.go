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

	// Delivery is the order in which packets are taken, and how lost ones are found.
	// Both ends must have the same.
	Delivery Delivery
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
	// Duplicates is how duplicate requests are answered.
	Duplicates Duplicates

	// Marks is how a congestion mark is answered.
	Marks Marks
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
		bad("Delivery", int64(c.Delivery), 0, int64(numDeliveries)-1),
		bad("Duplicates", int64(c.Duplicates), 0, int64(numDuplicates)-1),
		bad("Marks", int64(c.Marks), 0, int64(numMarks)-1),
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
	if c.Delivery == Unordered && (c.EntropyValues == 0 || c.maxPSNs() > MaxReorder) {
		return fmt.Errorf("%w: unordered delivery needs EntropyValues, and MaxOutstandingPackets up to %d", ErrConfig, MaxReorder)
	}
	if f := c.Flow; f != nil && (f.Initial < 1 || f.Most < f.Initial || f.Most > MaxOutstandingPSNs || f.FirstTimeout <= 0 || f.LeastTimeout <= 0) {
		return fmt.Errorf("%w: Flow begins with %d packets, has at most %d a first timeout of %v and a least one of %v: want 1 packet or more, up to the most, and times", ErrConfig, f.Initial, f.Most, f.FirstTimeout, f.LeastTimeout)
	}
	if c.Schedule != nil && c.Flow != nil {
		return fmt.Errorf("%w: Schedule and Flow are two ways to time repetitions", ErrConfig)
	}
	return nil
}

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

// packets is how many packets a message takes.
func (c *Config) packets(length uint32) uint64 {
	mtu := uint64(c.PathMTU)
	return max(1, (uint64(length)+mtu-1)/mtu)
}
