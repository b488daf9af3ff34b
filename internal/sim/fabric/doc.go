// Package fabric is the simulated data plane: links, ports, buffers, switches
// and NICs of InfiniBand, Ethernet and the scale-up network, packet by packet,
// on package engine.
//
// # Shape
//
// A Network is a set of nodes connected by directed links. A link has the number of its sending
// port, and the ports of a node are numbered consecutively. So a port, its link and the queues in
// front of it share one index, and all state lies in flat arrays by that index. A packet-hop
// touches the inbox where the packet arrives, the packet's record, a routing entry and the port by
// which it leaves.
//
// A packet has two records in a pool: a hot one of half a cache line (arrival time, destination,
// size, class, marks), which every hop touches, and a cold one (the transport's header), which only
// the ends touch. The telemetry that switches write into packets for congestion control has
// separate records (telemetry.go); only packets whose queue pairs request it have one.
//
// # The life of a packet-hop
//
//  1. A port becomes free and has something to send. At the end of the instant it
//     decides: a NIC asks a queue pair for its next packet, a switch takes the head of
//     the queue that its arbiter chooses.
//  2. The packet goes onto the wire (link.go), and the port is busy for the exact
//     serialisation time. The packet arrives with its head (cut-through) or its tail
//     (store-and-forward, and every NIC and GPU), plus the link's propagation and the
//     receiver's fixed pipeline.
//  3. The packet in flight is an event. Its source has the link, which orders the
//     events of one instant, and the number of the packet.
//  4. It arrives. It is admitted to the shared buffer (Ethernet) or charged to the
//     buffer that its credits paid for (InfiniBand), routed, and queued at its output,
//     which is noted.
//  5. The instant ends, and all its arrivals are known. The noted ports decide. A port
//     decides at once if the arrival is the last event of the instant, and a packet
//     that finds it idle is in no queue.
//  6. At the last link the NIC hands the header to the queue pair, which leaves
//     acknowledgements, notifications and completions in a batch.
//
// A port with nothing waiting schedules nothing for the end of its transmission: the
// next packet looks at the time when the wire is free.
//
// A NIC has queue pairs or TCP sockets, never both. iWARP's NIC has sockets, with the bytes
// of its framing (package adapter).
//
// # Cells
//
// Each switch of the scale-out fabric is a cell, and each host if the application acts host by host;
// else the ends with the application are one more. Cells are handled one after the other within a slot
// of time that is shorter than the delay between two cells: cells.go explains why the order has no
// effect. A switch that is alone in its cell, and chooses ports by its tables alone, handles the cell's
// events itself.
//
// # Partitions
//
// A network can be divided into simulation partitions that run in parallel (internal/base/topology
// computes the division). They have nothing to do with the partitions of P_Keys (package isolation).
// At the end of a window they exchange packets, credits and PFC frames; mailboxes alternate between
// two sets. The lookahead is the minimum, over all links between two partitions, of three times:
// propagation plus the receiver's pipeline, propagation plus the reaction to PFC, and the latency
// of credit updates. Package engine runs the windows.
//
// # Faults
//
// Faults lists outages of cables and changes of tables, each with its time. Both ends of a cable,
// and each row of the tables, are sources of events of class fault, the first of an instant, in
// their cell and partition. A failed link has a special kind of receiver, and its sending port a
// flag, so that working links pay nothing. A switch without a route to a destination sends the
// packet to an additional port, which drops it. A network built without Faults has none of this.
//
// # P_Keys and inspection
//
// With Builder.PKeys, HCAs and the switch ports to them discard packets of other P_Keys; without it
// keys are not checked. A middlebox (EthernetMiddlebox, InfiniBandMiddlebox) is a switch of two
// ports in the cable of a NIC, which stores each packet completely and sends no faster than it
// inspects.
//
// # Invariants
//
// Packets and bytes are conserved, buffers stay within bounds, credits are conserved per
// link and lane, and nothing is dropped in a lossless class without a counted cause.
// Buffers, credits and the direction of time are checked while a run goes on, packets
// and bytes at its end. A breach ends the run with a *Breach: the invariant, the place,
// the time, and the two numbers that disagree.
//
// A run that comes to a standstill ends with the circle of ports that wait for one another
// (deadlock.go), or, without such a circle, with the ports that hold packets and the reason why
// each waits (waiting.go), and with the senders that wait for a retransmission timeout. A
// standstill is a run in which no event is left, or in which no packet has made a hop for a long
// time.
//
// # Series
//
// Record makes a network count what each lane does in intervals of simulated time. The number of
// intervals is bounded; they double. A partition closes an interval between two slots of its cells, so
// the order of events stays, and the record does not depend on the partitions. Package series
// records skipped periods, too.
//
// # Where what is
//
// Packages below this one have one idea each, and know no network: they count, decide and record at
// the times that they are given. This package moves packets through them.
//
//	question                                  decided in            called from
//	does a packet fit into an Ethernet        buffer                admit and release in ethernet.go
//	switch; where is a threshold applied
//	who marks ECN, FECN                       marking               ethernet.go, fecn.go
//	whose packet is next: VLArb, DWRR         arbitration           vlarb.go, ethernet.go, nic.go
//	where does a credit come back             credit                free in credit.go
//	is a queue in a PFC storm                 watchdog              watchdog.go
//	is a packet late, damaged, sent again     impair                errors.go, cnpdelay.go
//	what fails when, what tables follow       fault                 fault.go, faultevents.go, amend.go
//	may two hosts talk: P_Keys, VRFs          isolation             isolation.go
//	sums, copies, SHARP's streams             reduction             aggregation.go, nvls.go
//	queue pair contexts, iWARP's framing      adapter               nic.go, flow.go, pfcreceiver.go
//	a counter of a run, of a port             counts                portcounts.go and where it happens
//	links by interval, totals                 series                series.go, seriesperiod.go
//	messages, pauses and their causes         messages, pauses      messagerecord.go, pauserecord.go
//
// # Files
//
// The network:
//
//   - wiring.go: nodes, ports, links, and their names
//   - build.go: the description of a network, its assembly
//   - network.go: the network, its run, its connections
//   - partition.go, cells.go: simulation partitions, which handle events; events by switch
//   - mailbox.go, progress.go: exchange between partitions; the progress of a run
//   - lookahead.go, lookaheadswitch.go, huge_linux.go, huge_other.go: memory that the next events
//     will touch is prefetched; huge pages
//
// The life of a packet-hop:
//
//   - packet.go, link.go, errors.go: packets, the wire, what goes wrong on it
//   - route.go, path.go: the choice of a port; the path of a connection
//   - ethernet.go, ports.go, trim.go: Ethernet switches: admission, queues, limits of ports, trimming
//   - pfc.go, pausescope.go, pfcreceiver.go, watchdog.go: pauses, what a pause stops, slow receivers
//   - infiniband.go, vlarb.go, readports.go, fecn.go, stall.go: InfiniBand switches: queues, lanes,
//     speed-up, marks, lifetimes
//   - credit.go: credits
//   - nic.go, flow.go, flowtable.go, ring.go, timers.go, verbs.go, cnpdelay.go, telemetry.go: NICs: their
//     queue pairs and sockets, turns, timers, receives, CNPs, telemetry in packets
//   - foreign.go: packets of queue pairs outside of the simulation
//   - gpu.go, nvls.go: the scale-up network: GPUs, copies and reductions in its switches
//   - aggregation.go: SHARP
//   - inspection.go, isolation.go: middleboxes; P_Keys, VLANs and VRFs
//   - fault.go, faultevents.go, amend.go: faults, and their replacement under way
//
// Beside it:
//
//   - waiting.go, deadlock.go, timeouts.go: why a run stands still
//   - conserve.go, breach.go, limits.go: invariants, their breaches, bounds
//   - trace.go: packets followed from port to port
//   - series.go, seriesperiod.go, messagerecord.go, pauserecord.go, portcounts.go: records
//   - period.go, statewalk.go: periods that are skipped; the state that tells them
package fabric
