// Package sm is an InfiniBand Subnet Manager without I/O and without a clock:
// management datagrams and the time go in, datagrams and events come out, and
// [Manager.NextTimeout] says when to call again (IBA vol. 1, chapters 14 and
// 15).
//
// # A sweep
//
// A heavy sweep has phases. A phase ends when all of its requests are answered or given up:
//
//	discover   directed routes to every port that has a link
//	consult    SMInfo of other managers; one manager becomes master
//	assign     LIDs, which survive sweeps and restarts, and keys
//	program    forwarding tables and lanes, changed blocks only
//	arm        ports from Init to Armed, with MTU and lanes
//	activate   ports from Armed to Active
//
// Each port of an adapter or a router has its own agent and directed route (fabric.go). After that
// the subnet is up, if all answers show what was written (confirm.go), and light sweeps ask each switch whether one of
// its ports changed. A change, a trap, or a port that does not answer starts a
// heavy sweep. The number of outstanding requests has a bound, the window. A request without an
// answer is repeated, then given up. After a sweep with such requests another sweep follows, at
// once up to maxRepeats times (limits.go).
//
// # The types, by duty
//
// Manager runs the phases (phases.go) and the states of a manager (states.go). Types with their own
// state do the work:
//
//	outbox           the time of a call; its datagrams and events
//	fabric           the nodes of the sweep under way
//	requests         the window of requests, repeats, M_Keys of requests
//	discovery        the node behind each port
//	mastery          rank among managers, SMInfo
//	lidBook          LIDs of all ports ever met
//	routed           the subnet with its tables, after a sweep
//	portSetup        PortInfo: LIDs, states, MTU, lanes
//	partitions       P_Key tables; which ports share a key
//	laneTables       SL2VL and arbitration tables
//	delivery         forwarding tables; ledger: the blocks that nodes hold already
//	trees            multicast trees and tables
//	protection       leases of M_Keys
//	administration   queries: groups, services, subscriptions, transfers in several
//	                 pieces, and the records of inventory, paths and tables
//
// # What is not repaired
//
// Two nodes with the same GUID cannot both be managed. The manager keeps the node that
// it met first. The event DuplicateGUID names the place of the other node, which gets no LID and no
// paths.
//
// # Determinism
//
// The output depends on the calls and their order alone. No visible order depends on the iteration
// over a map.
//
// The caller provides the routing function ([Config].Route). Left out: congestion control, and paths
// through routers to other subnets.
//
// # Files
//
//   - manager.go, states.go, phases.go, mastery.go: the manager and its calls; its states; the
//     phases of a sweep; other managers
//   - discover.go, fabric.go, routed.go: the sweep, the nodes that it finds, the subnet and
//     tables of the last sweep
//   - lids.go, ports.go, settings.go, lanes.go, partitions.go, mkey.go: settings of ports: LIDs,
//     PortInfo, values for all ports, QoS tables, P_Keys, M_Keys
//   - program.go, trees.go, ledger.go, writer.go: tables of switches: forwarding tables and
//     multicast trees; only changes are written
//   - request.go, confirm.go, outbox.go, rmpp.go: datagrams: requests and repetitions, what their
//     answers confirm, the batch of a call, answers in segments
//   - sa.go and the files whose names begin with sa, multicast.go: subnet administration
//   - event.go, trapevent.go, report.go: events, traps in words, reports to subscribers
//   - limits.go: bounds and usual values
package sm
