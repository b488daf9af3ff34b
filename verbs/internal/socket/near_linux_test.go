package socket

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// callTo is the environment variable that makes the test's program call a name, as the writer of a ring.
const callTo = "WEFT_TEST_CALL"

// listenAt is the one that makes it open a device at an address, say its name, and wait for the end of its input.
const listenAt = "WEFT_TEST_LISTEN"

func TestMain(m *testing.M) {
	if addr := os.Getenv(listenAt); addr != "" {
		c, err := OpenNear(netip.MustParseAddrPort(addr))
		if near, ok := c.(*nearConn); ok {
			fmt.Println(nearName(near.local).Name)
			_, err = io.Copy(io.Discard, os.Stdin)
		}
		if err != nil {
			fmt.Println(err)
		}
		return
	}
	if name := os.Getenv(callTo); name != "" {
		fmt.Println(call(name, hello+"127.0.0.9:4791", ringBytes, sealed))
		return
	}
	os.Exit(m.Run())
}

// call sends a greeting with a memory of a size and with seals to a device, and returns its answer.
func call(name, greeting string, size int64, seals int) error {
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Net: "unixpacket", Name: name})
	if err != nil {
		return err
	}
	defer conn.Close()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, size); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return err
	}
	if _, _, err := conn.WriteMsgUnix([]byte(greeting), unix.UnixRights(fd), nil); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	event, err := receiveFD(conn, nil)
	if err == nil {
		_ = unix.Close(event)
	}
	return err
}

func listening(t *testing.T) *nearConn {
	t.Helper()
	c, err := OpenNear(netip.MustParseAddrPort("127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	near, ok := c.(*nearConn)
	if !ok {
		t.Fatal("the device has no name")
	}
	return near
}

// Any user may call a device by its name; only its own user's memory is taken.
func TestAnotherUserHasNoWayThroughMemory(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("only root can start a program of another user")
		}
		t.Skip("SKIPPED: only root can start a program of another user")
	}
	program := t.TempDir() + "/program"
	text, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	for dir := program; err == nil && dir != "/tmp" && dir != "/"; dir = dir[:max(strings.LastIndex(dir, "/"), 1)] {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := listening(t)
	for uid, taken := range map[uint32]bool{0: true, 65534: false} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, program)
		cmd.Dir = "/"
		cmd.Env = []string{callTo + "=" + nearName(c.local).Name}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)) == "<nil>"; err != nil || got != taken {
			t.Errorf("user %d: %s, %v; want a ring that is taken: %v", uid, out, err, taken)
		}
	}
}

// A device in a user namespace in which its own user has no number sees every other user under the number of its
// own. None of them is taken for it.
func TestAStrangerToANamespaceHasNoWayThroughMemory(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	device := exec.CommandContext(ctx, os.Args[0])
	device.Env = []string{listenAt + "=127.0.9.41:0"}
	device.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	in, err := device.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := device.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := device.Start(); err != nil {
		t.Skipf("SKIPPED: no user namespace on this machine: %v", err)
	}
	defer func() { _, _ = in.Close(), device.Wait() }()
	name, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(name, "@weft-verbs/65534/") {
		t.Fatalf("the device in the namespace says %q, %v", name, err)
	}
	if err := call(strings.TrimSpace(name), hello+"127.0.0.9:4791", ringBytes, sealed); err == nil {
		t.Errorf("user %d of this namespace is taken for the user of %s", os.Getuid(), name)
	}
}

// Another user may take a device's name first. It gets no memory of those who call.
func TestAnotherUserIsGivenNoMemory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can be another user")
	}
	c, at := listening(t), netip.MustParseAddrPort("127.0.9.42:4791")
	name, listens, got := nearName(at), make(chan error), make(chan int)
	go func() {
		runtime.LockOSThread() // its user changes: the thread ends with the goroutine
		const nobody = 65534
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); e != 0 {
			listens <- e
			return
		}
		l, err := net.ListenUnix("unixpacket", name)
		listens <- err
		if err != nil {
			return
		}
		defer l.Close()
		_ = l.SetDeadline(time.Now().Add(30 * time.Second))
		conn, err := l.AcceptUnix()
		if err != nil {
			got <- -1
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		oob := make([]byte, 64)
		_, n, _, _, _ := conn.ReadMsgUnix(make([]byte, 64), oob) //nolint:dogsled // the descriptor alone matters
		got <- n
	}()
	if err := <-listens; err != nil {
		t.Fatal(err)
	}
	if w := c.Reach(at); w != nil {
		t.Error("there is a way to another user")
	}
	if n := <-got; n != 0 {
		t.Errorf("another user has got %d bytes of descriptors", n)
	}
}

// A memory that its sender could make shorter, or of another size, and another greeting are refused.
func TestAWrongGreetingIsRefused(t *testing.T) {
	c := listening(t)
	name := nearName(c.local).Name
	good := hello + "127.0.0.9:4791"
	for _, d := range []struct {
		what, greeting string
		size           int64
		seals          int
		taken          bool
	}{
		{"the greeting", good, ringBytes, sealed, true},
		{"no seals", good, ringBytes, 0, false},
		{"a short memory", good, ringBytes - 4096, sealed, false},
		{"a long memory", good, ringBytes + 4096, sealed, false},
		{"another version", "weft verbs 9 127.0.0.9:4791", ringBytes, sealed, false},
		{"no address", hello + "here", ringBytes, sealed, false},
		{"nothing", " ", ringBytes, sealed, false},
	} {
		if err := call(name, d.greeting, d.size, d.seals); (err == nil) != d.taken {
			t.Errorf("%s: %v", d.what, err)
		}
	}
}

// Whatever the writer of a ring does to its memory, the reader reads only the ring, and does not hang.
func TestAReaderTrustsNoRing(t *testing.T) {
	memory := make([]byte, ringBytes)
	reader, writer := ringOn(memory), ringOn(memory)
	r := rand.New(rand.NewPCG(1, 2))
	part := make([]byte, 3000)
	taken := 0
	for range 200_000 {
		switch r.IntN(4) {
		case 0:
			writer.put(&Outgoing{Segment: 1024, Parts: [][]byte{part[:r.IntN(len(part))]}})
		case 1:
			writer.written.Store(writer.at + uint64(r.IntN(64)) - 32)
		case 2:
			at := ringHeader + r.IntN(ringData)
			for i := range min(16, ringBytes-at) {
				memory[at+i] = byte(r.Uint32())
			}
		}
		var in Incoming
		for n := 0; reader.take(&in); n++ {
			if taken++; n > ringData/entryHead {
				t.Fatal("the reader does not come to an end")
			}
		}
		reader.free()
	}
	if taken < 1000 {
		t.Errorf("%d entries were read: too few to tell", taken)
	}
}

// A ring keeps the order and the bytes of datagrams of all sizes, and refuses what finds no room.
func TestARingKeepsOrderAndBytes(t *testing.T) {
	memory := make([]byte, ringBytes)
	reader, writer := ringOn(memory), ringOn(memory)
	r := rand.New(rand.NewPCG(3, 4))
	var sent [][]byte
	refused := 0
	for i := range 20_000 {
		parts, whole := make([][]byte, 1+r.IntN(4)), []byte(nil)
		for j := range parts {
			parts[j] = make([]byte, r.IntN(1<<r.IntN(15)))
			for k := range parts[j] {
				parts[j][k] = byte(i + j + k)
			}
			whole = append(whole, parts[j]...)
		}
		if writer.put(&Outgoing{Segment: i % 4096, Parts: parts}) {
			sent = append(sent, whole)
		} else {
			refused++
		}
		for n := r.IntN(3) * r.IntN(200); n > 0 && r.IntN(20) == 0; n-- {
			var in Incoming
			if !reader.take(&in) {
				break
			}
			if string(in.Data) != string(sent[0]) {
				t.Fatalf("a datagram of %d bytes came as one of %d, or with other bytes", len(sent[0]), len(in.Data))
			}
			sent = sent[1:]
		}
		reader.free()
	}
	if refused == 0 {
		t.Error("the ring was never full")
	}
}
