// Package ibsim speaks the protocol of ibsim, the InfiniBand management
// simulator, over Unix datagram sockets in the abstract name space of Linux, on
// both sides. A [Server] offers the agents of a subnet. Programs for real adapters (OpenSM,
// infiniband-diags) attach to it through libumad2sim without a change. A [Client] attaches to such
// a server, or to the real ibsim.
//
// A client has two sockets, named after its process: one for questions to the simulator (its port,
// its keys: control.go), one for datagrams, 288 bytes each: addresses, then the 256 bytes of a
// management datagram (datagram.go). A datagram without a receiver comes back with the status of a
// timeout, as from the kernel.
//
// A simulator answers only programs of its own user and of root; the real ibsim answers all
// (permission.go).
//
// Differences from ibsim 0.10: more than ten clients (limits.go), LID-routed paths of more than 16
// hops, tables for all unicast LIDs, speeds from SDR to XDR, and ports that carry only the packets
// that their state allows.
//
// Left out: answers of the multi-packet protocol in more than one datagram. libumad2sim does not
// reassemble them, so an answer of several records is cut to one datagram, as in ibsim.
package ibsim
