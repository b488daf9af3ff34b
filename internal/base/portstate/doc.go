// Package portstate is what tools print about the ports of a network: counters, link speed, bit error
// rates, temperatures, cables. The readers of both fabrics fill it, and a judgement reads it.
//
// # The model
//
// A Set is everything that a number of files say. A Reading is what one place of one file says of one
// port. A value that a file does not give, or gives as "N/A", is unknown and not 0. A counter that
// stands at the highest value of its width is saturated: the true count is at least its value.
// Whether two readings are about the same port is not decided here: a Port has every name and number
// that its file gives.
//
// # Units
//
// Counters have the units of the specification: PortXmitData and PortRcvData are words of 4 bytes,
// PortXmitWait is ticks of the device. Temperatures are in °C, optical powers in dBm, times in
// microseconds since 1970.
//
// # Limits
//
// A file has at most 256 MiB, a Set at most a million readings and 50 notes a file. What is beyond is
// left out, and a note says so.
package portstate
