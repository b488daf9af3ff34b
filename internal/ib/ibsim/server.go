package ibsim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Server lets programs attach to the agents of a subnet.
type Server struct {
	base    string
	own     user // only its programs and root's are answered
	control *net.UnixConn
	wait    sync.WaitGroup
	started time.Time

	mu      sync.Mutex // guards the fields below
	fabric  *sma.Fabric
	names   map[string]subnet.End
	clients map[uint32]*client
	closed  bool
}

// client is an attached program.
type client struct {
	id      uint32
	process uint32
	at      subnet.End
	manager bool // it receives the datagrams to a Subnet Manager at its port
	conn    *net.UnixConn
}

// Listen opens the sockets of a simulator. base is the programs' IBSIM_SOCKNAME, "sim" by
// default. Serve serves them.
func Listen(base string, f *sma.Fabric) (*Server, error) {
	if err := checkPlatform(); err != nil {
		return nil, err
	}
	if len(f.Subnet().Nodes) == 0 {
		return nil, errors.New("the fabric has no nodes, so no program can attach")
	}
	conn, err := net.ListenUnixgram("unixgram", address(base, "ctl"))
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("a simulator named %q runs already; give another name", base)
		}
		return nil, err
	}
	if err := identify(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return &Server{base: base, own: self(), control: conn, started: time.Now(), fabric: f, names: names(f.Subnet()), clients: map[uint32]*client{}}, nil
}

// names is the ports by the names that programs may use: a node's ID, the identifier made of its
// GUID, or its description, in this order. Names are cut to the size of a message. Of several nodes
// with one name, the first counts.
func names(s *subnet.Subnet) map[string]subnet.End {
	all := map[string]subnet.End{}
	for _, most := range []int{math.MaxInt, nodeIDSize - 1} {
		for _, of := range []func(n *subnet.Node) string{
			func(n *subnet.Node) string { return n.ID },
			guidID,
			func(n *subnet.Node) string { return n.Name },
		} {
			for i := range s.Nodes {
				name := of(&s.Nodes[i])
				name = name[:min(len(name), most)]
				if _, taken := all[name]; !taken && name != "" {
					all[name] = subnet.End{Node: int32(i), Port: s.Nodes[i].Base()}
				}
			}
		}
	}
	return all
}

// Serve answers until the context ends, then closes all sockets and returns nil.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, s.close)
	defer stop()
	ended := make(chan struct{})
	s.wait.Go(func() { s.repeatTraps(ended) })
	err := s.serveControl()
	s.close()
	close(ended)
	s.wait.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// repeatTraps sends due traps, again until a manager represses them.
func (s *Server) repeatTraps(ended <-chan struct{}) {
	tick := time.NewTicker(trapTick)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			s.Do(func(*sma.Fabric) {})
		}
	}
}

// setNow sets the agents' time. Callers hold the lock.
func (s *Server) setNow() {
	s.fabric.SetNow(units.Time(time.Since(s.started).Nanoseconds()) * units.Nanosecond)
}

func (s *Server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.control.Close()
	for _, c := range s.clients {
		c.conn.Close()
	}
}

// Do runs a function on the agents under the lock, then carries its traps.
func (s *Server) Do(change func(*sma.Fabric)) {
	s.mu.Lock()
	s.setNow()
	change(s.fabric)
	out := s.traps()
	s.mu.Unlock()
	s.send(out)
}

// outgoing is a datagram for a client.
type outgoing struct {
	to *client
	d  datagram
}

// send sends datagrams to clients. Callers do not hold the lock: a program that does not read must
// not block the others.
func (s *Server) send(all []outgoing) {
	for i := range all {
		o := &all[i]
		_ = o.to.conn.SetWriteDeadline(time.Now().Add(writeWait))
		if _, err := o.to.conn.Write(o.d[:]); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			s.drop(o.to) // it ended without disconnecting
		}
	}
}

// drop forgets a client.
func (s *Server) drop(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropLocked(c)
}

func (s *Server) dropLocked(c *client) {
	if s.clients[c.id] != c {
		return
	}
	delete(s.clients, c.id)
	c.conn.Close()
	if c.manager && s.managerAt(c.at) == nil {
		s.fabric.SetManager(c.at, false)
	}
}

// serveClient carries a client's datagrams.
func (s *Server) serveClient(c *client) {
	defer s.wait.Done()
	defer s.drop(c)
	var buf [2 * datagramSize]byte
	for {
		n, err := readTrusted(c.conn, buf[:], s.own)
		if err != nil {
			if errors.Is(err, syscall.ECONNREFUSED) {
				continue // an earlier datagram to the client failed; reading goes on
			}
			return
		}
		if n != datagramSize {
			continue // not a datagram of the protocol
		}
		s.mu.Lock()
		out := s.carry(c, datagram(buf[:datagramSize]))
		s.mu.Unlock()
		s.send(out)
	}
}

// carry carries a client's datagram to its destination. Callers hold the lock.
func (s *Server) carry(c *client, d datagram) []outgoing {
	p := sma.Packet{DLID: d.dlid(), SLID: d.slid(), MAD: d.mad()}
	asks := !p.MAD.Answers()
	if asks {
		p.MAD.SetTID(p.MAD.TID()&(1<<48-1) | uint64(c.id)<<48)
	}
	s.setNow()
	at, outcome := s.fabric.Carry(c.at, &p)
	to := c
	if outcome == sma.Arrived {
		if to = s.receiver(at, &p.MAD); to == nil {
			outcome = sma.Lost
		}
	}
	var out []outgoing
	switch outcome {
	case sma.Answered:
		out = append(out, wrap(to, &p, mad.Size))
	case sma.Arrived:
		out = append(out, wrap(to, &p, d.length()))
	case sma.Lost:
		if asks {
			d.setStatus(timedOut)
			out = append(out, outgoing{c, d})
		}
	}
	return append(out, s.traps()...)
}

func wrap(to *client, p *sma.Packet, length uint64) outgoing {
	o := outgoing{to: to}
	o.d.setLIDs(p.DLID, p.SLID)
	o.d.setQueuePairs(p.MAD.Class())
	o.d.setMAD(&p.MAD, length)
	return o
}

// receiver is the client at a port that receives a datagram: the asker receives an answer, the
// manager receives subnet management and administration, any client receives the rest.
func (s *Server) receiver(at subnet.End, m *mad.MAD) *client {
	if m.Answers() {
		if c := s.clients[uint32(m.TID()>>48)]; c != nil && s.same(c.at, at) {
			return c
		}
		return nil
	}
	return s.managerAt(at)
}

func (s *Server) managerAt(at subnet.End) *client {
	var first *client
	for _, c := range s.clients {
		if c.manager && s.same(c.at, at) && (first == nil || c.id < first.id) {
			first = c
		}
	}
	return first
}

// same reports whether two ends are one port for programs: all ports of a switch count as its port
// 0.
func (s *Server) same(a, b subnet.End) bool {
	return a == b || a.Node == b.Node && s.fabric.Subnet().Nodes[a.Node].Kind == subnet.Switch
}

// traps carries the waiting traps.
func (s *Server) traps() []outgoing {
	var out []outgoing
	s.setNow()
	for _, t := range s.fabric.Traps() {
		at, outcome := s.fabric.Carry(t.From, &t.Packet)
		if outcome != sma.Arrived {
			continue
		}
		if to := s.managerAt(at); to != nil {
			out = append(out, wrap(to, &t.Packet, mad.Size))
		}
	}
	return out
}
