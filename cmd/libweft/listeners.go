//go:build cgo && linux

package main

import (
	stdcontext "context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"weft/internal/base/door"
	"weft/verbs"
)

// A device without an address of its own takes the first free one of the loopback. Where another program has 127.0.0.1,
// a server is not there, though its clients ask there. So each listener has a name in its network namespace: an
// abstract Unix socket, which ends with its process. It tells the service, the device's address, the user, and
// whether the address is merely the first free one. A client that asks at 127.0.0.1 goes to a listener there, or else to the user's
// own one whose address nobody has chosen.

// localhost is where programs ask for a server on their own machine.
var localhost = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// hasNames reports whether listeners have names: an emulated fabric's addresses are the fabric's.
func hasNames(a netip.Addr) bool { return a.Unmap().IsLoopback() && os.Getenv("WEFT_EMULATOR") == "" }

// serviceOf names a port. Ports of UD, and of each port space of RC, are different services.
func serviceOf(of verbs.QPType, space verbs.PortSpace, port uint16) string {
	if of == verbs.UD {
		return fmt.Sprintf("ud/%d", port)
	}
	return fmt.Sprintf("rc%d/%d", space, port)
}

const namePrefix = "@weft-listener/"

// named gives a listener its name until the result is closed; nil if it has none.
func (d *device) named(service string) *net.UnixListener {
	a := d.Addr().Addr().Unmap()
	if !hasNames(a) {
		return nil
	}
	way := "chosen"
	if d.firstFree {
		way = "first-free"
	}
	l, err := net.ListenUnix("unixpacket", unixName(fmt.Sprintf("%s%s/%v/%d/%s", namePrefix, service, a, os.Getuid(), way)))
	if err != nil { // another device has the name, at another UDP port, or the machine has no more descriptors
		return nil
	}
	go func() { // who connects wants to know the user
		for {
			c, err := door.Next(l.Accept)
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l
}

func unixName(name string) *net.UnixAddr { return &net.UnixAddr{Net: "unixpacket", Name: name} }

// where is the address of the listener to a service for which a client asks at an address. It waits for the listener
// until a time.
func where(ctx stdcontext.Context, to netip.Addr, service string, until time.Time) netip.Addr {
	if to.Unmap() != localhost || !hasNames(to) {
		return to
	}
	for {
		names, err := os.ReadFile("/proc/net/unix")
		if err != nil {
			return to
		}
		if at := listenerIn(string(names), service); at.IsValid() {
			return at
		}
		if !time.Now().Before(until) || ctx.Err() != nil {
			return to
		}
		time.Sleep(notYet / 50)
	}
}

// listenerIn is the address of the listener to a service that a client at localhost reaches, by the kernel's list of Unix sockets.
func listenerIn(names string, service string) (at netip.Addr) {
	for line := range strings.Lines(names) {
		_, name, found := strings.Cut(strings.TrimSpace(line), namePrefix+service+"/")
		part := strings.Split(name, "/")
		if !found || len(part) != 3 {
			continue
		}
		a, err := netip.ParseAddr(part[0])
		switch {
		case err != nil:
		case a == localhost:
			return a
		case part[1] != fmt.Sprint(os.Getuid()) || part[2] != "first-free" || at.IsValid() && !a.Less(at):
		case own(namePrefix + service + "/" + name):
			at = a
		}
	}
	return at
}

// own reports whether the process that has a name belongs to the same user.
func own(name string) bool {
	c, err := net.DialUnix("unixpacket", nil, unixName(name))
	if err != nil {
		return false
	}
	defer c.Close()
	return door.OwnAt(c)
}
