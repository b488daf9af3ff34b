// Package roce is the arithmetic of lossless Ethernet: the buffer that a switch must keep free
// behind a PFC threshold, as vendors compute it, term by term, and the tables that they ship; and
// checks whether the thresholds of PFC, ECN and headroom fit one another. It simulates nothing; its
// numbers go into a switch's configuration.
//
// It is also the wing for the RoCE v2 settings of switches and hosts.
//
// # Rooms
//
//	sonic     the configuration of a SONiC switch, read and written with line numbers
//	host      the settings of a Linux host with an mlx5 adapter
//	lint      faults between the two
//	prove     a fault as two scenarios: the switch as configured, and after the fix
//	counters  what switches and hosts print about their ports and cables
//
// # Imports
//
// roce imports units, and base for the counters of ports. sim imports it for headroom and thresholds, study and face for the
// rest. Configuration for a scenario's fabric is written by internal/study/roceexport, which needs
// the scenario.
//
// # Units
//
// Sizes are bytes of switch buffer, rounded up to 1024 if the vendor does. Intermediate terms
// are float64, as in the vendor's own script, which works with double-precision numbers; each sum
// is rounded up once.
//
// # Sources
//
// SONiC's buffer_headroom_mellanox.lua (sonic-swss, cfgmgr) for NVIDIA's Spectrum; the
// pg_profile_lookup.ini files of sonic-buildimage for the shipped tables; IEEE 802.3, 31B.3.7, for
// the time that a peer may take to stop.
//
// # What is left out
//
// The compensation of 2 KiB that the script adds under some traffic patterns (the shipped tables do
// not contain it), and gearboxes in the tables.
package roce
