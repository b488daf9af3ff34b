// Package transport holds the queue pairs of RDMA as state machines without
// I/O, written once for the simulator and for live use.
//
// # The model
//
// A QP is a requester and a responder (IBA vol. 1, chapter 9). Time comes in
// with each call. Packets are header values: Next hands out what the port
// pulls, Receive takes what the network brings, and what must be answered or
// reported goes into a Batch that the caller owns. Payload is a number of
// bytes here; live use finds the bytes by SourceOf, by Receive's Verdict, and
// by the VA, RKey and Offset of a packet.
//
//	PostSend, PostRecv                 take work
//	Ready(now)                         says when the queue pair may next send
//	Next(now, &packet)                 hands out the packet that the port pulls
//	Receive(now, &packet, &batch)      takes a packet; fills the batch
//	NextTimeout, Timeout(now, &batch)  timers (below)
//
// Congestion control (package cc) is an interface of five methods that writes an
// Allowance: rate, window, next call, byte budget. The queue pair reads the allowance for
// each packet without a call.
//
// The files:
//
//   - requester.go: posting, sending, acknowledgements
//   - retry.go: timers, going back, refusals
//   - flow.go: a requester that adapts to the network: its window and its timeout
//   - adaptive.go: the schedule of an adapter's adaptive retransmission
//   - responder.go: requests of RC, acknowledgements, NAKs
//   - read.go: both ends of READ
//   - atomic.go: both ends of the atomics
//   - local.go: what stands in the send queue and sends nothing
//   - reorder.go: packets out of order
//   - writeonly.go: WRITEs whose packets are messages of their own
//   - notify.go: congestion marks and notifications
//   - uc.go, ud.go: the unreliable services
//   - endtoend.go, rd.go, resync.go: reliable datagrams: end-to-end contexts, whose
//     streams are queue pairs, and the queue pairs that send by them
//   - selective.go, holes.go: what is lost alone is sent again
//   - unordered.go, entropy.go: Ultra Ethernet's reliable unordered delivery
//   - state.go: the states of a queue pair, and all that changes them
//   - package cc: congestion control
//   - package rdtest: scripts of reliable datagrams, for tests
//
// Timers are lazy. NextTimeout is a lower bound of the next deadline, which
// moves away as packets are acknowledged without anyone being told; the caller
// holds one deadline, and Timeout at a stale one names the true one. Waiting
// that ends in a packet (pace, RNR) is no timer: Ready names its end.
//
// # Invariants
//
//   - una <= nxt <= max <= end on the circle of PSNs, less than half of it apart
//   - flight is the payload of SENDs and WRITEs from una to nxt
//   - work requests complete in the order of posting, each once
//   - with packets in flight, NextTimeout is no later than their retry timer
//   - nothing allocates per packet
//
// # Sources
//
// The InfiniBand Architecture Specification, volume 1, for RC, UC, UD, the AETH,
// RNR and the states; annex A17 for CNPs. Captures of Linux's rdma_rxe are the
// golden traces: NAKs, RNR, duplicates, and timeouts follow them. Where rxe and
// the specification part, the specification holds: a SEND that is longer than
// its receive draws NAK 0x61, invalid request, where rxe sends 0x63.
//
// # What it leaves out
//
// XRC; shared receive queues (their owner posts what WantsRecv asks for);
// end-to-end credits (the AETH says that there are none); automatic path migration.
// The MSN is counted and sent, not used. A lost packet costs everything behind it
// unless both ends repeat selectively (selective.go) or take packets out of order,
// and in the latter case loss is found by timeout alone. Out of order and with
// selective repeat, live use cannot place packets other than a message's first: only
// that has an address on the wire; and a codec has no place for the packet that a NAK
// of selective repeat names beside the expected one.
package transport
