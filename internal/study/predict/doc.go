// Package predict says what the simulator makes of a network of which only one pair
// was measured: what a collective would take between n hosts that are all like that
// pair.
//
// The network is n hosts with one NIC each at one switch that takes no time. The
// rate of the links and the time of the NIC's transmit pipeline are chosen such
// that the simulated pair has the latency and the rate of the measured one; every
// other time of hosts, PCIe, cables and switch is 0, and NCCL's software times are
// a hundredth of theirs, the least that a scenario takes. Nothing is fitted to a
// collective.
//
// The pair is measured in a few rounds. Its medians give the prediction, the best and the
// worst of the rounds its range. What a pair cannot show is left out: the time of adding
// up, waiting for processors, and loss. Where hosts share processors, or the rounds are far
// apart, nothing is predicted.
package predict
