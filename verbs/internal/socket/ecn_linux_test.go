package socket

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// arrivingECN is the ECN field of a packet received by a plain socket.
func arrivingECN(t *testing.T, allow bool, addr string) byte {
	t.Helper()
	from, to := open(t, addr), open(t, addr)
	if allow {
		if err := from.AllowMarks(); err != nil {
			t.Fatal(err)
		}
	}
	if err := from.Send([]Outgoing{{To: to.Local(), Segment: 4, Packets: 1, Parts: [][]byte{{1, 2, 3, 4}}}}); err != nil {
		t.Fatal(err)
	}
	u, ok := to.(*udpConn)
	if !ok {
		t.Fatalf("%T is no socket", to)
	}
	var data, control [128]byte
	_, n, _, _, err := unix.Recvmsg(u.fd, data[:], control[:], 0)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_TOS:
			return m.Data[0] & 3
		case m.Header.Level == unix.IPPROTO_IPV6 && m.Header.Type == unix.IPV6_TCLASS:
			return byte(binary.NativeEndian.Uint32(m.Data) & 3)
		}
	}
	t.Fatal("the socket shows no ECN field")
	return 0
}

func TestPacketsAreECNCapableWhereMarksAreAllowed(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		if got := arrivingECN(t, false, addr); got != 0 {
			t.Errorf("%s: the ECN field is %d, want 0, not capable", addr, got)
		}
		if got := arrivingECN(t, true, addr); got != 2 {
			t.Errorf("%s: the ECN field is %d, want 2, capable", addr, got)
		}
	}
}
