// Package sm is an InfiniBand Subnet Manager without I/O and without a clock:
// management datagrams and the time go in, datagrams and events come out, and
// [Manager.NextTimeout] says when to call again (IBA vol. 1, chapters 14 and
// 15).
//
// # A sweep
//
// A heavy sweep goes through phases, each of which ends when all of its
// requests are answered or given up:
//
//	discover   directed routes to every port that has a link (discover.go)
//	consult    SMInfo of other managers; who is master is decided (mastery.go)
//	assign     LIDs, which survive sweeps and restarts, and keys (assign.go)
//	program    forwarding tables and lanes, what changed only (program.go)
//	arm        ports from Init to Armed, with MTU and lanes (ports.go)
//	activate   ports from Armed to Active
//
// After that the subnet is up, and light sweeps ask each switch whether one of
// its ports changed. A change, a trap, or a port that does not answer starts a
// heavy sweep. Requests are outstanding up to a window, are repeated, and are
// then given up (request.go); a sweep in which some were is followed by
// another, at once for limits.go's number of times.
//
// # What is not repaired
//
// Two nodes of one GUID cannot both be managed. The one that was met first is;
// the event DuplicateGUID names the other's place, and no path leads there.
//
// # Determinism
//
// What comes out depends on what went in, in its order, alone. Maps are never
// iterated over where order can be seen.
//
// Routing comes from a function of the caller's ([Config].Route). Left out:
// congestion control and routers.
package sm
