// Package perf measures RDMA between two devices, as perftest does: a server takes part in tests,
// and a client measures and reports. The two exchange the parameters of their queue pairs over TCP.
//
//   - device.go: the device and its capture
//   - exchange.go: the messages of the TCP connection
//   - testobjects.go: device objects of one test
//   - bandwidth.go, latency.go: the loops that are timed
//   - tcp.go: the same transfers over kernel TCP
//   - server.go, client.go: the two sides
//   - sample.go: numbers from times
//
// Times are by the device's clock: on an emulated fabric, the fabric's. Definitions are perftest's: a bandwidth is the bytes of all iterations over the time from the
// first post to the last completion; the peak is the best of any run of iterations; a latency of
// WRITE and SEND is half of a round trip, of READ a whole one. In addition to perftest,
// both processes report their processor time per byte, and the bytes that arrived are compared with
// the bytes that were sent.
package perf
