package emulate

import (
	"time"

	"weft/units"
)

// All bounds of this package, each with its reason.
const (
	// maxDevices bounds the devices of a fabric: a descriptor each, of the usual 1024.
	maxDevices = 512
	// maxLeft bounds the devices that have left and are reported: 16 MB.
	maxLeft = 1 << 16
	// maxConnections bounds the connections in the network, of 2 KB each: beyond it all queue pairs of a pair of NICs
	// share one.
	maxConnections = 1 << 17
	// nicQueue is the number of packets that may wait in a NIC for its wire. A NIC takes its next packet from
	// a queue pair when the wire is free; a device has a turn meanwhile for the one after it, and a sender alone
	// has the simulation's time within 0.1 %. Beyond it, queue pairs wait, as with pauses and without credits. A
	// longer queue would fill while credits are missing with packets of queue pairs that congestion control paces, and they
	// would leave at once: with 8, senders under InfiniBand's congestion control waited a third more often for credits.
	nicQueue = 2
	// maxPacket bounds a packet from the BTH to the ICRC: the largest path MTU, and more than any headers.
	maxPacket = 4096 + 128
	// maxInbox bounds the packets that wait for a device's turn: a device that does not answer loses more.
	maxInbox = 4096
	// maxWaiting bounds the packets that wait in a NIC for its wire, of up to 4 KiB. Devices that keep to their room
	// have a few requests there and as many answers as packets have come; a program that does not loses packets.
	maxWaiting = 1 << 14
	// maxHeard bounds the messages of a device that the fabric handles before it looks after others.
	maxHeard = 64
	// grain is the time for which arrivals at a NIC may wait for its device's turn, and so the error of a
	// round trip's time: twice a packet of 4 KiB at 400 Gb/s.
	grain = 160 * units.Nanosecond
	// stride is the time by which the fabric goes on at most before it hears what devices have sent: a fabric that has had no
	// processor for 0.1 s must carry a packet before its sender's timeout is due. perftest's is 67 ms.
	stride = 5 * units.Millisecond
	// lead is the real time by which the fabric may be ahead of the machine's clock: twice the time by which Linux
	// lets a sleep end late (timer slack, prctl(2)).
	lead = 100 * units.Microsecond
	// patience is the time that the fabric waits for a device's answer. It then goes on without it: the
	// device's program is stopped, or the machine far too slow.
	patience = 2 * time.Second
	// greeting is the time in which a new connection must say what it wants.
	greeting = time.Second
	// acceptAgain is the time after which the fabric asks again for a caller that found no descriptor. It stays at the
	// socket, and a poll would return at once each time.
	acceptAgain = 50 * time.Millisecond
	// idle bounds the sleep of a fabric in which nothing happens.
	idle = 100 * time.Millisecond
	// mostNamed bounds the streams that are listed for a link.
	mostNamed = 32
	// showEvery is the time between two reports of the progress, as simulations have.
	showEvery = 200 * time.Millisecond
	// maxGroups bounds the multicast groups of a device, as in package verbs.
	maxGroups = 64
)
