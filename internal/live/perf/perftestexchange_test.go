package perf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weft/verbs"
)

// The keys of a queue pair as ib_read_bw 6.06 wrote them over TCP.
const spoken = "0000:0080:000012:24ff2f:00000362:00007ffb39f60000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:\x00"

func TestKeysAreReadAsPerftestWritesThem(t *testing.T) {
	want := keys{
		Reads: 0x80, EndQP: EndQP{0x12, 0x24ff2f}, RKey: 0x362, VAddr: 0x7ffb39f60000, Addr: netip.MustParseAddr("10.77.0.2"),
	}
	var k keys
	if err := k.parseText(spoken); err != nil || k != want {
		t.Errorf("read %+v, %v; want %+v", k, err, want)
	}
	if got := string(want.asText()); got != spoken || len(got) != textKeysBytes {
		t.Errorf("written as %q, want %q", got, spoken)
	}
	var plain keys
	b := want.plain()
	if len(b) != plainKeysBytes {
		t.Errorf("%d bytes over RDMA, want %d", len(b), plainKeysBytes)
	}
	if plain.parsePlain(b); plain != want {
		t.Errorf("over RDMA read %+v, want %+v", plain, want)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add(spoken)
	f.Add(strings.Repeat(":", textKeysBytes))
	f.Fuzz(func(t *testing.T, s string) {
		var k, again keys
		if k.parseText(s) != nil {
			return
		}
		if err := again.parseText(string(k.asText())); err != nil || again != k {
			t.Errorf("%+v written and read is %+v, %v", k, again, err)
		}
	})
}

// freePort is a free port of TCP or UDP: several runs of the tests may be active at once.
func freePort(t *testing.T, network string) uint16 {
	t.Helper()
	var at net.Addr
	if network == "tcp" {
		l, err := net.Listen(network, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		at = l.Addr()
	} else {
		c, err := net.ListenPacket(network, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		at = c.LocalAddr()
	}
	return netip.MustParseAddrPort(at.String()).Port()
}

// device opens a device on the loopback.
func device(t *testing.T, addr string, port uint16) *verbs.Device {
	t.Helper()
	d, err := verbs.Open(verbs.Options{Addr: netip.AddrPortFrom(netip.MustParseAddr(addr), port)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// againstItself runs both sides of a test of perftest, and returns their results.
func againstItself(t *testing.T, order Test, managed bool) (client, server *Result) {
	t.Helper()
	return bothSides(t, order, order, managed)
}

// bothSides is againstItself with orders that may offer different options.
func bothSides(t *testing.T, asked, served Test, managed bool) (client, server *Result) {
	t.Helper()
	meet, roce := freePort(t, "tcp"), freePort(t, "udp")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	there := Perftest{Meeting{Dev: device(t, "127.3.0.1", roce), Port: meet}, managed}
	here := Perftest{Meeting{Dev: device(t, "127.3.0.2", roce), Port: meet, Server: "127.3.0.1"}, managed}
	type outcome struct {
		r   *Result
		err error
	}
	done := make(chan outcome, 1)
	none := func(*Test, *End, *End) {}
	go func() {
		r, err := there.Run(ctx, served, none)
		done <- outcome{r, err}
	}()
	var r *Result
	err := patiently(func() (err error) {
		r, err = here.Run(ctx, asked, none)
		return err
	})
	o := <-done
	if err := errors.Join(err, o.err); err != nil {
		t.Fatal(err)
	}
	return r, o.r
}

func TestEveryTestOfPerftestRunsInBothRoles(t *testing.T) {
	for _, managed := range []bool{false, true} {
		for _, verb := range []Verb{Write, Read, Send, Atomic} {
			for _, kind := range []Kind{Bandwidth, Latency} {
				t.Run(fmt.Sprintf("%s-%s, connection manager %v", verb, kind, managed), func(t *testing.T) {
					order := Test{Verb: verb, Kind: kind, Size: 8, Iters: 20, QPs: 1, MTU: 4096, Depth: 4, List: 1}
					if kind == Bandwidth {
						order.QPs = 3
					}
					client, server := againstItself(t, order, managed)
					if client.Compared || server.Compared {
						t.Error("the result says that the data was compared, which perftest never does")
					}
					if kind == Latency {
						if client.Typical <= 0 {
							t.Errorf("the client has measured %+v", client)
						}
						return
					}
					if client.Average <= 0 || client.Test.Iters != 60 {
						t.Errorf("the client has measured %+v", client)
					}
					if verb == Send {
						return // the server measures on its own
					}
					if d := server.Average/client.Average - 1; d > 1e-9 || d < -1e-9 {
						t.Errorf("the server received %g B/s as the result, the client measured %g", server.Average, client.Average)
					}
				})
			}
		}
	}
}

func TestSelectiveRepeatIsWhatBothSidesOfferAndGoBackNOtherwise(t *testing.T) {
	for _, offers := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		t.Run(fmt.Sprint(offers), func(t *testing.T) {
			asked := Test{Verb: Write, Kind: Bandwidth, Size: 8, Iters: 20, QPs: 3, MTU: 4096, Depth: 4, List: 1}
			served := asked
			asked.Selective, served.Selective = offers[0], offers[1]
			client, server := bothSides(t, asked, served, true)
			if agreed := offers[0] && offers[1]; client.Selective != agreed || server.Selective != agreed {
				t.Errorf("used by the client %v, by the server %v", client.Selective, server.Selective)
			}
		})
	}
}

// parted is a channel whose connection ends while a message is sent; the answer may have come
// before.
type parted struct {
	sent, come error
	answer     byte
}

func (c parted) send([]byte) error { return c.sent }

func (c parted) receive(b []byte) error {
	for i := range b {
		b[i] = c.answer
	}
	return c.come
}

func (parted) gone() {}

// The last acknowledgement of the farewell is lost. The other side has received the message and
// answered, and disconnects. The message is flushed, but counts as received.
func TestAnAnswerSaysThatTheMessageWasHeard(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		over parted
		want error
	}{
		{parted{answer: 7}, nil},
		{parted{sent: verbs.WRFlushErr, answer: 7}, nil},
		{parted{sent: verbs.WRFlushErr, come: verbs.WRFlushErr}, verbs.WRFlushErr},
		{parted{sent: verbs.RetryExcErr, answer: 7}, verbs.RetryExcErr},
		{parted{sent: broken, answer: 7}, broken},
		{parted{come: broken}, broken},
	} {
		p := party{over: c.over}
		if theirs, err := p.swap([]byte{1, 2}); !errors.Is(err, c.want) || err == nil && string(theirs) != "\a\a" {
			t.Errorf("%+v: %q, %v; want %v", c.over, theirs, err, c.want)
		}
	}
}
