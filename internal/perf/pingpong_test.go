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

// What ibv_rc_pingpong of rdma-core 44 writes over TCP.
const spotSpoken = "0000:000011:d8ce66:00000000000000000000ffff0a4d0002\x00"

func TestASpotIsReadAndWrittenAsPingPongDoes(t *testing.T) {
	want := Spot{EndQP{0x11, 0xd8ce66}, netip.MustParseAddr("10.77.0.2")}
	var got Spot
	if err := got.parse(spotSpoken); err != nil || got != want {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
	if s := string(want.text()); s != spotSpoken || len(s) != spotBytes {
		t.Errorf("written as %q, want %q", s, spotSpoken)
	}
}

func FuzzSpot(f *testing.F) {
	f.Add(spotSpoken)
	f.Add(":::")
	f.Fuzz(func(t *testing.T, s string) {
		var a, b Spot
		if a.parse(s) != nil {
			return
		}
		if err := b.parse(string(a.text())); err != nil || a != b {
			t.Errorf("%+v written and read is %+v, %v", a, b, err)
		}
	})
}

// meetings are the two sides of a meeting on the loopback.
func meetings(t *testing.T, port uint16) (there, here Meeting) {
	t.Helper()
	const roce = 47932
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

func TestMessagesGoToAndFroOverEveryService(t *testing.T) {
	for _, service := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		t.Run(service.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			there, here := meetings(t, 18600)
			none := func(Spot, Spot) {}
			run := func(m Meeting) (*PingPongResult, error) {
				p := PingPong{Meeting: m, Type: service, Size: 1000, Iters: 50, MTU: 1024}
				return p.Run(ctx, none)
			}
			type outcome struct {
				r   *PingPongResult
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				r, err := run(there)
				done <- outcome{r, err}
			}()
			var r *PingPongResult
			err := patiently(func() (err error) {
				r, err = run(here)
				return err
			})
			o := <-done
			if err := errors.Join(err, o.err); err != nil {
				t.Fatal(err)
			}
			for _, r := range []*PingPongResult{r, o.r} {
				if r.Bytes != 2*50*1000 || r.Wrong != 0 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestWhatPingPongDoesNotSendIsSeen(t *testing.T) {
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
			t.Errorf("%v is taken for good: %v, want %v", c.b, got, c.want)
		}
	}
}

func TestTextsGoByReadAndComeBackByWrite(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	there, here := meetings(t, 18601)
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
