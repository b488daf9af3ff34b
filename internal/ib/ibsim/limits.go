package ibsim

import "time"

const (
	// maxClients is the maximum number of attached programs. A client's number has 16 bits in
	// transaction IDs; each client needs a socket.
	maxClients = 1024

	// writeWait is the time for a program to make room for a datagram; then the datagram is lost,
	// as on a wire. Its queue is net.unix.max_dgram_qlen long.
	writeWait = time.Second

	// trapTick is the interval of checks for due traps: short against the 1.07 s between two traps
	// of a port.
	trapTick = 100 * time.Millisecond

	// maxScripts is the maximum nesting depth of files with console commands.
	maxScripts = 8

	// processBits is the number of bits of a process ID (Linux, PID_MAX_LIMIT).
	processBits = 22

	// connectTries and connectWait bound a client's wait for a silent server.
	connectTries = 5
	connectWait  = 2 * time.Second
)
