// Package format reads and writes the files in which the tools of InfiniBand
// describe a subnet and its tables: ibnetdiscover's topology and its list of
// ports, ibsim's nets, iblinkinfo, opensm's dumps and lists, and what ibroute
// and dump_fts print. One file of this package holds one format.
//
// Every reader reads a line at a time and holds the subnet or the table, not
// the text. What is wrong with a file comes together as one *Errors, each with
// file, line and what was expected there; lines that a reader does not know and
// that take nothing from what it knows are counted in the Report, by their
// first word. A reader never mends a file: of two lines that contradict each
// other neither is taken.
//
// The formats are those of rdma-core's infiniband-diags, opensm 3.3 and ibsim
// 0.10 to 0.12, as these programs print and parse them.
package format
