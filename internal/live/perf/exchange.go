package perf

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"weft/units"
	"weft/verbs"
)

// Verb is the operation that a test measures.
type Verb string

// The operations.
const (
	Write Verb = "write"
	Read  Verb = "read"
	Send  Verb = "send"
)

// Kind is the measured quantity of a test.
type Kind string

// The kinds.
const (
	Bandwidth Kind = "bw"
	Latency   Kind = "lat"
)

// Test holds the parameters of a measurement.
type Test struct {
	Verb    Verb `json:"verb"`
	Kind    Kind `json:"kind"`
	Size    int  `json:"size"`  // of a message, in bytes
	Iters   int  `json:"iters"` // total of all queue pairs
	QPs     int  `json:"qps"`
	MTU     int  `json:"mtu"`
	Depth   int  `json:"depth"`  // work requests outstanding
	List    int  `json:"list"`   // work requests posted in one call
	Inline  int  `json:"inline"` // messages up to this size go inline
	Events  bool `json:"events"` // sleep for completions instead of polling
	Warmup  int  `json:"warmup"` // iterations before the measured ones
	OverTCP bool `json:"tcp"`    // over kernel TCP instead of RDMA
	// Selective offers selective repeat to the other side.
	Selective bool `json:"selective_repeat"`
}

// Check returns an error for parameters out of range or in conflict.
func (t *Test) Check() error {
	bad := func(name string, got, low, high int) error {
		if got < low || got > high {
			return fmt.Errorf("perf: %s is %d: valid are %d to %d", name, got, low, high)
		}
		return nil
	}
	switch {
	case t.Verb != Write && t.Verb != Read && t.Verb != Send:
		return fmt.Errorf("perf: there is no operation %q", t.Verb)
	case t.Kind != Bandwidth && t.Kind != Latency:
		return fmt.Errorf("perf: there is no measurement %q", t.Kind)
	case t.OverTCP && t.Verb == Read && t.Kind == Bandwidth:
		return errors.New("perf: TCP has no read")
	}
	return errors.Join(
		bad("the size", t.Size, 1, MaxSize),
		bad("the number of iterations", t.Iters, 1, MaxIters),
		bad("the warm-up", t.Warmup, 0, MaxIters),
		bad("the number of queue pairs", t.QPs, 1, MaxQPs),
		checkMTU(t.MTU),
		bad("the depth", t.Depth, 1, MaxDepth),
		bad("queue pairs times depth", min(max(t.QPs, 0), MaxQPs)*min(max(t.Depth, 0), MaxDepth), 0, MaxWork),
		bad("the list", t.List, 0, MaxDepth),
		bad("the inline size", t.Inline, 0, verbs.MaxInline),
	)
}

// checkMTU returns an error unless n is a path MTU (IBA vol. 1, 3.5.4).
func checkMTU(n int) error {
	if n < 256 || n > 4096 || n&(n-1) != 0 {
		return fmt.Errorf("perf: the path MTU is %d: valid are 256, 512, 1024, 2048 and 4096", n)
	}
	return nil
}

// End holds the parameters of one side that its peer needs.
type End struct {
	Test   *Test  `json:"test,omitempty"` // of the client
	Error  string `json:"error,omitempty"`
	Addr   string `json:"addr"`   // of the device
	VAddr  uint64 `json:"vaddr"`  // target of WRITEs
	Source uint64 `json:"source"` // source of READs
	RKey   uint32 `json:"rkey"`
	MTU    int    `json:"mtu"`   // path MTU; in the server's End the agreed path MTU of the test
	Reads  int    `json:"reads"` // READs that each queue pair of this side serves at a time
	// Selective, in the server's End, accepts the client's offer of selective repeat.
	Selective bool    `json:"selective_repeat,omitempty"`
	QPs       []EndQP `json:"qps"`
}

// EndQP is a queue pair of one side.
type EndQP struct {
	QPN verbs.QPN `json:"qpn"`
	PSN units.PSN `json:"psn"` // of its first request
}

// firstPSN is a random starting PSN that nobody can predict.
func firstPSN() units.PSN {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails (crypto/rand)
	return units.PSN(binary.NativeEndian.Uint32(b[:]) & units.PSNMask)
}

// outcome is the server's report of its side after a test.
type outcome struct {
	Error string        `json:"error,omitempty"`
	CPU   time.Duration `json:"cpu"`
	Sum   uint32        `json:"sum"` // CRC of the buffer that the messages were written to
}

// link is the TCP connection between the two sides: one JSON value a line.
type link struct {
	conn net.Conn
	in   *bufio.Reader
}

func newLink(c net.Conn) *link { return &link{conn: c, in: bufio.NewReaderSize(c, 1<<16)} }

func (l *link) write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := l.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err = l.conn.Write(append(b, '\n'))
	return err
}

// read reads one whole line within a time; a peer that sends none in that time counts as gone.
func (l *link) read(v any, within time.Duration) error {
	if err := l.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	return l.readWhenever(v)
}

// readWhenever reads one line, until the deadline already set.
func (l *link) readWhenever(v any) error {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return fmt.Errorf("perf: a message of more than %d bytes", maxMessage)
		case err == nil:
			return json.Unmarshal(line, v)
		case errors.Is(err, io.EOF) && len(line) == 0:
			return io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// addr parses the address of an End.
func (e *End) addr() (netip.AddrPort, error) {
	a, err := netip.ParseAddrPort(e.Addr)
	if err != nil {
		return a, fmt.Errorf("perf: the peer's address: %w", err)
	}
	return a, nil
}
