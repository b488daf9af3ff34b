package emulate_test

import (
	"errors"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/live/emulate"
	"weft/internal/sim/channel"
	"weft/units"
	"weft/verbs"
)

// TestADeviceOffersPacketsWhileItHasRoom plays the fabric: after a turn with room for one packet, the device sends
// the first message that its program posts at once, and asks for a turn for the second.
func TestADeviceOffersPacketsWhileItHasRoom(t *testing.T) {
	f := listen(t)
	welcomed := make(chan bool)
	go func() {
		f.welcome(t)
		close(welcomed)
	}()
	s := datagrams(t, f.path, "")
	<-welcomed
	ah, err := s.pd.CreateAH(netip.MustParseAddrPort("127.1.1.1:4791"))
	if err != nil {
		t.Fatal(err)
	}
	f.send(t, (&channel.Turn{Now: 5 * units.Microsecond, Room: 1}).Append(nil))
	if a, packets := f.answer(t); a.Offer || len(packets) > 0 {
		t.Fatalf("the answer to a turn is %+v with %d bytes of packets, want none and no offer", a, len(packets))
	}
	for range 2 {
		if err := s.qp.PostSend(verbs.SendWR{Opcode: verbs.Send, SGL: []verbs.SGE{s.mr.SGE(0, 64)}, AH: ah, DestQPN: 17, QKey: 17}); err != nil {
			t.Fatal(err)
		}
	}
	if a, packets := f.answer(t); !a.Offer || len(packets) == 0 {
		t.Errorf("behind the first message comes %+v with %d bytes of packets, want an offer", a, len(packets))
	}
	if b := f.read(t); channel.Kind(b[0]) != channel.KindWake {
		t.Errorf("behind the second message comes kind %d, want %d: there is no room", b[0], channel.KindWake)
	}
}

// TestTheClockGoesOnBetweenTurns reads the clock of a device without work: a hundredth of the machine's time passes,
// and the fabric's own clock is not behind.
func TestTheClockGoesOnBetweenTurns(t *testing.T) {
	socket, end := start(t, oneSwitch, emulate.Options{Dilation: 100})
	dev := open(t, socket, "node0/nic0", 64).dev
	read := func() units.Time {
		if err := dev.Sync(); err != nil {
			t.Fatal(err)
		}
		return dev.Clock()
	}
	time.Sleep(20 * time.Millisecond) // until the fabric sleeps, too
	begun, first := time.Now(), read()
	time.Sleep(50 * time.Millisecond)
	last := read()
	passed := units.Time(time.Since(begun)) * units.Nanosecond / 100
	if last-first < 400*units.Microsecond || last-first > passed+20*units.Microsecond {
		t.Errorf("%v passed by the device's clock, %v by the machine's", last-first, passed)
	}
	if r := end(); r.Simulated < last {
		t.Errorf("the fabric ended at %v, and a device had seen %v", r.Simulated, last)
	}
}

// player is a test in the place of a fabric.
type player struct {
	path       string
	door, conn int
	buffer     []byte
}

func listen(t *testing.T) *player {
	t.Helper()
	p := &player{path: filepath.Join(t.TempDir(), "fabric"), buffer: make([]byte, channel.MaxMessage)}
	var err error
	if p.door, err = unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0); err != nil {
		t.Fatal(err)
	}
	p.conn = p.door // until a device comes
	t.Cleanup(func() { _, _ = unix.Close(p.conn), unix.Close(p.door) })
	if err = unix.Bind(p.door, &unix.SockaddrUnix{Name: p.path}); err == nil {
		err = unix.Listen(p.door, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// welcome takes a device, with a clock that stands at 0. An error ends the test when the device has none.
func (p *player) welcome(t *testing.T) {
	var err error
	if p.conn, _, err = unix.Accept(p.door); err != nil {
		t.Error(err)
		return
	}
	memory, err := unix.MemfdCreate("clock", unix.MFD_CLOEXEC)
	if err != nil {
		t.Error(err)
		return
	}
	defer unix.Close(memory)
	text, err := channel.Marshal(channel.KindWelcome, channel.Welcome{Addr: "127.1.0.1", NIC: "node0/nic0", PathMTU: 4096})
	if err = errors.Join(err, unix.Ftruncate(memory, channel.DialBytes)); err == nil {
		err = unix.Sendmsg(p.conn, text, unix.UnixRights(memory), nil, 0)
	}
	if err != nil {
		t.Error(err)
	}
}

func (p *player) send(t *testing.T, b []byte) {
	t.Helper()
	if err := unix.Sendto(p.conn, b, 0, nil); err != nil {
		t.Fatal(err)
	}
}

func (p *player) read(t *testing.T) []byte {
	t.Helper()
	n, _, err := unix.Recvfrom(p.conn, p.buffer, 0)
	if err != nil || n == 0 {
		t.Fatal("the device is gone:", err)
	}
	return p.buffer[:n]
}

// answer reads the next answer or offer, behind the hello and what asks for the first turn.
func (p *player) answer(t *testing.T) (a channel.Answer, packets []byte) {
	t.Helper()
	b := p.read(t)
	for channel.Kind(b[0]) != channel.KindAnswer {
		b = p.read(t)
	}
	packets, err := a.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return a, packets
}
