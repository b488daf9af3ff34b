package emulate

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/sim/channel"
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// session is a device, as the fabric sees it.
type session struct {
	fd       int
	since    time.Time // of the connection
	nic      int32     // -1 before its hello, and if it is no device
	asks     int32     // the NIC of a program that exchanges management datagrams; -1: it does not
	addr     [4]byte
	deadline units.Time
	inbox    []channel.Packet
	turn     []byte             // memory of a message
	woken    bool               // it wants a turn
	hungry   bool               // it has requests that found no room
	asked    bool               // its answer to a turn is missing
	late     bool               // the fabric does not wait for it
	down     bool               // its NIC has no cable in service
	told     transport.Counters // of its queue pairs, with the last answer
	counted  transport.Counters // of them, at the NIC
	groups   map[[4]byte]bool
	gone     error // why it has left

	counts Device
}

// device is what the fabric has counted of the device.
func (s *session) device(nic string) Device {
	s.counts.Addr, s.counts.NIC = netip.AddrFrom4(s.addr).String(), nic
	return s.counts
}

// sent counts a packet of the device, received one for it.
func (s *session) sent(p *channel.Packet, now units.Time) {
	c := &s.counts
	c.PacketsSent++
	c.BytesSent += int64(len(p.Data))
	if len(p.Data) > 0 && wire.Opcode(p.Data[0]) == wire.CNP {
		c.CNPs++
	}
	c.seen(now)
}

func (s *session) received(p *channel.Packet, now units.Time) {
	c := &s.counts
	c.PacketsReceived++
	c.BytesReceived += int64(len(p.Data))
	if p.Mark {
		c.Marked++
	}
	c.seen(now)
}

// seen is the time of a packet.
func (d *Device) seen(now units.Time) {
	if d.First == 0 {
		d.First = now
	}
	d.Last = now
}

// due reports whether the device needs a turn now. room is that of its NIC.
func (s *session) due(now units.Time, room int) bool {
	return !s.asked && s.nic >= 0 && (s.woken || len(s.inbox) > 0 || s.deadline <= now || s.hungry && room > 0)
}

// deliver keeps a packet for the next turn.
func (s *session) deliver(p *channel.Packet, now units.Time) {
	if len(s.inbox) >= maxInbox {
		s.counts.Lost++
		return
	}
	s.inbox = append(s.inbox, *p)
	s.received(p, now)
}

// give gives the device a turn.
func (s *session) give(now units.Time, room int) {
	t := channel.Turn{Now: now, Room: uint16(room), Down: s.down}
	s.woken, s.asked = false, true
	for rest := s.inbox; ; {
		n := channel.Fit(rest)
		t.More = n < len(rest)
		s.turn = t.Append(s.turn[:0])
		for i := range n {
			s.turn = rest[i].Append(s.turn)
		}
		if err := unix.Sendto(s.fd, s.turn, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, nil); err != nil {
			s.gone = os.NewSyscallError("send", err)
			break
		}
		if !t.More {
			break
		}
		rest = rest[n:]
	}
	clear(s.inbox)
	s.inbox = s.inbox[:0]
}

// take reads messages that have arrived. It passes the packets of an answer or of an offer to send.
func (s *session) take(buffer []byte, send func(*channel.Packet)) {
	for heard := 0; s.gone == nil && heard < maxHeard; heard++ {
		n, _, err := unix.Recvfrom(s.fd, buffer, unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			s.gone = os.NewSyscallError("receive", err)
			return
		case n == 0:
			s.gone = errLeft
			return
		}
		s.gone = s.message(buffer[:n], send)
	}
}

// errLeft is the usual end of a device: its program has closed it, or has ended.
var errLeft = errors.New("its program has closed it or has ended")

// errSilent is the end of a connection that says nothing.
var errSilent = errors.New("it did not say what it wants")

// message handles a message after the hello.
func (s *session) message(b []byte, send func(*channel.Packet)) error {
	switch channel.Kind(b[0]) {
	case channel.KindWake:
		s.woken = true
	case channel.KindAnswer:
		return s.answer(b, send)
	case channel.KindJoin, channel.KindLeave:
		group, err := channel.Group(b)
		if err != nil {
			return err
		}
		delete(s.groups, group)
		if channel.Kind(b[0]) == channel.KindJoin && len(s.groups) < maxGroups {
			s.groups[group] = true
		}
	default:
		return channel.ErrMessage
	}
	return nil
}

// answer handles a message of an answer or of an offer.
func (s *session) answer(b []byte, send func(*channel.Packet)) error {
	var a channel.Answer
	packets, err := a.Parse(b)
	if err != nil {
		return err
	}
	if !a.Offer && !s.asked {
		return channel.ErrMessage
	}
	s.deadline, s.hungry, s.counts.Repeated = a.Deadline, a.Hungry, int64(a.Repeated)
	s.told = a.Counters
	if !a.Offer && !a.More {
		s.asked, s.late = false, false
	}
	for len(packets) > 0 {
		var p channel.Packet
		if packets, err = p.Parse(packets); err != nil {
			return err
		}
		if n := len(p.Data); n < wire.BTHBytes+wire.ICRCBytes || n > maxPacket || !wire.Opcode(p.Data[0]).Valid() {
			return fmt.Errorf("%w: a packet of %d bytes that is none of RoCE", channel.ErrMessage, n)
		}
		p.From = s.addr
		send(&p)
	}
	return nil
}
