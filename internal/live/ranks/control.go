package ranks

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"os"
	"runtime"
	"time"

	"weft/internal/sim/collective"
	"weft/verbs"
)

// order is an order to a rank, as one line of JSON.
type order struct {
	Do string `json:"do"` // open, connect, run, ping, stream

	Rank  int              `json:"rank,omitempty"`
	Addrs []netip.AddrPort `json:"addrs,omitempty"` // of all ranks
	Algo  collective.Algo  `json:"algo,omitempty"`
	Chunk int64            `json:"chunk,omitempty"`
	// Capture is the file that gets every packet of the rank's device.
	Capture string `json:"capture,omitempty"`

	Bytes   int  `json:"bytes,omitempty"` // of the vector; with open, of the longest
	Iters   int  `json:"iters,omitempty"`
	Warmup  int  `json:"warmup,omitempty"`
	Check   bool `json:"check,omitempty"`
	InPlace bool `json:"in_place,omitempty"`
}

// reply is the rank's answer.
type reply struct {
	Error string        `json:"error,omitempty"`
	Time  time.Duration `json:"time"` // of all iterations
	Wrong int64         `json:"wrong"`
	Stats verbs.Stats   `json:"stats"` // of its device since it was opened
	// With open: the name of the rank's machine, and the processors that it may use there.
	Machine    string `json:"machine,omitempty"`
	Processors int    `json:"processors,omitempty"`
}

// Serve is a rank: it reads orders, carries them out and writes replies, until in ends. That also
// ends the order in progress.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return (&rank{}).serve(ctx, in, out, 0, 0)
}

// errIdle ends a rank without orders.
var errIdle = errors.New("ranks: the caller gives no order")

// serve is Serve with deadlines for the first order and for each further order; 0 is no deadline.
func (r *rank) serve(ctx context.Context, in io.Reader, out io.Writer, first, then time.Duration) error {
	defer r.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := make(chan []byte)
	go readLines(ctx, cancel, in, lines)
	for wait := first; ; wait = then {
		line, err := nextLine(ctx, lines, wait)
		if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		var o order
		var p reply
		if err = json.Unmarshal(line, &o); err == nil {
			err = r.obey(ctx, &o, &p)
		}
		if err != nil {
			p.Error = err.Error()
		}
		if err := writeLine(out, &p); err != nil {
			return err
		}
	}
}

// readLines reads orders while the rank is still busy with an earlier order. So it notices a caller
// that has gone, and calls gone.
func readLines(ctx context.Context, gone func(error), in io.Reader, to chan<- []byte) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		select {
		case to <- bytes.Clone(lines.Bytes()):
		case <-ctx.Done():
			return
		}
	}
	gone(cmp.Or(lines.Err(), io.EOF))
}

// nextLine waits for a line, for ever if the time is 0. At the end it returns io.EOF.
func nextLine(ctx context.Context, lines <-chan []byte, within time.Duration) ([]byte, error) {
	var late <-chan time.Time
	if within > 0 {
		t := time.NewTimer(within)
		defer t.Stop()
		late = t.C
	}
	select {
	case line := <-lines:
		return line, nil
	case <-late:
		return nil, fmt.Errorf("%w within %v", errIdle, within)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r *rank) obey(ctx context.Context, o *order, p *reply) error {
	switch {
	case o.Do == "open" && r.dev == nil:
		if o.Rank < 0 || o.Rank >= len(o.Addrs) || len(o.Addrs) > MaxRanks || o.Bytes < elementBytes || o.Bytes > MaxVector {
			return errors.New("ranks: no such rank or vector")
		}
		if at := o.Addrs[o.Rank].Addr(); r.only.IsValid() && at != r.only {
			return fmt.Errorf("ranks: a device at %v: this rank may have one at %v", at, r.only)
		}
		if r.only.IsValid() && o.Capture != "" {
			return errors.New("ranks: a remote caller cannot capture to a file on this host: leave the capture out")
		}
		r.id, r.n, r.max, r.algo, r.chunk = o.Rank, len(o.Addrs), o.Bytes, o.Algo, o.Chunk
		p.Machine, _ = os.Hostname() // machines without a name count as one
		p.Processors = runtime.GOMAXPROCS(0)
		return r.open(o.Addrs, o.Capture)
	case o.Do == "connect" && r.dev != nil:
		return r.connect(ctx)
	case o.Do == "run" && r.dev != nil:
		return r.run(ctx, o, p)
	case (o.Do == "ping" || o.Do == "stream") && r.dev != nil:
		return r.pair(ctx, o, p)
	}
	return fmt.Errorf("ranks: the order %q is not valid in this state", o.Do)
}

// run measures operations on vectors of one size.
func (r *rank) run(ctx context.Context, o *order, p *reply) (err error) {
	switch {
	case o.Bytes < elementBytes || o.Bytes > r.max:
		return fmt.Errorf("ranks: a vector of %d bytes", o.Bytes)
	case o.check() != nil:
		return o.check()
	}
	if r.plan == nil || r.plan.bytes != o.Bytes {
		if r.plan, err = newPlan(r.algo, r.n, r.id, o.Bytes, r.chunk); err != nil {
			return err
		}
	}
	start := time.Now()
	for i := range o.Iters + o.Warmup {
		if i == o.Warmup {
			start = time.Now()
		}
		if err := ctx.Err(); err != nil { // a rank alone waits for no message
			return err
		}
		if !o.InPlace {
			copy(r.vector.buf[:o.Bytes], r.input)
		}
		if err := r.allReduce(ctx, r.plan); err != nil {
			return err
		}
	}
	p.Time = time.Since(start)
	if o.Check {
		if p.Wrong, err = r.check(ctx, r.plan); err != nil {
			return err
		}
	}
	p.Stats = r.dev.Stats()
	return nil
}

// check returns an error for iterations out of range.
func (o *order) check() error {
	if o.Iters < 0 || o.Iters > maxIters || o.Warmup < 0 || o.Warmup > maxIters {
		return fmt.Errorf("ranks: %d iterations after %d of warm-up: valid are 0 to %d each", o.Iters, o.Warmup, maxIters)
	}
	return nil
}

// value is the element of a rank's input at an index. Sums over all ranks are exact.
func value(rank, i int) float32 { return float32((rank+1)*(i%61) + i%7) }

// check runs one operation with a known result, and counts the wrong elements.
func (r *rank) check(ctx context.Context, p *plan) (wrong int64, err error) {
	le := binary.LittleEndian
	b := r.vector.buf[:p.bytes]
	for i := range p.bytes / elementBytes {
		le.PutUint32(b[i*elementBytes:], math.Float32bits(value(r.id, i)))
	}
	if err := r.allReduce(ctx, p); err != nil {
		return 0, err
	}
	for i := range p.bytes / elementBytes {
		want := float32(0)
		for rank := range r.n {
			want += value(rank, i)
		}
		if math.Float32frombits(le.Uint32(b[i*elementBytes:])) != want {
			wrong++
		}
	}
	clear(b)
	return wrong, nil
}
