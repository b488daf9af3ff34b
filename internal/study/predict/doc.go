// Package predict predicts the time of a collective in a network with one measured pair: it
// simulates n hosts, each like a host of that pair.
//
// The network is n hosts with one NIC each at one switch that takes no time. The rate of the links
// and the time of the NIC's transmit pipeline are chosen so that the simulated pair has the
// measured latency and rate; every other time of hosts, PCIe, cables and switch is 0, and NCCL's
// software times are a hundredth of their defaults, the minimum of a scenario. Nothing is fitted to
// a collective.
//
// The pair is measured in a few rounds. Its medians give the prediction, the best and the worst of
// the rounds its range. Left out is everything that a pair cannot show: the time of the reduction,
// waiting for processors, and loss. If hosts share processors, or the rounds differ much, there is
// no prediction.
package predict
