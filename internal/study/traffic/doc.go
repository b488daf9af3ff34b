// Package traffic counts the packets of a simulation at the ports that they pass, for the
// counters of an emulated subnet.
package traffic
