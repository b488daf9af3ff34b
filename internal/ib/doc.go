// Package ib is the wing of InfiniBand management: it reads the description of a real subnet,
// routes it, proves the tables, and runs a Subnet Manager.
//
// # Rooms
//
//	subnet     nodes, ports, LIDs and tables
//	format     files of ibnetdiscover, ibsim, iblinkinfo and OpenSM, one format a file
//	counters   what tools print about ports and cables
//	inspect    the family, levels and rails of a subnet, and deviations from its symmetry
//	route      routing engines: from a subnet with LIDs to the tables of its switches
//	proof      reach, loops, credit loops and loads of tables from any source
//	partition  partitions.conf and P_Key tables
//	qos        the QoS keys of opensm.conf, and qos-policy.conf
//	sm         the Subnet Manager and subnet administration, without I/O
//	sma        the management agents of every node
//	ibsim      the protocol of the simulator ibsim over Unix sockets
//	umad       the datagrams of a port of an adapter, by the interface of Linux
//	export     Slurm's topology.conf, root GUIDs, Graphviz
//
// # The flow of data
//
//	files ─► format ─► subnet ─► route ─► tables ─► proof
//	                     ▲                  │
//	                     └───── sm ◄────────┘   datagrams to and from sma, or a socket of ibsim
//
// [weft/internal/ib/sm.Manager] does not know the carrier of its datagrams: the simulator's control
// plane, a test, a socket, or an adapter. The agents in sma do not know the sender: weft's manager or a real
// OpenSM.
//
// # Imports
//
// ib imports units, wire and base. sim imports it for the tables of a simulated fabric, study for
// partitions, face for the commands. ib has no simulated links.
package ib
