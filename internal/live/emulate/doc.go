// Package emulate runs the fabric of a scenario under the queue pairs of other processes.
//
// # The model
//
// Devices of package verbs, each in a process of its own, connect to the socket of a fabric and get an
// address of a NIC. Their packets, with headers and payload, enter the network of internal/sim/fabric at
// that NIC, cross its switches, and come out at the NIC of their destination, where they are handed to the
// device with the address, marked if a switch has marked them, and with the telemetry that their congestion
// control wants. The queue pairs, and their congestion
// control, are the devices'; the scenario gives their parameters. The scenario's workload is not run.
//
// The fabric has the only clock (internal/sim/channel). It goes on by small steps, and waits in each for
// the devices whose packets have arrived, whose timers are due or whose NIC has room again. So a slow
// machine slows the time of all devices alike, and what the network does depends on its speed only
// as far as programs need time to post work. The clock never runs faster than the machine's, divided by the
// dilation.
//
// A NIC takes a few packets ahead; beyond them a device's queue pairs wait, as for PFC pauses and for
// credits. Several programs may be on one NIC, each with an address of its own; packets go by the address.
//
// # What it leaves out
//
// The time in hosts: the way from a program to its NIC takes the time that the program takes. Packets out
// of order, which devices of verbs do not have on a wire. Packets between programs on one NIC do not leave it and take no time. Multicasts are copied at the
// sender.
package emulate
