// Package live is the wing of RDMA on a real network: measurements, collectives between processes,
// and packet captures. The queue pairs are the simulator's; weft/verbs gives them memory,
// completion queues and sockets.
//
// # Rooms
//
//	emulate  the fabric of a scenario under the devices of other processes
//	perf     measurements between two devices, as perftest makes them
//	preload  unmodified programs of other people, with weft's libibverbs in their way
//	ranks    collectives between processes, along the schedules of the simulator
//	sniff    conversations in captured RoCE v2, and their faults
//	wiretap  packets of a network interface, on Linux
//
// # Imports
//
// live imports units, wire, verbs, and sim: ranks its schedules of collectives, emulate its network.
// Only face imports live.
package live
