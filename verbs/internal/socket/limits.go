package socket

import (
	"time"

	"weft/units"
)

// Every bound of this package, with its reason.
const (
	// maxDatagram is what a UDP datagram holds over IPv4, and so GSO's total
	// (RFC 791: 65535 bytes with the headers).
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

	// copied is the longest payload that is copied behind its headers; for longer
	// ones a scatter-gather entry of its own costs the kernel less.
	copied = 256

	// maxParts bounds the scatter-gather entries of one datagram: UIO_MAXIOV of
	// Linux.
	maxParts = 1024

	// burst is how many packets a queue pair sends before the next has its turn:
	// as many as fill a datagram, so that turns do not cost system calls.
	burst = 16

	// MaxHeld bounds the packets that came ahead and are kept, of all queue pairs: as
	// many as 16 peers may have in flight, some 64 MiB.
	MaxHeld = 16 * PeerPackets
	// PeerBytes and PeerPackets bound what is in flight to one peer, of all queue
	// pairs together: without it, a loopback loses what the receiver's socket
	// buffer does not hold. The buffer is SocketBuffer; Linux counts it by the
	// memory that packets take, a few times their payload at worst: a quarter of
	// what it grants bounds what is in flight, too.
	PeerBytes   = 2 << 20
	PeerPackets = 1024

	// SocketBuffer is asked for in each direction. Without privilege the kernel
	// grants net.core.rmem_max at most.
	SocketBuffer = 8 << 20

	// MaxEndpoints is how many queue pairs a port has: QPNs have 24 bits, and the
	// highest is the multicast QPN (IBA vol. 1, 3.5.3).
	MaxEndpoints = 1<<24 - 2

	// MaxPeers bounds the addresses that a port remembers, each as long as a queue pair
	// or an address handle has it: a peer takes some 300 bytes.
	MaxPeers = 1 << 17

	// MaxGroups bounds the multicast groups of a port: each has a socket.
	MaxGroups = 64

	// pollGrace is how long the port's own goroutine leaves the socket to those
	// who poll, after the last poll. A poller that goes away for longer costs its
	// peers this delay once.
	pollGrace = time.Millisecond

	// patientAcks is how many acknowledgements may wait for a poller's next call.
	patientAcks = 4

	// spin is how long the port's goroutine looks for more before it sleeps: what it
	// takes to put a thread to sleep and to wake it is of the same order.
	spin = 20 * units.Microsecond

	// maxIdle bounds a wait for nothing, so that a clock that was set cannot
	// hang a port.
	maxIdle = time.Second

	// maxRounds bounds how many batches are taken before what they draw is sent.
	maxRounds = 4

	// lateRounds is the same while a deadline has passed: an acknowledgement that waits in
	// the socket is read before its packet is sent again. A full socket buffer of small
	// packets, of 768 bytes each as Linux counts them, is no more batches than that.
	lateRounds = SocketBuffer / 768 / maxBatch
)
