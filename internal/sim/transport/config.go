package transport

import (
	"fmt"

	"weft/units"
)

// Access is the right that a request needs on a memory region.
type Access uint8

// The rights that a responder checks.
const (
	AccessRemoteWrite Access = iota
	AccessRemoteRead
	AccessRemoteAtomic
)

// Config is the common configuration of queue pairs. It is immutable once a queue pair uses it.
type Config struct {
	// PathMTU is the payload of every packet except a message's last, in bytes. InfiniBand and RoCE
	// have 256 to 4096; any number works.
	PathMTU int

	// AckEvery makes a responder acknowledge only every n-th packet; a packet that requests it (the
	// last of a message does) is always acknowledged. 1, and 0, acknowledge every packet.
	AckEvery int
	// AskEvery sets the BTH's AckReq bit in every n-th packet, for peers that otherwise acknowledge
	// only at a message's end; 0 requests at ends only, and when a window closes.
	AskEvery int

	// RetryTimeout is the Local ACK Timeout, see RetryTime; 0 is no timer.
	RetryTimeout units.Time
	// Schedule, if not nil, replaces RetryTimeout and RetryCount as the times of repetitions; these
	// then bound only repetitions after a NAK. RetryTimeout is set, too.
	Schedule *Schedule
	// RetryCount is the maximum number of consecutive repetitions without progress (IBA vol. 1,
	// 9.9.2.4.1; verbs allow 0 to 7).
	RetryCount int
	// RNRRetry is the same for RNR NAKs; 7 is for ever.
	RNRRetry int
	// RNRTimer is the code in this responder's RNR NAKs, see wire.RNRTimer.
	RNRTimer uint8

	// Window bounds the payload of SENDs and WRITEs in flight, in bytes: one
	// more packet may go as long as fewer are. 0 is no bound.
	Window units.Bytes
	// MaxOutstandingPackets bounds the PSNs in flight, including PSNs reserved by READs: one more
	// request may go as long as fewer are. 0 is MaxOutstandingPSNs.
	MaxOutstandingPackets int
	// Flow, if not nil, makes the requester adapt its timeout and the packets in flight to the
	// network, within the other bounds (flow.go).
	Flow *FlowControl
	// MaxReads bounds the READs and atomics in flight, and the number that a responder serves at
	// once; 0 is 16.
	MaxReads int
	// MaxServed is a separate bound for the responder; 0 is MaxReads.
	MaxServed int

	// Delivery is the order in which packets are accepted, and the method of finding lost ones.
	// Both ends must have the same.
	Delivery Delivery
	// Fence is what waits for earlier WRITEs in delivery WriteOnly.
	Fence Fence
	// EntropyValues is the number of entropy values that an unordered queue pair sprays over, 1 to
	// 256; RecycleEntropy reuses the values that came back unmarked.
	EntropyValues  int
	RecycleEntropy bool
	// InferLoss is the distance in packets from a missing packet to the furthest arrived packet at
	// which the missing one counts as lost; 0 leaves it to the timeout.
	InferLoss int
	// NAKInterval repeats the NAK of a gap that lasts this long; 0 never does, as in the
	// specification.
	NAKInterval units.Time
	// Duplicates is the answer to duplicate requests.
	Duplicates Duplicates

	// Marks is the answer to a congestion mark.
	Marks Marks
	// CNPInterval is the minimum time between two CNPs of a queue pair; 0 is none, so that every
	// mark is answered; units.Forever sends no CNPs.
	CNPInterval units.Time

	// PacedOverhead is the length of each packet on the wire beyond its payload, for pacing by
	// congestion control, in bytes. It is one number and not a function of the packet, because
	// pacing is per packet, and the presence of a RETH changes a rate by less than the rate's own
	// steps.
	PacedOverhead units.Bytes

	// PaceSlack is the part of a packet's lateness that the next packets compensate by going
	// earlier, for callers whose timers fire late. 0 compensates none: a packet is paced from the
	// time at which its predecessor went.
	PaceSlack units.Time

	// KeepPace keeps a packet's wait at the rate of its sending, even if the rate rises meanwhile:
	// a peculiarity of the HPCC ns-3 model.
	KeepPace bool

	// ImplicitRecv gives the receive queue an entry of any length, with ID 0, whenever one is
	// needed: a simulated peer is always ready.
	ImplicitRecv bool

	// Access checks a remote request when its message begins, and again at every packet of a WRITE:
	// memory may be withdrawn meanwhile. nil permits all.
	Access func(qp units.QPN, a Access, rkey uint32, va uint64, length uint32) bool
	// Receivable reports whether length bytes at offset of a posted receive can be written, before a
	// packet of an RC SEND in order is accepted. It may write them. nil says yes.
	Receivable func(qp units.QPN, id uint64, offset, length uint32) bool
	// Atomic executes CMP_SWAP or FETCH_ADD on the 8 bytes at va, which Access has permitted, and
	// returns their previous value. The operands are in the packet that is being received: like
	// payload, they do not pass through the queue pair. nil refuses all atomics.
	Atomic func(qp units.QPN, op Op, rkey uint32, va uint64) (original uint64)
	// Local executes the local operation of a work request's ID. A status other than Success ends
	// the send queue. nil refuses all local operations.
	Local func(qp units.QPN, id uint64) Status
	// Invalidate invalidates a key for a SEND with invalidate, which fails if the peer has no right
	// to it. nil is for callers without keys.
	Invalidate func(qp units.QPN, rkey uint32) bool
}

// Check reports an error in a configuration.
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
		bad("Fence", int64(c.Fence), 0, int64(numFences)-1),
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

// maxServed is the bound on READs and atomics that a responder serves at once.
func (c *Config) maxServed() int {
	if c.MaxServed > 0 {
		return c.MaxServed
	}
	return c.maxReads()
}

// packets is the number of packets of a message.
func (c *Config) packets(length uint32) uint64 {
	mtu := uint64(c.PathMTU)
	return max(1, (uint64(length)+mtu-1)/mtu)
}
