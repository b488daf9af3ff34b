// Package ledger shares work among processes through a folder: each piece of work is done by one of
// them, and its outcome is kept.
//
// # Files
//
//	rows/WORKER.N.jsonl   outcomes, a line each; only this process writes it, and only at its end
//	claims/PIECE.G        the worker that holds a piece; made with O_EXCL, which is atomic on the file
//	                      systems of clusters
//	beats/WORKER.N        a number that the process changes as long as it lives
//
// # Model
//
// A worker is a place where one process works at a time: an element of an array job, or a local
// process. N is the number of its process: a higher one shows that the ones before have ended. A piece
// whose holder has ended is taken over with the next G. A holder has ended if its worker has a newer
// process, or if its beat stays the same for longer than Silence.
//
// # Invariants
//
// Outcomes do not depend on who computes them, so a piece that two processes do by mistake has two
// equal lines: claims save work, and nothing else rests on them. A line that was cut short is no line.
//
// # Time
//
// Each process measures silence with its own clock, from one look at a beat to the next. No time is
// written to the folder, so clocks may differ.
//
// # Limits
//
// A file system must make O_EXCL atomic among nodes, and show a file to others once its writer has
// synced it: NFS from version 3, Lustre, GPFS, BeeGFS and CephFS do.
package ledger
