package emulate

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"weft/internal/sim/channel"
	"weft/internal/sim/run/control"
	"weft/units"
	"weft/wire/mad"
)

// asker finds the NIC of a program that exchanges management datagrams: the one that it names, or that has the
// address that it names, or the first.
func (v *server) asker(h *channel.Hello) (int32, error) {
	if err := sameVersion(h); err != nil {
		return -1, err
	}
	if v.welcome.Subnet == nil {
		return -1, errors.New("the fabric is Ethernet, which has no management datagrams: take a fabric of InfiniBand")
	}
	if h.Addr != "" {
		a, err := netip.ParseAddr(h.Addr)
		if err != nil || !a.Is4() {
			return -1, fmt.Errorf("%q is no IPv4 address", h.Addr)
		}
		nic, _, ok := channel.NICOf(a.As4())
		if !ok || int(nic) >= len(v.names) {
			return -1, fmt.Errorf("no NIC of the fabric has the address %v", a)
		}
		return nic, nil
	}
	if nic := slices.Index(v.names, h.NIC); nic >= 0 || h.NIC != "" {
		if nic < 0 {
			return -1, fmt.Errorf("the fabric has no NIC %q: its NICs are %s to %s", h.NIC, v.names[0], v.names[len(v.names)-1])
		}
		return int32(nic), nil
	}
	return 0, nil
}

// manage carries the datagrams that a program has sent. What is not answered comes back with an error, as from the kernel.
func (v *server) manage(s *session) error {
	for {
		n, _, err := unix.Recvfrom(s.fd, v.buffer, unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return os.NewSyscallError("receive", err)
		case n == 0:
			return errLeft
		}
		var ask channel.Datagram
		if err := ask.Parse(v.buffer[:n]); err != nil {
			return err
		}
		d, err := mad.FromBytes(ask.Data)
		if err != nil {
			return fmt.Errorf("%w: %w", channel.ErrMessage, err)
		}
		reply := channel.Datagram{}
		if reply.LID, reply.Data = v.managed(s.asks, ask.LID, &d); reply.Data == nil {
			reply = channel.Datagram{LID: ask.LID, Status: uint32(unix.ETIMEDOUT), Data: d[:]}
		}
		if err := s.reply(&reply); err != nil {
			return err
		}
	}
}

// reply sends an answer. A program that does not read it for longer than a device may be silent is gone.
func (s *session) reply(d *channel.Datagram) error {
	for rest := d.Data; ; {
		n := min(len(rest), channel.MaxDatagram)
		d.Data, d.More = rest[:n], n < len(rest)
		s.turn = d.Append(s.turn[:0])
		err := unix.Sendto(s.fd, s.turn, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, nil)
		if errors.Is(err, unix.EAGAIN) {
			room := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}
			if n, _ := unix.Poll(room, int(patience.Milliseconds())); n > 0 {
				continue
			}
			return errSilent
		}
		if rest = rest[n:]; err != nil || len(rest) == 0 {
			return os.NewSyscallError("send", err)
		}
	}
}

// ask carries a management datagram. The first brings the management up: a fabric without such programs needs none.
func (f *fabric) ask(nic int32, to units.LID, d *mad.MAD) (from units.LID, answer []byte) {
	if f.management == nil {
		m, err := control.NewManagement(f.net.Plan, &f.scenario.Control)
		if err != nil {
			f.tell("no management datagrams: %v", err)
			return 0, nil
		}
		f.management = m
	}
	f.cables()
	return f.management.Ask(nic, to, d)
}

// cables tells the management which cables are in service.
func (f *fabric) cables() {
	plan := f.net.Plan
	if plan.Faults == nil {
		return
	}
	for i := range plan.Faults.Outages {
		o := &plan.Faults.Outages[i]
		f.management.Cut(plan, o.Cable, f.out(o.Cable))
	}
}
