// Package prove makes simulations of findings: a small network on the switch as it is
// configured, and the same one mended, in which the harm shows and ends. It writes
// scenarios; who runs them is not its matter.
//
// # The model
//
// A Proof is two fabrics and one workload. The fabrics have the switch's buffers,
// thresholds, marks, queues, MTU and watchdog by switch.sonic, once as configured and
// once with the fixes; what a host does wrong is a field of the first. Each rule has a
// file that says what is sent and where the harm shows:
//
//	incast.go    packets lost in a class without protection, headroom or obedience
//	mtu.go       packets that are longer than the port takes
//	cnp.go       notifications that wait in the queue that they are about
//	queue.go     a queue's share beside others
//	watchdog.go  a pause that lasts as long as a slow port drains
//	cable.go     a NIC's room behind its own pauses
//	pool.go      headroom that is promised and is not there
//	misdirect.go pauses that stop another queue than the data's
//	linkpause.go pauses of the whole link
//
// # What is left out
//
// What a device does that is told to obey both kinds of pauses, of which the standard has
// a port use one: pauses of the whole link take the place of PFC.
package prove
