// Package transport holds the queue pairs of RDMA as state machines without
// I/O, written once for the simulator and for live use.
//
// # The model
//
// A QP is a requester and a responder (IBA vol. 1, chapter 9). Time comes in
// with each call. Packets are header values: Next gives the port a packet,
// Receive takes a packet from the network, and answers and completions go into
// a Batch that the caller owns. Payload is a number of bytes here; live use
// finds the bytes by SourceOf, by Receive's Verdict, and by the VA, RKey and
// Offset of a packet.
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
// A queue pair is made of values, without a pointer or an interface between them:
//
//	QP                  what verbs and the fabric call; the states
//	├ requester         posts, sends, takes answers, repeats
//	│ ├ endpoint        configuration, numbers, state and deadline: shared with the responder
//	│ ├ congestion      the allowance of congestion control: pace, window, budget
//	│ ├ progress        the last progress, and the tries since
//	│ ├ scoreboard      packets ahead of the oldest: selective repeat; made when one comes
//	│ │ └ unordered     the same for unordered delivery
//	│ ├ sendQueue       work requests and the PSNs that they take
//	│ └ flow            window and timeout from measurement, where configured
//	└ responder         takes requests, places payload, completes receives
//	  ├ readQueue       READs and atomics that are being answered
//	  ├ arrivals        requests ahead of the expected one; made when one comes
//	  ├ acks            the expected PSN, acknowledgements, NAKs, answers to marks
//	  ├ message         the SEND or WRITE under way
//	  └ recvQueue       posted receives
//
// The two halves do not call each other. An error of one sets the state ERR, and the QP
// flushes the work of both at the end of the call.
//
// The files:
//
//   - qp.go, state.go: the queue pair, its states, and all that changes them
//   - requester.go: posting, sending, acknowledgements; sendqueue.go: the send queue
//   - retry.go: timers, going back, refusals
//   - pace.go: the allowance of congestion control; notify.go: marks and notifications
//   - flow.go: a requester that adapts to the network: its window and its timeout
//   - adaptive.go: the schedule of an adapter's adaptive retransmission
//   - responder.go: requests of RC; message.go, recvqueue.go: their messages and receives
//   - acks.go: acknowledgements, NAKs
//   - read.go, readqueue.go: both ends of READ
//   - atomic.go: both ends of the atomics
//   - local.go: work that stands in the send queue and sends nothing
//   - reorder.go: packets out of order
//   - writeonly.go: WRITEs whose packets are messages of their own
//   - uc.go, ud.go: the unreliable services
//   - endtoend.go, rd.go, resync.go: reliable datagrams: end-to-end contexts, whose
//     streams are queue pairs, and the queue pairs that send by them
//   - selective.go, holes.go: selective repeat
//   - unordered.go, gather.go, entropy.go: Ultra Ethernet's reliable unordered delivery, at
//     the requester and at the responder
//   - package cc: congestion control
//
// Timers are lazy. NextTimeout is a lower bound of the next deadline, which moves
// away without notice as packets are acknowledged; the caller holds one deadline,
// and Timeout at a stale deadline gives the true one. Waiting that ends in a packet
// (pace, RNR) is no timer: Ready gives its end.
//
// # Invariants
//
//   - una <= nxt <= max <= end on the circle of PSNs, less than half of it apart: the
//     oldest unacknowledged, the next to send, the first never sent, the first not yet
//     posted; nxt lies before max while the requester repeats
//   - flight is the payload of SENDs and WRITEs from una to nxt
//   - work requests complete in the order of posting, each once
//   - with packets in flight, NextTimeout is no later than their retry timer
//   - nothing allocates per packet
//
// # Sources
//
// The InfiniBand Architecture Specification, volume 1, for RC, UC, UD, the AETH,
// RNR and the states; annex A17 for CNPs. Captures of Linux's rdma_rxe are the
// golden traces: NAKs, RNR, duplicates, and timeouts follow them. If rxe and the
// specification differ, the specification holds: a SEND that is longer than its
// receive draws NAK 0x61, invalid request; rxe sends 0x63.
//
// # What it leaves out
//
// XRC; shared receive queues (their owner posts what WantsRecv asks for);
// end-to-end credits (the AETH says that there are none); automatic path migration.
// The MSN is counted and sent, not used. A lost packet costs everything behind it
// unless both ends repeat selectively (selective.go) or take packets out of order,
// and in the latter case loss is found by timeout alone. Out of order and with
// selective repeat, live use can place only a message's first packet: no other has an
// address on the wire; and a codec has no place for the packet that a NAK of selective
// repeat names beside the expected one.
package transport
