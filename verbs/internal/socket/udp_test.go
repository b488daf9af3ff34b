package socket

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, addr string) Conn {
	t.Helper()
	c, err := OpenUDP(netip.MustParseAddrPort(addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// receive waits until want bytes have come, and returns their segments.
func receive(t *testing.T, c Conn, want int) (segments [][]byte) {
	t.Helper()
	got := 0
	for end := time.Now().Add(10 * time.Second); got < want && time.Now().Before(end); {
		c.Wait(time.Second)
		in, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range in {
			for rest := m.Data; len(rest) > 0; {
				n := min(m.Segment, len(rest))
				segments = append(segments, bytes.Clone(rest[:n]))
				rest = rest[n:]
				got += n
			}
		}
	}
	return segments
}

func TestASegmentedDatagramArrivesAsTheSegmentsItWasMadeOf(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(addr, func(t *testing.T) {
			from, to := open(t, addr), open(t, addr)
			const segment, packets, rest = 4112, 14, 100
			all := make([]byte, segment*packets+rest)
			for i := range all {
				all[i] = byte(i % 251)
			}
			// The parts do not match the segments, and a small datagram precedes them.
			err := from.Send([]Outgoing{
				{To: to.Local(), Segment: 20, Packets: 1, Parts: [][]byte{all[:12], all[12:20]}},
				{To: to.Local(), Segment: segment, Packets: packets + 1, Parts: [][]byte{all[:5], all[5:9000], all[9000:]}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := receive(t, to, len(all)+20)
			if len(got) != packets+2 {
				t.Fatalf("%d segments arrived, %d were sent", len(got), packets+2)
			}
			if !bytes.Equal(got[0], all[:20]) || !bytes.Equal(bytes.Join(got[1:], nil), all) {
				t.Error("other bytes arrived")
			}
			for i, s := range got[1:] {
				if want := min(segment, len(all)-i*segment); len(s) != want {
					t.Errorf("segment %d has %d bytes, want %d", i, len(s), want)
				}
			}
		})
	}
}

func TestWakeEndsAWait(t *testing.T) {
	c := open(t, "127.0.0.1:0")
	start := time.Now()
	go c.Wake()
	c.Wait(30 * time.Second)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it waited %v", took)
	}
}

func TestAnAddressThatPacketsCannotGoOutWithIsRefused(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "224.0.0.1:0", "[ff02::1]:0", "192.0.2.1:0"} {
		if c, err := OpenUDP(netip.MustParseAddrPort(addr)); err == nil {
			_ = c.Close()
			t.Errorf("%s was opened", addr)
		}
	}
}

func TestTwoDevicesHaveTwoAddresses(t *testing.T) {
	first := open(t, "127.0.0.1:0")
	c, err := OpenUDP(first.Local())
	if err == nil {
		_ = c.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "an address of its own") {
		t.Errorf("a second device at %v: %v, want an error that asks for another address", first.Local(), err)
	}
}
