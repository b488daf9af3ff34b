// Package umad carries management datagrams through a port of a real adapter: the device /dev/infiniband/umadN of Linux, and
// issmN for a Subnet Manager. A program that reads a fabric needs umadN alone.
//
// The interface is Linux's (ib_user_mad.h, ABI 5, and rdma_user_ioctl.h of rdma-core's kernel-headers): a read or a write has
// a header of 64 bytes and a datagram. The kernel sets the upper half of the transaction number of each request; Port gives
// answers their own number back.
//
// No adapter was at hand: the package is tested against doubles of the interface alone, one of
// which leads to the agents of a fabric.
package umad
