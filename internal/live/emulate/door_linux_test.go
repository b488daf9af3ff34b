package emulate_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/live/emulate"
	"weft/internal/sim/channel"
	"weft/internal/test/simtest"
	"weft/units"
	"weft/verbs"
	"weft/wire"
)

// TestTheDoorRefusesWithAReason asks for devices that the fabric does not have.
func TestTheDoorRefusesWithAReason(t *testing.T) {
	socket, _ := start(t, oneSwitch, emulate.Options{})
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v, %v; want 600", info.Mode(), err)
	}
	first := open(t, socket, "node0/nic0", 64)
	at := func(a string) verbs.Options {
		return verbs.Options{Emulator: socket, Addr: netip.AddrPortFrom(netip.MustParseAddr(a), 0)}
	}
	for _, c := range []struct {
		o    verbs.Options
		want string
	}{
		{verbs.Options{Emulator: socket, NIC: "node9/nic0"}, `no NIC "node9/nic0"`},
		{at("127.1.4.1"), "no NIC of the fabric has the address 127.1.4.1"},
		{at("127.0.0.1"), "node0/nic0 has 127.1.0.1 to 127.1.0.254"},
		{at("192.0.2.1"), "no NIC of the fabric"},
		{at("::1"), "no IPv4 address"},
		{at(first.dev.Addr().Addr().String()), "has the address 127.1.0.1 already"},
		{verbs.Options{Emulator: socket + "-not"}, "no such file"},
	} {
		if d, err := verbs.Open(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, %v; want %q", c.o, d, err, c.want)
		}
	}
	second, err := verbs.Open(at("127.1.0.77"))
	if err != nil {
		t.Fatal("a second program on a NIC:", err)
	}
	_ = second.Close()
}

// TestASocketThatIsTakenIsNotTakenAgain tells a fabric that runs from one that was killed.
func TestASocketThatIsTakenIsNotTakenAgain(t *testing.T) {
	taken, _ := start(t, oneSwitch, emulate.Options{})
	dead := filepath.Join(t.TempDir(), "fabric")
	l, err := net.Listen("unixpacket", dead)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close()
	for socket, want := range map[string]string{taken: "address already in use", dead: "is left of a fabric that has ended: remove it"} {
		if _, err := emulate.Run(t.Context(), simtest.Resolve(t, oneSwitch), emulate.Options{Socket: socket}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a second fabric: %v, want %q", err, want)
		}
	}
}

// TestAnotherUserIsRefused connects as nobody to a socket that everybody may open.
func TestAnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to become another user")
	}
	socket, _ := start(t, oneSwitch, emulate.Options{})
	for dir := socket; dir != "/tmp" && dir != "/"; dir = dir[:strings.LastIndex(dir, "/")] {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(socket+"-program", program, 0o755); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), socket+"-program", "-test.run", "^TestOpenAsAnother$")
	cmd.Env = append(os.Environ(), "WEFT_TEST_SOCKET="+socket)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "refused: ") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOpenAsAnother is the other user's side.
func TestOpenAsAnother(t *testing.T) {
	socket := os.Getenv("WEFT_TEST_SOCKET")
	if socket == "" {
		t.Skip("only for TestAnotherUserIsRefused")
	}
	if d, err := verbs.Open(verbs.Options{Emulator: socket}); err == nil {
		_ = d.Close()
		t.Error("another user has a device")
	} else {
		fmt.Println("refused:", err)
	}
}

// TestAProgramThatDiesLeaves ends a device in the middle of a peer's WRITEs: they end with an error, and its
// address is free again.
func TestAProgramThatDiesLeaves(t *testing.T) {
	told := &telling{}
	socket, _ := start(t, oneSwitch, emulate.Options{Tell: told.tell(t)})
	a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node1/nic0", 1<<16)
	for _, p := range [][2]*side{{a, b}, {b, a}} {
		err := p[0].qp.ConnectWith(&verbs.QPAttr{
			Access: verbs.AccessRemoteWrite, PathMTU: 4096, Dest: p[1].dev.Addr(), DestQPN: p[1].qp.QPN(),
			MaxRdAtomic: 1, MaxDestRdAtomic: 1, Timeout: 8, RetryCnt: 1, RNRRetry: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = b.dev.Close()
	told.await(t, "127.1.1.1 left")
	a.write(t, b)
	if wc := a.completion(t); wc.Status != verbs.RetryExcErr {
		t.Errorf("a WRITE to a program that has died: %v, want %v", wc.Status, verbs.RetryExcErr)
	}
	if again := open(t, socket, "node1/nic0", 64); again.dev.Addr() != b.dev.Addr() {
		t.Errorf("the next program has %v, want %v", again.dev.Addr(), b.dev.Addr())
	}
}

// TestTheEndOfTheFabricEndsAllWork ends the fabric while a receive is posted and a WRITE is under way.
func TestTheEndOfTheFabricEndsAllWork(t *testing.T) {
	commands, told := make(chan string), &telling{}
	socket, end := start(t, oneSwitch, emulate.Options{Commands: commands, Tell: told.tell(t)})
	a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node1/nic0", 1<<16)
	connect(t, a, b)
	commands <- "down node1/nic0"
	told.await(t, "is down")
	if err := b.qp.PostRecv(verbs.RecvWR{SGL: []verbs.SGE{b.mr.SGE(0, 64)}}); err != nil {
		t.Fatal(err)
	}
	a.write(t, b)
	end()
	for _, s := range []*side{a, b} {
		if wc := s.completion(t); wc.Status != verbs.WRFlushErr {
			t.Errorf("after the end of the fabric: %v, want %v", wc.Status, verbs.WRFlushErr)
		}
		if err := s.dev.Close(); err == nil || !strings.Contains(err.Error(), "has ended") {
			t.Errorf("closing gives %v, want that the fabric has ended", err)
		}
	}
}

// TestASilentDeviceDoesNotHoldTheClock connects a process that takes an address and answers no turn.
func TestASilentDeviceDoesNotHoldTheClock(t *testing.T) {
	told := &telling{}
	socket, end := start(t, oneSwitch, emulate.Options{Tell: told.tell(t)})
	fd := raw(t, socket)
	told.await(t, "127.1.1.1 joined")
	a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node2/nic0", 1<<16)
	if _, err := unix.Write(fd, []byte{6}); err != nil { // it wants a turn
		t.Fatal(err)
	}
	connect(t, a, b)
	begun := time.Now()
	a.write(t, b)
	if wc := a.completion(t); wc.Status != verbs.Success {
		t.Errorf("beside a silent device: %v", wc.Status)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the WRITE took %v", took)
	}
	if r := end(); r.Late != 1 {
		t.Errorf("%d turns without an answer, want 1", r.Late)
	}
}

// raw is the connection of a device at node1/nic0 that nobody serves.
func raw(t *testing.T, socket string) (fd int) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(fd, fmt.Appendf(nil, "\x01{\"Version\":%d,\"NIC\":\"node1/nic0\"}", channel.Version)); err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestAProgramThatIgnoresItsRoomLosesPackets offers 40,000 packets at once, of a NIC that needs 0.13 ms of the machine for each: the
// fabric keeps a bounded number of them, and serves others.
func TestAProgramThatIgnoresItsRoomLosesPackets(t *testing.T) {
	told := &telling{}
	socket, end := start(t, strings.ReplaceAll(oneSwitch, "roce-v2-400g", "roce-v2-25g"), emulate.Options{Tell: told.tell(t), Dilation: 100})
	fd := raw(t, socket)
	told.await(t, "127.1.1.1 joined")
	const messages, packets = 2000, 20
	data := make([]byte, 4096)
	data[0] = byte(wire.RCSendMiddle)
	offer := (&channel.Answer{Offer: true, Deadline: units.Forever}).Append(nil)
	for range packets {
		offer = (&channel.Packet{To: [4]byte{127, 1, 2, 1}, Data: data}).Append(offer)
	}
	for range messages {
		if err := unix.Sendto(fd, offer, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	a, b := open(t, socket, "node0/nic0", 64), open(t, socket, "node3/nic0", 64)
	connect(t, a, b)
	a.write(t, b)
	if wc := a.completion(t); wc.Status != verbs.Success {
		t.Errorf("beside it, a WRITE ended with %v", wc.Status)
	}
	for _, d := range end().Devices {
		if d.NIC == "node1/nic0" && (d.Lost < messages*packets/2 || d.Lost == messages*packets || d.PacketsSent != messages*packets) {
			t.Errorf("%+v; want %d packets, and most of them lost", d, messages*packets)
		}
	}
}

// TestAFabricWithoutAProcessorRepeatsNothing stops the fabric's process for 0.3 s while a WRITE with a timeout of
// 67 ms is on its way to it.
func TestAFabricWithoutAProcessorRepeatsNothing(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestAFabricInItsOwnProcess$", "-test.v")
	cmd.Env = append(os.Environ(), "WEFT_TEST_FABRIC="+dir+"/fabric")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(dir + "/ready"); err == nil {
			break
		}
	}
	a, b := open(t, dir+"/fabric", "node0/nic0", 64), open(t, dir+"/fabric", "node1/nic0", 64)
	for _, p := range [][2]*side{{a, b}, {b, a}} {
		err := p[0].qp.ConnectWith(&verbs.QPAttr{
			Access: verbs.AccessRemoteWrite, PathMTU: 4096, Dest: p[1].dev.Addr(), DestQPN: p[1].qp.QPN(),
			MaxRdAtomic: 1, MaxDestRdAtomic: 1, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		time.Sleep(20 * time.Millisecond) // until the fabric sleeps
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		a.write(t, b)
		time.AfterFunc(300*time.Millisecond, func() { _ = cmd.Process.Signal(syscall.SIGCONT) })
		if wc := a.completion(t); wc.Status != verbs.Success {
			t.Errorf("the WRITE ended with %v", wc.Status)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "repeated: 0\n") {
		t.Errorf("%v: want that no packet was repeated:\n%s", err, &out)
	}
}

// TestAFabricInItsOwnProcess is the fabric of another test, until its input ends.
func TestAFabricInItsOwnProcess(t *testing.T) {
	socket := os.Getenv("WEFT_TEST_FABRIC")
	if socket == "" {
		t.Skip("only for TestAFabricWithoutAProcessorRepeatsNothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	r, err := emulate.Run(ctx, simtest.Resolve(t, oneSwitch), emulate.Options{
		Socket: socket, Dilation: 1, Ready: func([]emulate.NIC) { _ = os.WriteFile(filepath.Join(filepath.Dir(socket), "ready"), nil, 0o600) },
	})
	if err != nil {
		t.Fatal(err)
	}
	repeated := int64(0)
	for _, d := range r.Devices {
		repeated += d.Repeated
	}
	fmt.Printf("repeated: %d\n", repeated)
}
