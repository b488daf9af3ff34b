package ibsim

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"weft/units"
	"weft/wire/mad"
)

// Client is a program at a port of a simulated fabric.
type Client struct {
	control *net.UnixConn
	data    *net.UnixConn
	id      uint32
	own     user

	// The port's attributes at the time of attachment.
	Node mad.NodeInfo
	Port mad.PortInfo
}

// Datagram is a management datagram with its addresses.
type Datagram struct {
	DLID, SLID units.LID
	MAD        mad.MAD
	TimedOut   bool // no node has answered; the datagram is the request itself
}

// ErrNoServer is the error for a name under which no simulator listens.
var ErrNoServer = errors.New("no simulator runs under this name")

var attached atomic.Uint32

// Dial attaches to the simulator with the name base, at a node: its ID, its description, or H- and
// the 16 digits of its GUID. An empty node is the simulator's default, the first.
func Dial(base, node string) (*Client, error) {
	if err := checkPlatform(); err != nil {
		return nil, err
	}
	// In place of the process ID, as libumad2sim sends, each client of a process sends its own
	// number: the simulator uses it only as a name.
	number := uint32(os.Getpid())&(1<<processBits-1) | attached.Add(1)<<processBits
	data, err := net.ListenUnixgram("unixgram", address(base, "in", number))
	if err != nil {
		return nil, err
	}
	control, err := net.DialUnix("unixgram", address(base, "ctl", number), address(base, "ctl"))
	if err != nil {
		data.Close()
		if errors.Is(err, syscall.ECONNREFUSED) {
			return nil, fmt.Errorf("%w: %q", ErrNoServer, base)
		}
		return nil, err
	}
	c := &Client{control: control, data: data, own: self()}
	if err := errors.Join(identify(control), identify(data)); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.attach(base, node, number); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) attach(base, node string, self uint32) error {
	answer, err := c.ask(connectMessage(self, node))
	if err != nil {
		return fmt.Errorf("the simulator does not attach a program at node %q: %w", node, err)
	}
	c.id = answer.word()
	raw, err := c.data.SyscallConn()
	if err != nil {
		return err
	}
	// The socket was bound before the simulator's socket existed, so it connects now.
	if cerr := raw.Control(func(fd uintptr) {
		err = connectSocket(fd, address(base, "out", c.id).Name)
	}); cerr != nil {
		return cerr
	}
	if err != nil {
		return err
	}
	for _, q := range []struct {
		kind kind
		into mad.Structure
	}{{getNodeInfo, &c.Node}, {getPortInfo, &c.Port}} {
		answer, err := c.ask(newMessage(q.kind, c.id, nil))
		if err != nil {
			return err
		}
		if err := mad.Parse(answer.data(), q.into); err != nil {
			return err
		}
	}
	return nil
}

// errRefused: the simulator refuses a request.
var errRefused = errors.New("the simulator refuses")

// ask sends a control message and waits for the answer to it.
func (c *Client) ask(m message) (message, error) {
	for range connectTries {
		if _, err := c.control.Write(m[:]); err != nil {
			return m, err
		}
		_ = c.control.SetReadDeadline(time.Now().Add(connectWait))
		var buf [2 * messageSize]byte
		n, _, who, err := readFrom(c.control, buf[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		if err == nil {
			err = mustTrust(c.own, who)
		}
		if err != nil {
			return m, err
		}
		answer := message(buf[:messageSize])
		if n != messageSize || !answer.valid() || answer.kind() != m.kind() {
			return m, errRefused
		}
		return answer, nil
	}
	return m, fmt.Errorf("the simulator does not answer within %v", connectTries*connectWait)
}

// BeManager makes the client receive the datagrams to a Subnet Manager at its port.
func (c *Client) BeManager() error {
	_, err := c.ask(newMessage(setManager, c.id, []byte{1, 0, 0, 0}))
	return err
}

// Send sends a datagram. A source of 0 is filled in by the simulator.
func (c *Client) Send(d *Datagram) error {
	var w datagram
	w.setLIDs(d.DLID, d.SLID)
	w.setQueuePairs(d.MAD.Class())
	w.setMAD(&d.MAD, uint64(d.MAD.Length()))
	_ = c.data.SetWriteDeadline(time.Now().Add(writeWait))
	_, err := c.data.Write(w[:])
	return err
}

// Receive waits for a datagram, until the deadline if one is set.
func (c *Client) Receive() (*Datagram, error) {
	var w [2 * datagramSize]byte
	for {
		n, err := readTrusted(c.data, w[:], c.own)
		if err != nil {
			return nil, err
		}
		if n != datagramSize {
			continue // not a datagram of the protocol
		}
		d := datagram(w[:datagramSize])
		return &Datagram{DLID: d.dlid(), SLID: d.slid(), MAD: d.mad(), TimedOut: d.status() != 0}, nil
	}
}

// SetReceiveDeadline ends Receive at a time, with os.ErrDeadlineExceeded.
func (c *Client) SetReceiveDeadline(t time.Time) error { return c.data.SetReadDeadline(t) }

// Close detaches.
func (c *Client) Close() error {
	_, _ = c.ask(newMessage(disconnect, c.id, nil)) // an ended simulator needs no message
	return errors.Join(c.control.Close(), c.data.Close())
}
