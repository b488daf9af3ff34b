package emulate

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	"weft/internal/base/door"
	"weft/internal/sim/channel"
	"weft/units"
	"weft/wire/mad"
)

// Asking exchanges management datagrams with an emulated InfiniBand fabric at one of its NICs. A fabric answers requests that
// read, and none that changes a setting.
type Asking struct {
	conn   *net.UnixConn
	buffer []byte
}

// Ask attaches to the fabric at a socket, at a NIC by its name; the first NIC if the name is empty.
func Ask(path, nic string) (*Asking, error) {
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	a := &Asking{conn: conn, buffer: make([]byte, channel.MaxMessage)}
	if err := a.greet(nic); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return a, nil
}

// greetWait is the time in which a fabric that runs welcomes a program.
const greetWait = 10 * time.Second

func (a *Asking) greet(nic string) error {
	if err := a.mustTrust(); err != nil {
		return err
	}
	hello, err := channel.Marshal(channel.KindHello, channel.Hello{Version: channel.Version, NIC: nic, Management: true})
	if err != nil {
		return err
	}
	if _, err := a.conn.Write(hello); err != nil {
		return err
	}
	_ = a.conn.SetReadDeadline(time.Now().Add(greetWait))
	n, err := a.conn.Read(a.buffer)
	if err != nil {
		return err
	}
	_ = a.conn.SetReadDeadline(time.Time{})
	var welcome json.RawMessage
	return channel.Unmarshal(a.buffer[:n], channel.KindWelcome, &welcome)
}

// mustTrust refuses a fabric of another user.
func (a *Asking) mustTrust() error {
	raw, err := a.conn.SyscallConn()
	if err != nil {
		return err
	}
	var owner uint32
	var failed error
	if err := raw.Control(func(fd uintptr) { owner, failed = door.Peer(int(fd)) }); err != nil {
		return err
	}
	if failed == nil && !door.OwnOrRoot(owner) {
		failed = fmt.Errorf("%w: its owner is %s, and this is %s", os.ErrPermission, door.Name(owner), door.Name(uint32(os.Geteuid())))
	}
	return failed
}

// Send sends a request to a LID.
func (a *Asking) Send(to units.LID, d *mad.MAD) error {
	ask := channel.Datagram{LID: to, Data: d[:]}
	_, err := a.conn.Write(ask.Append(nil))
	return err
}

// Receive waits for an answer, until the deadline if one is set. A request that nobody answers comes back itself, timed out.
func (a *Asking) Receive() (from units.LID, d mad.MAD, timedOut bool, err error) {
	for {
		n, err := a.conn.Read(a.buffer)
		if err != nil {
			return 0, d, false, err
		}
		var reply channel.Datagram
		if err := reply.Parse(a.buffer[:n]); err != nil {
			return 0, d, false, err
		}
		if d, err = mad.FromBytes(reply.Data); err != nil || reply.More {
			continue // an answer in several pieces: none to a request of subnet management
		}
		return reply.LID, d, reply.Status != 0, nil
	}
}

// SetReceiveDeadline ends Receive at a time, with os.ErrDeadlineExceeded.
func (a *Asking) SetReceiveDeadline(t time.Time) error { return a.conn.SetReadDeadline(t) }

// Close detaches.
func (a *Asking) Close() error { return a.conn.Close() }
