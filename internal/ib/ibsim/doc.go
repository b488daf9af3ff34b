// Package ibsim speaks the protocol of ibsim, the InfiniBand management
// simulator, over Unix datagram sockets in the abstract name space of Linux, on
// both sides. A [Server] puts the agents of a subnet behind it. Programs
// for real adapters (OpenSM, infiniband-diags) attach to it through libumad2sim without a
// change. A [Client] attaches to such a server, or
// to the real ibsim.
//
// A client has two sockets at its end, named after its process: one to ask the
// simulator things (its port, its keys: control.go), one for datagrams, 288
// bytes each: addresses, then the 256 bytes of a management datagram
// (datagram.go). A datagram without a receiver comes back with the status of a
// timeout, as the kernel returns it.
//
// A simulator answers programs of its own user and of root only; the real one answers
// any (permission.go).
//
// Differences from ibsim 0.10: more clients than ten (limits.go), LID-routed paths of more
// than 16 hops, tables for all unicast LIDs, speeds from SDR to XDR, and ports that carry
// only the packets that their state allows.
//
// Left out: datagrams of the multi-packet protocol in more than one piece.
// libumad2sim does not reassemble them, so an answer of several records is cut to one
// datagram, as with ibsim itself.
package ibsim
