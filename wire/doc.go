// Package wire knows what RDMA looks like on a cable: the operation codes of
// the base transport header, the headers that follow each of them, and the
// exact number of bytes that a packet takes on InfiniBand, on RoCE v2 and, for
// comparison, in TCP.
//
// Sizes are in bytes. Sources: the InfiniBand Architecture Specification
// (IBA), volume 1, with annex A17 for RoCE v2; IEEE 802.3, 802.1Q and 802.1Qbb;
// RFC 791, 768, 8200, 9293 and 7323. Lengths are tested against packets between
// two real Linux endpoints.
//
// Left out: the bytes themselves, XRC (IBA vol. 1, annex A14), FLUSH and
// ATOMIC WRITE (annex A19), raw packets, RoCE v1.
package wire
