// Package cache keeps the results of simulations in a folder, for later runs and for other processes: a
// sim/known Store on a disk.
//
// # The files
//
// weft-known in the folder has a folder for each program, named by the SHA-256 of its executable, and in
// it a file for each result, named by its key. So a result of another program is never found. A file
// has a line that says what was simulated, with a SHA-256, then a recipe by which Check simulates it
// again, then the value. The time of a file is that of its last use.
//
// The program is identified by its executable, for every build alike. A version and a revision would
// not say which compiler, which flags, which changed modules and which uncommitted lines it was built
// from. On Linux the digest is of the running file, also if another has taken its place.
//
// # Why plain files
//
// A key has one value, which never changes, and is asked for by its key alone: a file system does that,
// as it does for the cache of go build. A file gets its name when it is complete, so processes need no
// lock, and one that is killed leaves nothing but a file that is not found. A database (SQLite without
// cgo) did the same with another 5 MB in the program, and with 50 s of a core to compile it.
//
// # Invariants
//
//   - A value that Get returns is the value that Put was given with this key by this program. The sum is
//     checked each time; a wrong one removes the file.
//   - A process may be killed at any moment. After a loss of power the last results may be missing, or be
//     found damaged and simulated again.
//   - A run never fails for its cache. The first problem (no permission, a full disk) is told once, with the
//     way out, and the run goes on without.
//   - The folder takes at most MaxBytes of the disk. What was used longest ago leaves first; when a result was
//     used is known to the hour.
//
// # Limits
//
// Two processes that miss the same result at the same time both simulate it. A run plans its fabrics
// (tables, trees) also if every result is known.
package cache
