// Package format reads and writes the files of InfiniBand tools that describe a subnet and its
// tables: ibnetdiscover's topology and its list of ports, ibsim's nets, iblinkinfo, opensm's dumps
// and lists, and the output of ibroute and dump_fts. Each format has one source file.
//
// Every reader reads a line at a time and keeps the subnet or the table, not the text. All errors
// of a file come together as one *Errors, each with file, line and the expected text. The Report
// counts unknown lines without effect on known lines, by their first word. A reader never repairs a
// file: if two lines contradict each other, neither is used.
//
// The formats are those of rdma-core's infiniband-diags, opensm 3.3 and ibsim 0.10 to 0.12.
package format
