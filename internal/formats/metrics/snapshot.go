package metrics

import (
	"cmp"
	"fmt"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/run/measure"
	"weft/results"
	"weft/units"
)

// Port is the counters of a port of a NIC, under the names of its host.
type Port struct {
	Fabric, Protocol         string // empty for a live device
	Instance, Device, Netdev string
	Number                   int
	State                    int // 1: down, 4: active
	Rate                     units.Rate
	Sent, Received           int64 // bytes
	DiscardsSent             int64
	DiscardsTaken            int64
	CreditWait               units.Time
	Paused                   [8]units.Time
	Counts                   counts.Port // pauses by priority
	Live                     bool        // a device of sockets, which counts less
	GUID                     string      // of a switch of InfiniBand
	Queues                   [8]Queue    // of a switch of Ethernet, by priority
}

// Queue is the traffic class of a priority at a port of a switch.
type Queue struct{ Bytes, Drops, Peak int64 }

// GPU is the traffic of a GPU in its host, in bytes per second.
type GPU struct {
	Fabric, Host   string
	Index          int
	Sent, Received float64
}

// Collective is a size that was simulated.
type Collective struct {
	Fabric, Host, Name, Algorithm string
	Ranks, Nodes                  int
	Bytes                         int64
	BusBW                         float64
}

// Snapshot is what is counted at one time.
type Snapshot struct {
	Ports       []Port // of NICs
	Switches    []Port
	GPUs        []GPU
	Collectives []Collective
	Simulated   map[string]units.Time // by fabric; nil for a device
	Events      int64
	Done, Total int
}

// Add adds the counters of a fabric.
func (s *Snapshot) Add(c *measure.Counters) {
	if s.Simulated == nil {
		s.Simulated = make(map[string]units.Time)
	}
	s.Simulated[c.Fabric] = c.Simulated
	hosts := hostsOf(c.Nodes)
	gpus := make(map[int32]*GPU)
	for i := range c.Links {
		l := &c.Links[i]
		node := &c.Nodes[l.From]
		h := hosts[l.From]
		switch node.Kind {
		case fabric.KindNIC:
			s.Ports = append(s.Ports, portOf(c, l, h))
		case fabric.KindSwitch:
			s.Switches = append(s.Switches, switchPortOf(c, l))
		case fabric.KindGPU:
			g := gpus[l.From]
			if g == nil {
				g = &GPU{Fabric: c.Fabric, Host: h.name, Index: h.index}
				gpus[l.From] = g
			}
			if sec := c.Simulated.Seconds(); sec > 0 {
				g.Sent += float64(bytesOf(c, l.Link)) / sec
				g.Received += float64(bytesOf(c, l.Back)) / sec
			}
		}
	}
	for _, g := range gpus {
		s.GPUs = append(s.GPUs, *g)
	}
	sorting.Func(s.GPUs, func(a, b GPU) int {
		return cmp.Or(cmp.Compare(a.Fabric, b.Fabric), cmp.Compare(len(a.Host), len(b.Host)), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Index, b.Index))
	})
}

// host is the name of a node's host and its number among the host's nodes of the same kind.
type host struct {
	name  string
	index int
}

func hostsOf(nodes []results.SeriesNode) []host {
	hosts := make([]host, len(nodes))
	seen := make(map[string]int)
	for i := range nodes {
		name, _, _ := strings.Cut(nodes[i].Name, "/")
		at := name + "/" + nodes[i].Kind
		hosts[i] = host{name, seen[at]}
		seen[at]++
	}
	return hosts
}

func bytesOf(c *measure.Counters, link int32) (sum int64) {
	for class := range c.Classes {
		sum += c.Lanes[int(link)*c.Classes+class].Bytes
	}
	return sum
}

// switchPortOf is the port of a switch at the sending end of a link.
func switchPortOf(c *measure.Counters, l *results.SeriesLink) Port {
	p := portOf(c, l, host{c.Nodes[l.From].Name, 0})
	p.Device = c.SwitchPort(l.From, l.FromPort)
	if c.Credited(l.Link) {
		p.GUID = fmt.Sprintf("0x%016x", uint64(c.SwitchGUID(l.From)))
	}
	for class := range c.Classes {
		if priority := c.Lane(l.Link, int32(class)); priority < int32(len(p.Queues)) {
			lane, q := &c.Lanes[int(l.Link)*c.Classes+class], &p.Queues[priority]
			q.Bytes += lane.Bytes
			q.Drops += int64(lane.Drops)
			q.Peak = max(q.Peak, int64(lane.Peak))
		}
	}
	return p
}

// portOf is the port at the sending end of a link.
func portOf(c *measure.Counters, l *results.SeriesLink, h host) Port {
	p := Port{
		Fabric: c.Fabric, Protocol: c.Protocol, Instance: h.name, Device: fmt.Sprintf("mlx5_%d", h.index), Netdev: fmt.Sprintf("eth%d", h.index),
		Number: int(l.FromPort), State: 4, Rate: units.Rate(l.RateBps), Sent: bytesOf(c, l.Link), Received: bytesOf(c, l.Back),
	}
	counts := c.Ports[l.Link]
	if counts != nil {
		p.Counts = *counts
		p.Counts.PausesSent, p.Counts.PausesTaken = [8]int64{}, [8]int64{}
	}
	for class := range c.Classes {
		lane := &c.Lanes[int(l.Link)*c.Classes+class]
		p.DiscardsSent += int64(lane.Drops)
		p.DiscardsTaken += int64(lane.Refused)
		priority := c.Lane(l.Link, int32(class))
		switch {
		case c.Credited(l.Link):
			p.CreditWait += lane.Stopped
		case priority < int32(len(p.Paused)):
			p.Paused[priority] += lane.Stopped
			if counts != nil && class < len(counts.PausesSent) {
				p.Counts.PausesSent[priority] += counts.PausesSent[class]
				p.Counts.PausesTaken[priority] += counts.PausesTaken[class]
			}
		}
	}
	return p
}
