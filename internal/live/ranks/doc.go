// Package ranks carries out collectives for real: ranks with memory of their own, in processes of
// their own, that move data by RDMA along the schedules of internal/sim/collective.
//
// A send of a schedule is a WRITE with immediate data. Data to copy goes straight to its place in
// the vector. Data to reduce goes into a scratch region that the receiver has for that peer, and is
// added when its step is entered. The immediate data holds the lane and the step. Operations follow
// one another without a barrier: there are two banks of scratch, and no rank can be further ahead
// than one operation, because each needs data of all others to finish.
//
//   - rankprogram.go: the schedule of one rank, with addresses
//   - rank.go: a rank's device, memory and connections
//   - run.go: one operation
//   - hosts.go: ranks on other machines, over TCP
//   - pair.go: latency and rate of one pair, which describe the network
//   - control.go: orders to a rank, over a pipe, and its replies
//   - group.go: the caller that gives orders to all ranks
//   - record.go: the measurement of a size as JSON has it
//
// Vectors are of float32, the reduction is the sum, and the check is exact: the values are small
// integers.
package ranks
