package verbs

import (
	"fmt"
	"io"
	"net"
	"testing"
)

// BenchmarkWrite measures WRITEs over the loopback between two devices of this process, with
// perftest's window of outstanding requests. The receiving device has its own goroutine for all its
// work.
func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{8, 4096, 64 << 10, 1 << 20} {
		for way, socketOnly := range map[string]bool{"udp": true, "memory": false} {
			b.Run(fmt.Sprint(way, "/", size), func(b *testing.B) {
				p := newPair(b, Options{SocketOnly: socketOnly}, QPInitAttr{}, size)
				from, to := p.on[0], p.on[1]
				b.SetBytes(int64(size))
				wr := SendWR{Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{from.mr.SGE(0, size)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()}
				var wc [64]WC
				b.ReportAllocs()
				b.ResetTimer()
				for posted, done := 0, 0; done < b.N; {
					for posted < b.N && posted-done < 64 {
						if err := from.qp.PostSend(wr); err != nil {
							b.Fatal(err)
						}
						posted++
					}
					n, err := from.cq.Poll(wc[:])
					if err != nil {
						b.Fatal(err)
					}
					for _, c := range wc[:n] {
						if c.Status != Success {
							b.Fatal(c.Status)
						}
					}
					done += n
				}
				b.StopTimer()
				s := to.dev.Stats()
				b.ReportMetric(float64(b.N*size)*8/b.Elapsed().Seconds()/1e9, "Gb/s")
				if s.BytesReceived < int64(b.N*size) {
					b.Fatalf("%d bytes arrived by the socket, %d were written", s.BytesReceived, b.N*size)
				}
				b.ReportMetric(float64(s.PacketsReceived)/float64(s.DatagramsReceived), "packets/datagram")
				b.ReportMetric(float64(from.dev.Stats().Repeated), "repeated")
			})
		}
	}
}

// BenchmarkTCP sends the same bytes over kernel TCP, in messages of the same size.
func BenchmarkTCP(b *testing.B) {
	const size = 1 << 20
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	done := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			buf := make([]byte, size)
			for err == nil {
				_, err = io.ReadFull(c, buf)
			}
		}
		done <- err
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	buf := make([]byte, size)
	b.ResetTimer()
	for range b.N {
		if _, err := c.Write(buf); err != nil {
			b.Fatal(err)
		}
	}
	_ = c.Close()
	<-done
	b.ReportMetric(float64(b.N*size)*8/b.Elapsed().Seconds()/1e9, "Gb/s")
}

// BenchmarkWriteLatency measures one way of 8 bytes, as ib_write_lat does: half of the time in
// which both ends have written to each other's memory. Two processes have a core each; here both
// ends take turns on one.
func BenchmarkWriteLatency(b *testing.B) {
	p := newPair(b, Options{}, QPInitAttr{SignalAll: true}, 64)
	x, y := p.on[0], p.on[1]
	var wc [16]WC
	turn := func(from, to *side, n byte) {
		wr := SendWR{Opcode: RDMAWrite, Flags: SendInline, Inline: []byte{n, 0, 0, 0, 0, 0, 0, n}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()}
		if err := from.qp.PostSend(wr); err != nil {
			b.Fatal(err)
		}
		for to.buf[7] != n {
			to.dev.Progress()
		}
		if _, err := from.cq.Poll(wc[:]); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for i := range b.N {
		turn(x, y, byte(i+1))
		turn(y, x, byte(i+1))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/2, "us/way")
}
