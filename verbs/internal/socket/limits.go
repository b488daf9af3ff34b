package socket

import (
	"time"

	"weft/units"
)

// All bounds of this package, each with its reason.
const (
	// maxDatagram is the largest payload of a UDP datagram over IPv4, and so GSO's total (RFC 791:
	// 65535 bytes with the headers).
	maxDatagram = 65507

	// maxSegments bounds the packets of one system call's entry: UDP_MAX_SEGMENTS
	// of Linux before 6.9, 64.
	maxSegments = 64

	// maxBatch is the number of entries of one sendmmsg and one recvmmsg. Half a
	// megabyte of buffers stays within a core's second-level cache.
	maxBatch = 8

	// headArena holds the headers and trailers of a batch: at most 64 bytes a
	// packet (BTH 12, AtomicETH 28, the ICRC and padding of the packet before 7)
	// and small payloads.
	headArena = 64 << 10

	// copied is the longest payload that is copied after its headers; for a longer one a separate
	// scatter-gather entry costs the kernel less.
	copied = 256

	// maxParts bounds the scatter-gather entries of one datagram: UIO_MAXIOV of
	// Linux.
	maxParts = 1024

	// burst is the number of packets that a queue pair sends before the next has its turn: enough
	// to fill a datagram, so that turns cost no extra system calls.
	burst = 16

	// MaxHeld bounds the held packets of all queue pairs: as many as 16 peers may have in flight,
	// some 64 MiB.
	MaxHeld = 16 * PeerPackets
	// PeerBytes and PeerPackets bound the data in flight to one peer, over all queue pairs: without
	// a bound, a loopback loses the packets that the receiver's socket buffer cannot hold. The
	// buffer is SocketBuffer. Linux counts it by the memory of packets, at worst a few times their
	// payload, so the data in flight is also bounded by a quarter of the granted buffer.
	PeerBytes   = 2 << 20
	PeerPackets = 1024

	// SocketBuffer is the requested buffer in each direction. Without privilege the kernel grants
	// net.core.rmem_max at most.
	SocketBuffer = 8 << 20

	// MaxEndpoints is the number of queue pairs of a port: QPNs have 24 bits, and the highest is
	// the multicast QPN (IBA vol. 1, 3.5.3).
	MaxEndpoints = 1<<24 - 2

	// MaxPeers bounds the addresses that a port remembers while a queue pair or an address handle
	// uses them: a peer takes some 300 bytes.
	MaxPeers = 1 << 17

	// crowdedPause is the wait for room in such a ring: the time in which a reader at 30 Gb/s frees
	// 40 KB: a few packets.
	crowdedPause = 10 * units.Microsecond

	// ringData is the room of a ring between two devices of one machine, see near.go: the packets in
	// flight to a peer, and the responses to its READs, with room to spare.
	ringData = 2 << 20

	// nearOverhead is more than the headers of a packet in a ring.
	nearOverhead = 64

	// MaxNear bounds the devices of this machine that send through shared memory; the others send by
	// UDP. Each takes a ring of address space, and a file descriptor.
	MaxNear = 4096

	// socketTurns is the number of looks at the rings for one at the socket, whose system call takes
	// some 300 ns, ten times as long.
	socketTurns = 32

	// MaxGroups bounds the multicast groups of a port: each has a socket.
	MaxGroups = 64

	// pollGrace is the longest time after the last poll in which the port's own goroutine leaves the
	// socket to pollers. A poller that stops for longer costs its peers this delay. leastGrace is the
	// time after a packet had waited so: each end of it may take a processor from a poller.
	pollGrace  = time.Millisecond
	leastGrace = 50 * time.Microsecond

	// longestPause is the number of receptions without a forecast after many wrong ones: a wrong one costs
	// another copy of a datagram.
	longestPause = 63

	// leastPlaced is the least rest of a READ whose payload the kernel places: below, the second copy costs less.
	leastPlaced = 4096

	// patientAcks is the number of acknowledgements that may wait for a poller's next call.
	patientAcks = 4

	// spin is the time that the port's goroutine polls before it sleeps: putting a thread to sleep
	// and waking it take about as long.
	spin = 20 * units.Microsecond

	// looksAgain is the number of sleeps after which it polls again for as long, if it has given that up: then
	// that costs little, and a burst of packets waits for few sleeps.
	looksAgain = 64

	// maxIdle bounds a sleep, so that a change of the system clock cannot hang a port.
	maxIdle = time.Second

	// maxRounds bounds the number of batches received before the answers to them are sent.
	maxRounds = 4

	// lateRounds is the same bound after a deadline has passed: an acknowledgement waiting in the
	// socket must be read before its packet is retransmitted. A full socket buffer of small
	// packets, of 768 bytes each as Linux counts them, has no more batches.
	lateRounds = SocketBuffer / 768 / maxBatch
)
