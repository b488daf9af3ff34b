// Package socket runs the queue pairs of internal/sim/transport on a real clock and real UDP
// sockets: RoCE v2 (IBA vol. 1, annex A17) in user space.
//
// # The model
//
// A Port is a socket and the queue pairs behind it. It has one lock; a caller of an Endpoint's QP
// must hold it. A Port has one goroutine, however many queue pairs there are: it waits for packets
// and deadlines. A goroutine that polls a completion queue does the same work (Progress), so no
// other goroutine has to be woken between a packet and its reader.
//
//   - conn.go, udp_linux.go, mmsg_linux.go: datagrams by the batch, GSO, GRO
//   - near.go, near_linux.go, sharedring.go: datagrams through memory that two devices of one user on
//     one machine share
//   - part.go, sharer_linux.go, shared_linux.go: devices of several processes at one address
//   - port.go: the port, its endpoints and its goroutine
//   - lookout.go: when that goroutine looks, sleeps and leaves the work to pollers
//   - receive.go, table.go: from datagrams to queue pairs
//   - forecast.go: READ responses whose payload the kernel puts at its place
//   - run.go: responses of such a datagram that are taken together
//   - multicast.go, multicast_linux.go: groups and their members
//   - hold.go: packets ahead of the expected one, with selective repeat
//   - send.go: turns of the queue pairs, and the bound on packets in flight to a peer
//   - frame.go: packets to datagrams, with headers, padding and ICRC
//   - timers.go: deadlines of queue pairs
//   - icrc.go: the IP identification of a packet
//   - loss.go: losses on request
//
// Payload never passes through a queue pair. An Owner names the memory that a packet carries; it
// goes to the socket by scatter-gather. The Owner also takes the checked payload of arriving
// packets and copies it to its place, unless it lies there already.
//
// # The ICRC
//
// It covers the IP identification, which a UDP socket neither sets nor shows. Packets go out from a
// socket that is not connected and does not fragment, for which Linux writes 0, and 0, 1, 2 … into
// the segments of a GSO datagram. For an arriving packet, its position in the GRO datagram is tried
// first, and then the one identification that solves the ICRC; wire.SolveID tells the cost, and
// Config.StrictID turns solving off.
//
// # Flow control
//
// A full socket buffer drops packets, and a loopback has no pauses. The packets in flight to a
// peer, including READ responses, are bounded over all queue pairs; see PeerBytes.
//
// # What it leaves out
//
// UC and UD have no flow control, as the specification has it. IPv6 with extensions, IPv4 with
// options, VLANs and RoCE v1 need a raw socket. On systems other than Linux OpenUDP fails.
package socket
