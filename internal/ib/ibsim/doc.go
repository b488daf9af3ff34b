// Package ibsim speaks the protocol of ibsim, the InfiniBand management
// simulator, over Unix datagram sockets in the abstract name space of Linux, on
// both sides. A [Server] puts the agents of a subnet behind it, so that programs
// that were written for real adapters (OpenSM, infiniband-diags) attach to it
// through libumad2sim and cannot tell. A [Client] attaches to such a server, or
// to the real ibsim.
//
// A client has two sockets at its end, named after its process: one to ask the
// simulator things (its port, its keys: control.go), one for datagrams, 288
// bytes each: addresses, then the 256 bytes of a management datagram
// (datagram.go). A datagram for which nobody is there comes back with the
// status of a timeout, as the kernel returns it.
//
// A simulator answers programs of its own user and of root only; the real one answers
// any (permission.go).
//
// Compared with ibsim 0.10: as many clients as limits.go says and not ten, no
// end of a LID-routed way after 16 hops, tables for all unicast LIDs, speeds
// from SDR to NDR, and ports that carry only what their state lets them.
//
// Left out: datagrams of the multi-packet protocol in more than one piece.
// libumad2sim does not put them together, so an answer of several records is
// what fits into one datagram, as with ibsim itself.
package ibsim
