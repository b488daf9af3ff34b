// Package wire knows the form of RDMA packets on a cable: the operation codes of the base transport
// header, the headers that follow each of them, the exact number of bytes that a packet takes on
// InfiniBand, on RoCE v2 and, for comparison, in TCP, and the bytes of a RoCE v2 packet from the
// Ethernet header to the ICRC. The simulator needs sizes only; codecs run on real wires and
// captures.
//
// Each header has AppendTo, which appends its bytes, and Parse, which reads them from the front of
// a buffer. Neither allocates.
//
// Sizes are in bytes. Sources: the InfiniBand Architecture Specification (IBA), volume 1, with
// annex A17 for RoCE v2; IEEE 802.3, 802.1Q and 802.1Qbb; RFC 791, 768, 8200, 9293 and 7323.
// Lengths and bytes are tested against packets between real Linux endpoints and against Wireshark's
// dissection of them.
//
// Below it are cm (connection management), mad (management datagrams), pcap (capture files) and
// wiretest (recorded conversations, for tests).
//
// Left out: the bytes of InfiniBand's own headers (LRH, GRH, VCRC), IPv4 options and IPv6
// extensions (no RDMA stack sends them), FLUSH and ATOMIC WRITE (annex A19), raw packets, RoCE v1.
package wire
