// Package cache keeps the results of simulations in a file, for later runs and for other processes: a
// sim/known Store on a disk.
//
// # The file
//
// known.db in the folder is an SQLite database in WAL mode. A row is a result: its key, the program that
// made it, its value with a SHA-256 of key and value, and a recipe by which Check simulates it again. The
// key of a row is the SHA-256 of the program's digest and the simulation's key, so a result of another
// program is never found.
//
// The program is identified by the SHA-256 of its executable, for every build alike. A version and a
// revision would not say which compiler, which flags, which changed modules and which uncommitted lines it
// was built from. On Linux the digest is of the running file, also if another has taken its place.
//
// # Why SQLite
//
// Measured on two cores with 2,000 values of 4 KiB (program: bytes that a stripped one grows by):
//
//	                                    program   open     write    read    processes
//	modernc.org/sqlite 1.62, WAL        5.2 MB    3 ms     55 µs    17 µs   many
//	go.etcd.io/bbolt 1.5, opened        0.7 MB    –        417 µs   16 µs   one at a time
//	  for every call
//	cockroachdb/pebble 2.1              24 MB     3 ms     11 µs    4 µs    one; others are refused
//
// Eight processes that write at the same time need 0.4 to 0.8 ms for each value with SQLite, and as much
// with bbolt. The size does not decide, and neither does the speed: a simulation takes milliseconds to
// minutes. What decides is a damaged file. bbolt maps the file into memory, so that a shortened one ends
// the program by a signal; SQLite reads it and says what is wrong.
//
// # Costs
//
// A miss costs 1.2 ms on a busy machine of two cores: 0.05 ms for the key, 0.03 ms for the question, 0.9 ms
// for the text of the recipe and 0.2 ms for the row; the shortest simulations of examples/tune-dcqcn.yaml
// take 50 ms. Once in each process that simulates a study, the digest of the program takes 0.1 to 0.2 s.
//
// # Invariants
//
//   - A value that Get returns is the value that Put was given with this key by this program. The sum is
//     checked each time; a wrong one removes the row.
//   - A process may be killed at any moment: SQLite undoes or completes what it did. After a loss of power
//     the last results may be missing.
//   - A run never fails for its cache. The first problem (no permission, a full disk, a damaged file, a file
//     of another layout, a network file system) is told once, with the way out, and the run goes on without.
//   - The file has at most MaxBytes. What was used longest ago leaves first; when a result was used is known
//     to the hour.
//
// # Limits
//
// WAL mode needs memory that the processes share, so the folder cannot be on a network file system: on
// Linux that is found out and said. Two processes that miss the same result at the same time both simulate
// it. A run plans its fabrics (tables, trees) also if every result is known.
package cache
