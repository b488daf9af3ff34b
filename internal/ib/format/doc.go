// Package format reads and writes the files in which the tools of InfiniBand
// describe a subnet and its tables: ibnetdiscover's topology and its list of
// ports, ibsim's nets, iblinkinfo, opensm's dumps and lists, and the output of
// ibroute and dump_fts. Each format has one file of this package.
//
// Every reader reads a line at a time and holds the subnet or the table, not
// the text. All errors of a file come together as one *Errors, each with file, line and
// the expected text. Unknown lines that do not affect the known ones are counted in the
// Report, by their first word. A reader never mends a file: if two lines contradict each
// other, neither is used.
//
// The formats are as rdma-core's infiniband-diags, opensm 3.3 and ibsim 0.10 to 0.12 print
// and parse them.
package format
