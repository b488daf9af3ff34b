package ibsim

import "time"

const (
	// maxClients is the maximum number of attached programs. A client's number has 16 bits
	// in transaction IDs; each client takes a socket.
	maxClients = 1024

	// writeWait is the time that a program has to make room for a datagram; then
	// it is lost, as on a wire. Its queue is net.unix.max_dgram_qlen long.
	writeWait = time.Second

	// trapTick is the time between looks for traps that are due: short against the
	// 1.07 s between two traps of a port.
	trapTick = 100 * time.Millisecond

	// maxScripts is how deep files of console commands may name each other.
	maxScripts = 8

	// processBits is the number of bits of a process ID (Linux, PID_MAX_LIMIT).
	processBits = 22

	// connectTries and connectWait bound the time that a client waits for a server
	// that does not answer.
	connectTries = 5
	connectWait  = 2 * time.Second
)
