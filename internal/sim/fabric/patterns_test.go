package fabric_test

import (
	"math/rand/v2"

	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// workload is an application that can be loaded onto a network and asked
// whether it has finished.
type workload interface {
	fabric.App
	load(n *fabric.Network) error
	unfinished() int
}

// flows is an application that sends one message on each of its queue pairs.
type flows struct {
	done    []units.Time // by message
	pattern func(*flows, *fabric.Network) error
}

func (f *flows) load(n *fabric.Network) error { return f.pattern(f, n) }

func (f *flows) unfinished() (count int) {
	for _, t := range f.done {
		if t == units.Forever {
			count++
		}
	}
	return count
}

func (f *flows) Complete(p *fabric.Partition, _ int32, c *transport.Completion) {
	if !c.Recv && c.Status == transport.Success {
		f.done[c.ID] = p.Now()
	}
}

func (*flows) Timer(*fabric.Partition, uint32) {}

// send connects two endpoints and posts one message when the run begins.
func (f *flows) send(n *fabric.Network, from, to int32, size uint32) error {
	id := uint64(len(f.done))
	f.done = append(f.done, units.Forever)
	c := fabric.Connection{Entropy: uint32(id)}
	qp, _, err := n.Connect(from, to, c, c)
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, transport.WorkRequest{ID: id, Op: transport.OpWrite, Length: size})
}

// permutation sends from every host to another, as one random cycle.
func permutation(hosts int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		order := rand.New(rand.NewPCG(1, 2)).Perm(hosts)
		for i, from := range order {
			if err := f.send(n, int32(from), int32(order[(i+1)%hosts]), size); err != nil {
				return err
			}
		}
		return nil
	}
}

// shift sends from every host i to host i+by: on InfiniBand's static routes without a
// conflict, all hosts in lockstep.
func shift(hosts, by int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for i := range hosts {
			if err := f.send(n, int32(i), int32((i+by)%hosts), size); err != nil {
				return err
			}
		}
		return nil
	}
}

func incast(fan int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for i := range fan {
			if err := f.send(n, int32(i+1), 0, size); err != nil {
				return err
			}
		}
		return nil
	}
}

func alltoall(hosts int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for d := 1; d < hosts; d++ {
			for i := range hosts {
				if err := f.send(n, int32(i), int32((i+d)%hosts), size); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// ringAllReduce is a ring over all hosts, in their order. A host sends its right
// neighbour the first chunk at once and each further chunk when one has arrived from
// the left, 2(hosts-1) in all.
type ringAllReduce struct {
	hosts  int
	chunk  uint32
	qp     []units.QPN // by host: the queue pair to the right
	posted []int       // by host: chunks
	got    []int
	failed []error // by host
}

func newRing(hosts int, chunk uint32) *ringAllReduce {
	return &ringAllReduce{
		hosts: hosts, chunk: chunk, qp: make([]units.QPN, hosts),
		posted: make([]int, hosts), got: make([]int, hosts), failed: make([]error, hosts),
	}
}

func (r *ringAllReduce) steps() int { return 2 * (r.hosts - 1) }

func (r *ringAllReduce) load(n *fabric.Network) error {
	for host := range r.hosts {
		c := fabric.Connection{Entropy: uint32(host)}
		qp, _, err := n.Connect(int32(host), int32((host+1)%r.hosts), c, c)
		if err != nil {
			return err
		}
		r.qp[host] = qp
	}
	for host := range r.hosts {
		r.post(n.Partition(int32(host)), host)
	}
	return nil
}

func (r *ringAllReduce) post(p *fabric.Partition, host int) {
	if r.posted[host] == r.steps() {
		return
	}
	r.posted[host]++
	wr := transport.WorkRequest{Op: transport.OpSend, Length: r.chunk, Unsignaled: true}
	if err := p.Post(int32(host), r.qp[host], wr); err != nil {
		r.failed[host] = err
	}
}

func (r *ringAllReduce) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if c.Recv {
		r.got[nic]++
		r.post(p, int(nic))
	}
}

func (*ringAllReduce) Timer(*fabric.Partition, uint32) {}

func (r *ringAllReduce) unfinished() (count int) {
	for host, got := range r.got {
		if got != r.steps() || r.failed[host] != nil {
			count++
		}
	}
	return count
}

// rotation is an all-to-all in which a host works through its peers in turn,
// a few messages at a time.
type rotation struct {
	hosts   int
	size    uint32
	atOnce  int
	qp      [][]units.QPN // by host: the queue pairs to its peers
	next    []int         // by host: peers begun
	pending []int         // by host: messages under way
}

func newRotation(hosts int, size uint32, atOnce int) *rotation {
	return &rotation{
		hosts: hosts, size: size, atOnce: atOnce,
		qp: make([][]units.QPN, hosts), next: make([]int, hosts), pending: make([]int, hosts),
	}
}

func (r *rotation) load(n *fabric.Network) error {
	for d := 1; d < r.hosts; d++ {
		for host := range r.hosts {
			c := fabric.Connection{Entropy: uint32(host*r.hosts + d)}
			qp, _, err := n.Connect(int32(host), int32((host+d)%r.hosts), c, c)
			if err != nil {
				return err
			}
			r.qp[host] = append(r.qp[host], qp)
		}
	}
	for host := range r.hosts {
		for range r.atOnce {
			r.post(n.Partition(int32(host)), host)
		}
	}
	return nil
}

func (r *rotation) post(p *fabric.Partition, host int) {
	if r.next[host] == len(r.qp[host]) {
		return
	}
	wr := transport.WorkRequest{Op: transport.OpWrite, Length: r.size}
	if p.Post(int32(host), r.qp[host][r.next[host]], wr) == nil {
		r.next[host]++
		r.pending[host]++
	}
}

func (r *rotation) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if !c.Recv && c.Status == transport.Success {
		r.pending[nic]--
		r.post(p, int(nic))
	}
}

func (*rotation) Timer(*fabric.Partition, uint32) {}

func (r *rotation) unfinished() (count int) {
	for host := range r.hosts {
		count += len(r.qp[host]) - r.next[host] + r.pending[host]
	}
	return count
}
