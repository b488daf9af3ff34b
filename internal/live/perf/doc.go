// Package perf measures RDMA between two devices, in the way of perftest: a server
// that does what it is asked, and a client that measures and reports. Both tell
// each other over TCP what the queue pairs need.
//
//   - device.go: the device and its capture
//   - exchange.go: what goes over the TCP connection
//   - ends.go: device objects of one test
//   - bandwidth.go, latency.go: the loops that are timed
//   - managed.go: connecting by the connection manager, for selective repeat
//   - tcp.go: the same transfers over kernel TCP
//   - server.go, client.go: the two sides
//   - meeting.go, cmchannel.go: where this side meets a program of Linux's
//   - perftest.go, perftestrun.go: either side, against perftest
//   - pingpong.go, rping.go: either side, against ibv_rc_pingpong and its like, and
//     rping
//   - sample.go: numbers from times
//
// Definitions are perftest's: a bandwidth is the bytes of all iterations over the
// time from the first post to the last completion; the peak is the best of any run
// of iterations; a latency of WRITE and SEND is half of a round trip, of READ and
// atomics a whole one. What perftest does not have: the processor time of both
// processes over the bytes, and that the bytes which arrived are compared.
package perf
