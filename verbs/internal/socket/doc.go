// Package socket runs the queue pairs of internal/sim/transport on a real clock and
// real UDP sockets: RoCE v2 (IBA vol. 1, annex A17) in user space.
//
// # The model
//
// A Port is a socket and the queue pairs behind it. It has one lock; whoever
// calls a method of an Endpoint's QP holds it. A Port has one goroutine, however
// many queue pairs there are: it waits for packets and deadlines. Whoever polls a
// completion queue does the same work himself meanwhile (Progress), and then no
// goroutine has to be woken between a packet and its reader.
//
//   - conn.go, udp_linux.go, mmsg_linux.go: datagrams by the batch, GSO, GRO
//   - port.go: the port, its endpoints and its goroutine
//   - receive.go, table.go: from datagrams to queue pairs
//   - multicast.go, multicast_linux.go: groups, and who is attached to them
//   - hold.go: what comes ahead, with selective repeat
//   - send.go: whose turn it is, and the bound on what is in flight to a peer
//   - frame.go: packets to datagrams, with headers, padding and ICRC
//   - timers.go: deadlines of queue pairs
//   - icrc.go: which IP identification a packet had
//   - loss.go: losses on request
//
// Payload never passes through a queue pair. An Owner names the memory that a
// packet carries, which goes to the socket by scatter-gather, and takes what has
// arrived and was checked, which it copies to where it belongs.
//
// # The ICRC
//
// It covers the IP identification, which a UDP socket neither sets nor shows.
// Packets go out from a socket that is not connected and does not fragment, for
// which Linux writes 0, and 0, 1, 2 … into the segments of a GSO datagram. Of a
// packet that arrives the place in its GRO datagram is tried first, and then the
// one identification that solves the ICRC; see wire.SolveID for what that costs,
// and Config.StrictID for a port that does not solve.
//
// # Flow control
//
// A socket buffer that is full drops packets, and a loopback has no pauses. The
// packets in flight to a peer, those of READ responses included, are bounded over
// all queue pairs; see PeerBytes.
//
// # What it leaves out
//
// UC and UD have no flow control, as the specification has it. IPv6 with
// extensions, IPv4 with options, VLANs and RoCE v1 need a raw socket. On systems
// other than Linux OpenUDP fails.
package socket
