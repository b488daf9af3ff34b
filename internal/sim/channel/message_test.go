package channel_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"weft/internal/sim/channel"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// TestMessagesComeBack writes each message and reads it.
func TestMessagesComeBack(t *testing.T) {
	packet := channel.Packet{From: [4]byte{127, 1, 0, 1}, To: [4]byte{127, 1, 1, 2}, Mark: true, Data: []byte("sixteen bytes 16")}
	turn := channel.Turn{More: true, Down: true, Now: 12_345_678_901_234, Room: 8}
	answer := channel.Answer{More: true, Offer: true, Hungry: true, Deadline: units.Forever, Repeated: 7, Counters: transport.Counters{OutOfSequence: 1, Atomics: 1 << 40}}
	var gotTurn channel.Turn
	rest, err := gotTurn.Parse(packet.Append(turn.Append(nil)))
	if err != nil || gotTurn != turn {
		t.Errorf("got %+v, %v; want %+v", gotTurn, err, turn)
	}
	var got channel.Packet
	if rest, err = got.Parse(rest); err != nil || len(rest) > 0 || got.From != packet.From || got.To != packet.To || !got.Mark || !bytes.Equal(got.Data, packet.Data) {
		t.Errorf("got %+v and %d bytes, %v; want %+v", got, len(rest), err, packet)
	}
	var gotAnswer channel.Answer
	if rest, err = gotAnswer.Parse(answer.Append(nil)); err != nil || len(rest) > 0 || gotAnswer != answer {
		t.Errorf("got %+v, %v; want %+v", gotAnswer, err, answer)
	}
	if group, err := channel.Group(channel.AppendGroup(nil, channel.KindJoin, [4]byte{239, 1, 2, 3})); err != nil || group != [4]byte{239, 1, 2, 3} {
		t.Errorf("got %v, %v; want 239.1.2.3", group, err)
	}
	hello := channel.Hello{Version: 1, NIC: "node0/nic0"}
	text, err := channel.Marshal(channel.KindHello, hello)
	if err != nil {
		t.Fatal(err)
	}
	var gotHello channel.Hello
	if err := channel.Unmarshal(text, channel.KindHello, &gotHello); err != nil || gotHello != hello {
		t.Errorf("got %+v, %v; want %+v", gotHello, err, hello)
	}
}

// TestATruncatedMessageIsAnError cuts each message at every length.
func TestATruncatedMessageIsAnError(t *testing.T) {
	packet := channel.Packet{Data: []byte("data")}
	for _, c := range []struct {
		whole []byte
		parse func([]byte) ([]byte, error)
	}{
		{(&channel.Turn{}).Append(nil), new(channel.Turn).Parse},
		{(&channel.Answer{}).Append(nil), new(channel.Answer).Parse},
		{packet.Append(nil), new(channel.Packet).Parse},
		{channel.AppendGroup(nil, channel.KindLeave, [4]byte{}), func(b []byte) ([]byte, error) { _, err := channel.Group(b); return nil, err }},
	} {
		for n := range c.whole {
			if _, err := c.parse(c.whole[:n]); !errors.Is(err, channel.ErrMessage) {
				t.Errorf("%d of %d bytes: %v, want %v", n, len(c.whole), err, channel.ErrMessage)
			}
		}
	}
	var refused channel.Welcome
	if err := channel.Unmarshal(append([]byte{byte(channel.KindRefused)}, "no room"...), channel.KindWelcome, &refused); err == nil || err.Error() != "no room" {
		t.Errorf("a refusal gives %v, want its reason", err)
	}
}

// TestTelemetryComesBack writes packets with what a fabric tells of their way.
func TestTelemetryComesBack(t *testing.T) {
	for _, seen := range []*cc.Seen{
		{Sent: 7, Hops: 3},
		{Sent: 1 << 50, Hops: 2, Path: &cc.Path{N: 2, Hop: [cc.MaxHops]cc.Hop{{At: 1, Sent: 2, Queue: 3, Rate: 4}, {At: 5, Sent: 6, Queue: 7, Rate: 8}}}},
		{Path: &cc.Path{}},
	} {
		p := channel.Packet{Seen: seen, Data: []byte("data")}
		b := p.Append(nil)
		if len(b) != p.Bytes() {
			t.Errorf("%d bytes, want %d", len(b), p.Bytes())
		}
		var got channel.Packet
		if rest, err := got.Parse(b); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, p) {
			t.Errorf("got %+v and %d bytes, %v; want %+v", got, len(rest), err, p)
		}
		for n := range b {
			if _, err := got.Parse(b[:n]); !errors.Is(err, channel.ErrMessage) {
				t.Errorf("%d of %d bytes: %v, want %v", n, len(b), err, channel.ErrMessage)
			}
		}
	}
}

// TestACongestionControlComesBackWithItsParameters sends each through its text.
func TestACongestionControlComesBackWithItsParameters(t *testing.T) {
	for _, of := range cc.All() {
		values := cc.Values{}
		for _, p := range of.Parameters {
			values[p.Name] = p.Default
		}
		sent, err := channel.NewControl(of, cc.Link{Rate: 400 * units.Gbps, Packet: 4096}, values)
		if err != nil {
			t.Fatal(err)
		}
		text, err := channel.Marshal(channel.KindWelcome, channel.Welcome{QueuePairs: channel.QueuePairs{Control: sent}})
		if err != nil {
			t.Fatal(err)
		}
		var got channel.Welcome
		if err := channel.Unmarshal(text, channel.KindWelcome, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.QueuePairs.Control, sent) {
			t.Errorf("%s: got %+v, want %+v", of.Name, got.QueuePairs.Control, sent)
		}
	}
	if _, err := (&channel.Control{Name: "none such"}).Algorithms(); !errors.Is(err, channel.ErrMessage) {
		t.Errorf("an unknown congestion control: %v", err)
	}
}

// cmd/libweft/libibumad is C, and has these numbers once more.
func TestTheLibraryInCSpeaksThisVersion(t *testing.T) {
	text, err := os.ReadFile("../../../cmd/libweft/libibumad/umad.h")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("enum { weft_channel_version = %d, weft_datagram = %d, weft_most = %d };", channel.Version, channel.KindDatagram, channel.MaxMessage)
	if !strings.Contains(string(text), want) {
		t.Errorf("umad.h has no %q", want)
	}
}

func TestADatagramComesBackAsItWas(t *testing.T) {
	for _, d := range []channel.Datagram{
		{LID: 0xffff, Data: make([]byte, 256)},
		{More: true, LID: 7, Data: []byte{1, 2, 3}},
		{LID: 1, Status: 110, Data: []byte{}},
	} {
		b := d.Append(nil)
		var got channel.Datagram
		if err := got.Parse(b); err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%+v is %+v, %v", d, got, err)
		}
		for n := range len(b) - len(d.Data) {
			if err := got.Parse(b[:n]); !errors.Is(err, channel.ErrMessage) {
				t.Errorf("%d of %d bytes: %v", n, len(b), err)
			}
		}
	}
}
