// Package tcp is a kernel TCP for bulk messages as a state machine without I/O: the baseline for
// RDMA fabrics. If Linux and the RFCs differ, it follows Linux's defaults, because a cluster
// would run them.
//
// # Model
//
// A Conn is one end of an established connection, full duplex. Send appends a message to the
// stream; a segment never spans two messages, as if every write carried MSG_EOR, and the last
// segment of a message carries PSH and is sent at once (TCP_NODELAY). The receiver reports each message
// once, in order, when its last byte is in order; the sender when its last byte is acknowledged.
// The identifier of a message rides in the segment: it stands for the application's framing and
// takes no bytes.
//
//	Send ─► stream ─► Next (pulled when the port is free) ─► out
//	in ─► Receive ─► Batch{Segments: pure acknowledgements, Completions}
//	NextTimeout ─► Timeout ─► (acknowledgements in the Batch, retransmissions from Next)
//
// # What is modelled
//
//   - Congestion control: CUBIC (RFC 9438) with HyStart (Ha and Rhee, as in
//     Linux's tcp_cubic.c), DCTCP (RFC 8257); slow start from an initial window
//     of ten (RFC 6928); growth only while the window is the limit, and decay
//     after idle (RFC 2861, as in Linux's tcp_is_cwnd_limited and
//     tcp_cwnd_restart). Windows count packets, as Linux does.
//   - Loss recovery: SACK (RFC 2018), RACK-TLP (RFC 8985) for detection, with
//     DupThresh 3 while no reordering has been seen, proportional rate
//     reduction (RFC 6937) in recovery and after a mark, undo of a reduction
//     that duplicates show to have been needless (RFC 3708).
//   - Retransmission timeout: RFC 6298 with Linux's arithmetic: SRTT +
//     max(4·RTTVAR, 200 ms), doubled up to 120 s, given up after 15 in a row.
//   - Acknowledgements: one for more than one MSS of new data, at once for a
//     hole, a filled hole, a duplicate and the end of a message (Linux's
//     tcp_cleanup_rbuf), otherwise after 40 ms.
//   - ECN: off, classic (RFC 3168: echo until CWR) or DCTCP's (RFC 8257, 3.2:
//     an acknowledgement at each change of the CE state).
//
// # Units and invariants
//
// Stream offsets are 64 bits and do not wrap: no simulated stream reaches 2^64 bytes, so the
// comparison of numbers is plain. Time is integer picoseconds. Windows are whole packets, their
// growth is in 2^-20 packets (CUBIC), and DCTCP's alpha is in 2^-20; there is no float.
//
// una ≤ nxt ≤ written; the first outstanding segment is never SACKed; packets in flight =
// outstanding − SACKed − lost + retransmitted; Conn.Check recounts them.
//
// # What is left out
//
//   - Handshake, closing, reset: a connection is established from the start
//     (Config.InitialRTT stands for the handshake's sample).
//   - Pacing (Linux's CUBIC and DCTCP do not pace without fq) and TSO/GSO/GRO:
//     the segments are the wire's segments. Their cost at the host belongs to the
//     host's model. GRO's thinner acknowledgements can be set with AckEvery.
//   - The socket buffers' autotuning: the receive window is at its limit from
//     the start and the application reads at once, so that no window closes and
//     there is no persist timer. The send buffer is not a limit.
//   - Timestamps take their bytes (HeaderBytes), but their values are not
//     carried: no Eifel detection (RFC 3522), no F-RTO (RFC 5682). One SACK
//     block per acknowledgement, on pure acknowledgements only; a D-SACK is a
//     bit without a range.
//   - Nagle, corking, interactive ("pingpong") acknowledgements, quick
//     acknowledgements at the start of a connection, window scaling's rounding,
//     AccECN, the gradual decay of the window while the application is the
//     limit (only idleness beyond a timeout decays it), the windowed minimum of
//     the RTT (it is the connection's).
//
// # Sources
//
// The RFCs named above; Linux's net/ipv4/tcp_input.c, tcp_output.c, tcp_recovery.c, tcp_cubic.c,
// tcp_dctcp.c for choices that the RFCs leave to the implementation.
package tcp
