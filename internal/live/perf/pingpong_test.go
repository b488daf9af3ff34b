package perf

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/verbs"
)

// The text that ibv_rc_pingpong of rdma-core 44 writes over TCP.
const addressSpoken = "0000:000011:d8ce66:00000000000000000000ffff0a4d0002\x00"

func TestASpotIsReadAndWrittenAsPingPongDoes(t *testing.T) {
	want := QPAddress{EndQP{0x11, 0xd8ce66}, netip.MustParseAddr("10.77.0.2")}
	var got QPAddress
	if err := got.parse(addressSpoken); err != nil || got != want {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
	if s := string(want.text()); s != addressSpoken || len(s) != addressBytes {
		t.Errorf("written as %q, want %q", s, addressSpoken)
	}
}

func FuzzQPAddress(f *testing.F) {
	f.Add(addressSpoken)
	f.Add(":::")
	f.Fuzz(func(t *testing.T, s string) {
		var a, b QPAddress
		if a.parse(s) != nil {
			return
		}
		if err := b.parse(string(a.text())); err != nil || a != b {
			t.Errorf("%+v written and read is %+v, %v", a, b, err)
		}
	})
}

// meetings are the two sides of a meeting on the loopback.
func meetings(t *testing.T) (there, here Meeting) {
	t.Helper()
	port, roce := freePort(t, "tcp"), freePort(t, "udp")
	there = Meeting{Dev: device(t, "127.3.1.1", roce), Port: port}
	return there, Meeting{Dev: device(t, "127.3.1.2", roce), Port: port, Server: "127.3.1.1"}
}

// patiently calls f until the other side listens.
func patiently(f func() error) error {
	for {
		err := f()
		if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, verbs.ErrNoListener) && !errors.Is(err, verbs.ErrNoAnswer) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// toAndFro runs both sides of a pingpong of 50 messages, and returns their results.
func toAndFro(t *testing.T, there, here Meeting, service verbs.QPType, patience time.Duration) (r [2]*PingPongResult, errs [2]error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	run := func(side int, m Meeting) error {
		p := PingPong{Meeting: m, Type: service, Size: 1000, Iters: 50, MTU: 1024, Patience: patience}
		r[side], errs[side] = p.Run(ctx, func(QPAddress, QPAddress) {})
		return errs[side]
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = run(0, there)
	}()
	_ = patiently(func() error { return run(1, here) })
	<-done
	return r, errs
}

func TestMessagesGoToAndFroOverEveryService(t *testing.T) {
	for _, service := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		t.Run(service.String(), func(t *testing.T) {
			there, here := meetings(t)
			both, errs := toAndFro(t, there, here, service, 20*time.Second)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatal(err)
			}
			for _, r := range both {
				if r.Bytes != 2*50*1000 || r.Wrong != 0 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestWhoeverWaitsForAMessageThatIsLostSaysSo(t *testing.T) {
	for _, service := range []verbs.QPType{verbs.UC, verbs.UD} {
		t.Run(service.String(), func(t *testing.T) {
			there, here := meetings(t)
			_ = here.Dev.Close()
			here.Dev = lossyDevice(t, here.Dev.Addr(), 0.1)
			_, errs := toAndFro(t, there, here, service, 200*time.Millisecond)
			for _, err := range errs {
				if err == nil || !strings.Contains(err.Error(), "of 50 has not come within 200ms: it is lost, and "+service.String()) {
					t.Errorf("with every tenth message lost: %v", err)
				}
			}
			if s := here.Dev.Stats(); s.Lost != 1 || s.Repeated != 0 {
				t.Errorf("%d packets were lost and %d sent again, want 1 and none", s.Lost, s.Repeated)
			}
		})
	}
}

// lossyDevice opens a device that drops a share of the arriving packets.
func lossyDevice(t *testing.T, addr netip.AddrPort, share float64) *verbs.Device {
	t.Helper()
	d, err := verbs.Open(verbs.Options{Addr: addr, Lose: share, LoseSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestMessagesThatPingPongDoesNotSendAreDetected(t *testing.T) {
	good := []byte{0, pingFill, pingFill}
	for _, c := range []struct {
		b    []byte
		want bool
	}{
		{good, true},
		{[]byte{pingFill, pingFill, pingFill}, true},
		{[]byte{0, pingFill, 0}, false},
		{[]byte{1, pingFill, pingFill}, false},
		{good[:2], false},
	} {
		if got := served(c.b, 3); got != c.want {
			t.Errorf("%v is accepted: %v, want %v", c.b, got, c.want)
		}
	}
}

func TestTextsGoByReadAndComeBackByWrite(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	there, here := meetings(t)
	var heard, seen []string
	done := make(chan error, 1)
	go func() {
		p := Rping{Meeting: there}
		done <- p.Run(ctx, func(b []byte) { heard = append(heard, string(b)) })
	}()
	err := patiently(func() error {
		p := Rping{Meeting: here, Size: 40, Count: 60}
		return p.Run(ctx, func(b []byte) { seen = append(seen, string(b)) })
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	// The second as rping prints it, at this length.
	if want := "rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ["; len(seen) != 60 || seen[1] != want {
		t.Errorf("%d texts, the second %q; want 60 and %q", len(seen), seen[1], want)
	}
	if fmt.Sprint(heard) != fmt.Sprint(seen) {
		t.Errorf("the server has read\n%s\nand the client has got back\n%s", strings.Join(heard, "\n"), strings.Join(seen, "\n"))
	}
}
