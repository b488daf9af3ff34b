package socket

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Another user who connects to a sharer gets nothing.
func TestAnotherUserGetsNoPartOfAnAddress(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	s, err := Share(netip.MustParseAddrPort("127.0.9.31:0"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name, answer := sharerName(s.Local()), make(chan error)
	go func() {
		runtime.LockOSThread() // its user changes: the thread ends with the goroutine
		const nobody = 65534
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); e != 0 {
			answer <- e
			return
		}
		conn, err := net.DialUnix("unixpacket", nil, name)
		if err != nil {
			answer <- err
			return
		}
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(4 * sharerTime))
		_, err = conn.Read(make([]byte, 8))
		answer <- err
	}()
	if err := <-answer; !errors.Is(err, io.EOF) {
		t.Errorf("another user: %v, want the end of the connection", err)
	}
	c, err := OpenShared(s.Local())
	if err != nil || c == nil {
		t.Fatalf("the user: %v, %v", c, err)
	}
	_ = c.Close()
}

// The numbers and IDs of a part begin with its own number, and the whole address has all.
func TestPartsOfAnAddress(t *testing.T) {
	for part := range Parts {
		first, last := numbers(part)
		p := Port{part: part}
		if part > 0 && (partOf(first) != part || partOf(last) != part || p.PartID(0)>>26 != uint32(part) || p.PartID(1<<32-1)>>26 != uint32(part)) {
			t.Errorf("part %d: numbers %#x to %#x, IDs %#x to %#x", part, first, last, p.PartID(0), p.PartID(1<<32-1))
		}
	}
	if p := (Port{}); p.PartID(0xdeadbeef) != 0xdeadbeef {
		t.Error("an ID of an address of one device is changed")
	}
}
