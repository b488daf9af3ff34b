package umad

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"weft/units"
	"weft/wire/mad"
)

// Datagram is a management datagram with the LID of its other end.
type Datagram struct {
	LID      units.LID // destination when sent, source when received
	MAD      mad.MAD
	TimedOut bool // no node has answered; the datagram is the request itself
}

// Device is an open umad device: a file whose reads and writes move one frame each.
type Device interface {
	io.ReadWriteCloser
	SetReadDeadline(t time.Time) error
	// Control is ioctl(2): request is its number, and the kernel may change arg.
	Control(request uintptr, arg []byte) error
}

// The numbers of ioctl(2), as _IO and _IOWR make them of the magic number 0x1b.
const (
	enablePKey    = 0x1b<<8 | 3
	registerAgent = 3<<30 | agentSize<<16 | 0x1b<<8 | 4 // IB_USER_MAD_REGISTER_AGENT2
	agentSize     = 40
)

// The offsets in struct ib_user_mad_reg_req2.
const (
	agentID      = 0
	agentQPN     = 4
	agentClass   = 8
	agentVersion = 9
	agentMethods = 16
)

// agent is a class of datagrams that a Subnet Manager receives.
type agent struct {
	class   mad.Class
	qp      uint32
	version byte
	methods []uint8 // of requests by others
}

// readers are the classes of a program that reads a fabric by directed routes: it receives answers, and no requests.
var readers = []agent{{class: mad.SubnDirected, version: 1}}

// agents are the classes of a manager: both kinds of subnet management, and subnet administration (IBA vol. 1, 14.2.3, 15.2.2).
var agents = []agent{
	{mad.SubnLID, 0, 1, []uint8{1, 2, 5, 7}},
	{mad.SubnDirected, 0, 1, []uint8{1, 2, 5, 7}},
	{mad.SubnAdm, 1, 2, []uint8{1, 2, 0x12, 0x13, 0x14, 0x15}},
}

// answerWait is the time in which the kernel waits for an answer, in milliseconds: longer than the manager does, which
// repeats requests itself. The kernel drops answers that come later.
const answerWait = 1000

// maxWaiting bounds the requests without an answer, whose numbers are kept.
const maxWaiting = 1 << 16

// Port sends and receives the datagrams of a Subnet Manager, or of a program that reads a fabric. Send and Receive may run at the same time as SetReceiveDeadline,
// not as each other.
type Port struct {
	device Device
	agent  map[mad.Class]uint32
	number map[uint32]uint64 // of requests under way: the whole number by its lower half
}

// New registers the classes of a manager at a device.
func New(d Device) (*Port, error) { return register(d, agents) }

// NewReader registers a program at a device that asks nodes by directed routes. It does not disturb a manager of this port.
func NewReader(d Device) (*Port, error) { return register(d, readers) }

func register(d Device, classes []agent) (*Port, error) {
	if err := d.Control(enablePKey, nil); err != nil {
		return nil, fmt.Errorf("the device does not take headers with a P_Key index: %w", err)
	}
	p := &Port{device: d, agent: map[mad.Class]uint32{}, number: map[uint32]uint64{}}
	for _, a := range classes {
		var arg [agentSize]byte
		binary.NativeEndian.PutUint32(arg[agentQPN:], a.qp)
		arg[agentClass], arg[agentVersion] = byte(a.class), a.version
		for _, m := range a.methods {
			at := agentMethods + int(m/64)*8
			binary.NativeEndian.PutUint64(arg[at:], binary.NativeEndian.Uint64(arg[at:])|1<<(m%64))
		}
		if err := d.Control(registerAgent, arg[:]); err != nil {
			why := ""
			if len(a.methods) > 0 {
				why = " (another Subnet Manager may hold it)"
			}
			return nil, fmt.Errorf("the device does not register class 0x%02x: %w%s", byte(a.class), err, why)
		}
		p.agent[a.class] = binary.NativeEndian.Uint32(arg[agentID:])
	}
	return p, nil
}

// Send sends a datagram.
func (p *Port) Send(d *Datagram) error {
	id, ok := p.agent[d.MAD.Class()]
	if !ok {
		return fmt.Errorf("class 0x%02x has no agent", byte(d.MAD.Class()))
	}
	if !d.MAD.Answers() {
		if len(p.number) >= maxWaiting {
			return errors.New("too many requests without an answer")
		}
		p.number[uint32(d.MAD.TID())] = d.MAD.TID()
	}
	_, err := p.device.Write(newFrame(id, d.LID, &d.MAD, answerWait)[:])
	return err
}

// Receive waits for a datagram, until the deadline if one is set.
func (p *Port) Receive() (*Datagram, error) {
	for {
		var f frame
		n, err := p.device.Read(f[:])
		if err != nil {
			return nil, err
		}
		if n < frameSize {
			continue // a datagram of another class version
		}
		d := &Datagram{LID: f.from(), MAD: f.mad(), TimedOut: f.status() == timedOut}
		if d.TimedOut || d.MAD.Answers() {
			low := uint32(d.MAD.TID())
			whole, known := p.number[low]
			if !known {
				continue // of a request that was answered before
			}
			delete(p.number, low)
			d.MAD.SetTID(whole)
		}
		return d, nil
	}
}

// SetReceiveDeadline ends Receive at a time, with os.ErrDeadlineExceeded.
func (p *Port) SetReceiveDeadline(t time.Time) error { return p.device.SetReadDeadline(t) }

// Close ends the agents and closes the device.
func (p *Port) Close() error { return p.device.Close() }
