// Package prove makes simulations of findings: a small network with the switch as configured shows
// the harm, and the same network with the fix shows that it ends. The package writes scenarios and
// has the layout of their results (trial.go); its callers run them.
//
// # The model
//
// A Proof is two fabrics and one workload. The fabrics have the switch's buffers, thresholds,
// marks, queues, MTU and watchdog by switch.sonic, once as configured and once with the fixes; a
// host's fault is a field of the first. Each rule has a file with its workload and the figures that
// show the harm:
//
//	incast.go    packets lost in a class without protection, headroom or obedience
//	mtu.go       packets that are longer than the port takes
//	cnp.go       notifications that wait in the congested queue itself
//	queue.go     a queue's share beside others
//	watchdog.go  a pause that lasts as long as a slow port drains
//	cable.go     a NIC's headroom behind its own pauses
//	pool.go      promised headroom that does not exist
//	misdirect.go pauses that stop another queue than the data's
//	linkpause.go pauses of the whole link
//
// # What is left out
//
// Devices that obey both kinds of pauses; the standard allows one kind on a port. Here pauses of
// the whole link take the place of PFC.
package prove
