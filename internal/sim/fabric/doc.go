// Package fabric is the simulated data plane: links, ports, buffers, switches
// and NICs of InfiniBand, Ethernet and the scale-up network, packet by packet,
// on package engine.
//
// # Shape
//
// A Network is a set of nodes joined by directed links. A link has the number
// of the port that feeds it; the ports of a node are numbered consecutively, so
// a port, the link that it feeds and the queues in front of it share one index.
// State lives in flat arrays by that index: what one packet-hop touches is the
// inbox it arrives at, its own record, a routing entry and the port it leaves
// by.
//
// # A hop
//
// A packet in flight is an event: its source has the link, by which events of one
// instant are ordered, and the number of the packet. An arrival is handled at the
// head's arrival plus the receiver's fixed pipeline (cut-through) or at the
// tail's (store-and-forward, and every NIC). It is admitted and queued at once;
// the port that it leaves by decides at the end of the instant, when all
// arrivals of the instant are known; where the arrival is the last event of the
// instant it does so at once, and a packet that finds it idle is in no queue. A port with nothing waiting schedules
// nothing when its transmission ends: whoever comes next looks at the time when
// the wire is free.
//
// # Cells
//
// Each switch of the scale-out fabric is a cell, and the ends with the
// application are one. Cells are handled one after the other within a slot of
// time that is shorter than the way from one to the next: cells.go has why nobody
// can see it.
//
// # P_Keys and boxes
//
// With Builder.PKeys, HCAs and the switch ports to them discard packets of other
// partitions: what is not given is not looked at. A box (EthernetBox,
// InfiniBandBox) is a switch of two ports in the cable of a NIC, which stores each
// packet whole and sends no faster than it inspects.
//
// # What must hold
//
// Packets and bytes are conserved, buffers stay within bounds, credits are
// conserved per link and lane, and nothing is dropped in a lossless class
// without a counted cause. Each is checked in every run; a breach ends it with
// a *Breach.
package fabric
