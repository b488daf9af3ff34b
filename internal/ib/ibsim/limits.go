package ibsim

import "time"

const (
	// maxClients is how many programs may be attached at a time. The number of a
	// client has 16 bits in transaction IDs; each takes a socket.
	maxClients = 1024

	// writeWait is how long a program may take to make room for a datagram; then
	// it is lost, as on a wire. Its queue is net.unix.max_dgram_qlen long.
	writeWait = time.Second

	// trapTick is the time between looks for traps that are due: short against the
	// 1.07 s between two traps of a port.
	trapTick = 100 * time.Millisecond

	// maxScripts is how deep files of console commands may name each other.
	maxScripts = 8

	// processBits is how many bits the number of a process has (Linux,
	// PID_MAX_LIMIT).
	processBits = 22

	// connectTries and connectWait bound how long a client waits for a server
	// that does not answer.
	connectTries = 5
	connectWait  = 2 * time.Second
)
