package perf

import (
	"io"
	"net"
	"time"
)

// stream measures the same transfer over the TCP connection of the exchange. The kernel's own flow
// control takes the place of the depth.
func stream(c net.Conn, in io.Reader, t *Test, r *Result) error {
	buf := pattern(t.Size)
	if t.Kind == Latency {
		trips := make([]time.Duration, t.Iters)
		for i := -t.Warmup; i < t.Iters; i++ {
			start := time.Now()
			if _, err := c.Write(buf); err != nil {
				return err
			}
			if _, err := io.ReadFull(in, buf); err != nil {
				return err
			}
			if i >= 0 {
				trips[i] = time.Since(start)
			}
		}
		r.latency(trips, 2)
		return nil
	}
	start := time.Now()
	for i := -t.Warmup; i < t.Iters; i++ {
		if i == 0 {
			start = time.Now()
		}
		if _, err := c.Write(buf); err != nil {
			return err
		}
	}
	// The receiver reports that it has all bytes.
	var done [1]byte
	if _, err := io.ReadFull(in, done[:]); err != nil {
		return err
	}
	r.Elapsed = time.Since(start)
	r.Average = float64(t.Iters) * float64(t.Size) / r.Elapsed.Seconds()
	r.MessageRate = float64(t.Iters) / r.Elapsed.Seconds()
	return nil
}

// drain is the other side of stream. It returns the contents of the last message.
func drain(c net.Conn, in io.Reader, t *Test) ([]byte, error) {
	buf := make([]byte, t.Size)
	for range t.Iters + t.Warmup {
		if _, err := io.ReadFull(in, buf); err != nil {
			return nil, err
		}
		if t.Kind == Latency {
			if _, err := c.Write(buf); err != nil {
				return nil, err
			}
		}
	}
	if t.Kind == Bandwidth {
		if _, err := c.Write([]byte{1}); err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// pattern is a message of n bytes.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}
