package faulty

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"weft/verbs/internal/socket"
)

// Harm is the probability of each fault, independent for every packet.
type Harm struct {
	Lose, Double, Delay, Damage float64
	// Mark is the probability of a congestion mark, on ECN-capable packets.
	Mark float64
	// Behind is the maximum number of packets that overtake a delayed packet.
	Behind int
}

// Network connects Conns. Any goroutine may use it.
type Network struct {
	mu    sync.Mutex
	dice  *rand.Rand
	harm  Harm
	ports map[netip.AddrPort]*conn
	group map[netip.Addr][]*conn // by multicast group
	// Counters of packets.
	Lost, Doubled, Delayed, Damaged, Marked, Carried int
}

// New creates a network.
func New(seed uint64, h Harm) *Network {
	return &Network{dice: rand.New(rand.NewPCG(seed, 0)), harm: h, ports: map[netip.AddrPort]*conn{}, group: map[netip.Addr][]*conn{}}
}

// Hurt changes the faults from now on.
func (n *Network) Hurt(h Harm) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.harm = h
}

// Heal ends all faults from now on.
func (n *Network) Heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.harm = Harm{}
}

// queued is the number of packets that a connection holds: when it is full further packets are
// lost, as in a socket.
const queued = 4096

type packet struct {
	from netip.AddrPort
	to   netip.AddrPort // a multicast group
	data []byte
	ce   bool
}

type conn struct {
	net   *Network
	local netip.AddrPort
	marks bool // its packets are ECN-capable
	in    []packet
	late  []packet // delayed, with their remaining turns
	turns []int
	given []socket.Incoming
	next  *socket.Forecast
	ready chan struct{} // signals an arrival
	woken chan struct{}
}

// Open creates a connection with an address.
func (n *Network) Open(a netip.AddrPort) socket.Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := &conn{net: n, local: a, ready: make(chan struct{}, 1), woken: make(chan struct{}, 1)}
	n.ports[a] = c
	return c
}

func (c *conn) Local() netip.AddrPort { return c.local }

// Buffer implements socket.Conn: there is no bound in bytes.
func (c *conn) Buffer() int { return 1 << 30 }

// MTU implements socket.Conn: there is no interface.
func (c *conn) MTU() int { return 0 }

// Reach implements socket.Conn.
func (c *conn) Reach(netip.AddrPort) *socket.Way { return nil }

// AllowMarks implements socket.Conn.
func (c *conn) AllowMarks() error {
	c.marks = true
	return nil
}

// Send splits datagrams: on this network the faults hit every packet separately.
func (c *conn) Send(batch []socket.Outgoing) error {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	for i := range batch {
		var all []byte
		for _, part := range batch[i].Parts {
			all = append(all, part...)
		}
		to, group := c.net.receivers(batch[i].To)
		for len(all) > 0 {
			n := min(batch[i].Segment, len(all))
			for _, r := range to {
				c.net.carry(r, packet{from: c.local, to: group, data: all[:n:n]}, c.marks)
			}
			all = all[n:]
		}
	}
	return nil
}

// receivers are the connections of an address: one connection, or the members of a group.
func (n *Network) receivers(a netip.AddrPort) (to []*conn, group netip.AddrPort) {
	if a.Addr().IsMulticast() {
		return n.group[a.Addr()], a
	}
	if c := n.ports[a]; c != nil {
		return []*conn{c}, group
	}
	return nil, group
}

// Join implements socket.Conn.
func (c *conn) Join(group netip.Addr) error {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	c.net.group[group] = append(c.net.group[group], c)
	return nil
}

// Leave implements socket.Conn.
func (c *conn) Leave(group netip.Addr) {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	members := c.net.group[group]
	c.net.group[group] = slices.DeleteFunc(slices.Clone(members), func(m *conn) bool { return m == c })
}

// carry delivers a packet or harms it; it may be marked if marks is set.
func (n *Network) carry(to *conn, p packet, marks bool) {
	n.Carried++
	happens := func(probability float64, count *int) bool {
		if n.dice.Float64() >= probability {
			return false
		}
		*count++
		return true
	}
	if happens(n.harm.Lose, &n.Lost) {
		return
	}
	if happens(n.harm.Damage, &n.Damaged) {
		p.data = append([]byte(nil), p.data...)
		p.data[n.dice.IntN(len(p.data))] ^= 1 << n.dice.IntN(8)
	}
	p.ce = marks && happens(n.harm.Mark, &n.Marked)
	times := 1
	if happens(n.harm.Double, &n.Doubled) {
		times = 2
	}
	for range times {
		if n.harm.Behind > 0 && happens(n.harm.Delay, &n.Delayed) {
			to.late = append(to.late, p)
			to.turns = append(to.turns, 1+n.dice.IntN(n.harm.Behind))
			continue
		}
		to.arrive(p)
	}
	to.age()
}

// age delivers delayed packets when enough others have overtaken them.
func (c *conn) age() {
	kept := 0
	for i := range c.late {
		if c.turns[i]--; c.turns[i] <= 0 {
			c.arrive(c.late[i])
			continue
		}
		c.late[kept], c.turns[kept] = c.late[i], c.turns[i]
		kept++
	}
	c.late, c.turns = c.late[:kept], c.turns[:kept]
}

func (c *conn) arrive(p packet) {
	if len(c.in) == queued {
		c.net.Lost++
		return
	}
	c.in = append(c.in, p)
	notify(c.ready)
}

func notify(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Receive returns the packets that have arrived. Data is a copy, so changes to it do not reach a
// duplicate.
func (c *conn) Receive() ([]socket.Incoming, error) {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	c.given = c.given[:0]
	for _, p := range c.in {
		in := socket.Incoming{From: p.from, To: p.to, Segment: len(p.data), CE: p.ce}
		c.put(&in, p.data)
		c.given = append(c.given, in)
	}
	c.in = c.in[:0]
	return c.given, nil
}

// Places implements socket.Placer.
func (c *conn) Places() bool { return true }

// Expect implements socket.Placer.
func (c *conn) Expect(f *socket.Forecast) { c.next = f }

// put receives a packet as the kernel does: part by part.
func (c *conn) put(in *socket.Incoming, data []byte) {
	in.Data = make([]byte, len(data))
	if c.next == nil {
		copy(in.Data, data)
		return
	}
	buf := make([]byte, 1<<16)
	parts, ok := c.next.Datagram(buf, nil)
	for _, part := range parts {
		data = data[copy(part, data):]
	}
	in.Data = buf[:len(in.Data)]
	if ok {
		c.next.Settle(in)
	}
}

func (c *conn) Wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.ready:
	case <-c.woken:
	case <-timer.C:
	}
}

func (c *conn) Wake() { notify(c.woken) }

func (c *conn) Close() error {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	delete(c.net.ports, c.local)
	return nil
}
