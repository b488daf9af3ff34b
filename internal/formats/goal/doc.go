// Package goal reads GOAL schedules (Group Operation Assembly Language), the input of
// LogGOPSim (Hoefler, Schneider, Lumsdaine: "LogGOPSim: Simulating Large-Scale
// Applications in the LogGOPS Model", HPDC 2010; repository spcl/LogGOPSim) and of
// ATLAHS, as text and in the binary form that txt2bin makes of it (binary.go).
//
// # The format
//
// A file has `num_ranks N` and a block `rank R { … }` for each rank, with one
// statement a line:
//
//	label: calc TIME [cpu C]
//	label: send BYTESb to RANK [tag T] [cpu C] [nic C]
//	label: recv BYTESb from RANK [tag T] [cpu C] [nic C]
//	label requires other
//	label irequires other
//
// The label of an operation may be left out. Comments are written as in C++. A receive may
// be from -1, any source, and of tag -1, any tag. The grammar is txt2bin.re's.
//
// # Left out
//
// The LogGOPS parameters, which are not in the
// file: the scenario takes their place. The nic attribute: a rank uses the NICs that
// the scenario gives its GPU.
package goal
