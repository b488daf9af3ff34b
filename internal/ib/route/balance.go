package route

import (
	"math/bits"

	"weft/internal/base/cores"
	"weft/internal/ib/subnet"
)

// portChoice fills in, for a switch, the ports that a path to each other switch may take.
type portChoice func(from int32, ports []subnet.PortMask)

// balance fills the forwarding tables. Each switch goes through all targets. Of the ports that
// choose allows, a target gets the first port with the fewest targets so far. With an LMC above 0
// the first LIDs of all targets come first, then the second LIDs, and so on; the LIDs of a target
// get different paths (see lmcBalancer, also for dor).
func (j *job) balance(choose portChoice, dor bool) {
	targets := j.targets()
	widest := 1
	for i := range targets {
		widest = max(widest, targets[i].width)
	}
	cores.EachOwning(len(j.sw), j.cores, func() func(int) {
		ports := make([]subnet.PortMask, len(j.sw))
		used := make([][]neighbourUse, len(targets))
		return func(i int) {
			choose(int32(i), ports)
			b := balancer{from: int32(i), ports: ports, lft: j.tab.LFT[i], slow: j.slow[j.base[i]:j.base[i+1]], mixed: j.mixed}
			if widest == 1 {
				b.route(targets)
				return
			}
			m := lmcBalancer{balancer: b, all: j.sw, dor: dor, used: used}
			m.route(targets, widest)
		}
	})
}

// balancer gives the ports of one switch to targets.
type balancer struct {
	from  int32
	ports []subnet.PortMask // by switch: ports that a path to it may take
	lft   []uint8
	paths [256]int32 // counted targets so far, by port, each with the weight of a path
	slow  []int64    // by port: the weight of a path
	mixed bool       // not all of them are 1
}

// route gives a port to each target. Targets on one switch follow each other and may take the same
// ports, so they are handled together.
func (b *balancer) route(targets []target) {
	for len(targets) > 0 {
		t := &targets[0]
		n := 1
		for n < len(targets) && targets[n].sw == t.sw && targets[n].counted == t.counted {
			n++
		}
		switch {
		case t.sw < 0:
		case t.sw == b.from:
			b.local(targets[:n])
		case t.counted:
			b.share(targets[:n], b.ports[t.sw])
		default:
			if port, ok := b.leastUsed(b.ports[t.sw]); ok {
				for i := range n {
					b.lft[targets[i].lid] = port
				}
			}
		}
		targets = targets[n:]
	}
}

// local routes to targets on the switch itself.
func (b *balancer) local(targets []target) {
	for _, t := range targets {
		b.lft[t.lid] = t.port
		if t.counted {
			b.count(t.port)
		}
	}
}

// share gives each target in turn the first port with the fewest targets. It works by level: all
// ports with the fewest targets get one target each before any other port can be next.
func (b *balancer) share(targets []target, allowed subnet.PortMask) {
	var list [256]uint8
	ports := allowed.Ports(list[:0])
	if len(ports) == 0 {
		return
	}
	for b.mixed && len(targets) > 0 {
		p, _ := b.leastUsed(allowed)
		b.lft[targets[0].lid] = p
		b.count(p)
		targets = targets[1:]
	}
	for len(targets) > 0 {
		level := b.paths[ports[0]]
		for _, p := range ports[1:] {
			level = min(level, b.paths[p])
		}
		for _, p := range ports {
			if b.paths[p] != level || len(targets) == 0 {
				continue
			}
			b.lft[targets[0].lid] = p
			b.count(p)
			targets = targets[1:]
		}
	}
}

// count adds a target to a port.
func (b *balancer) count(port uint8) { b.paths[port] += int32(b.slow[port]) }

// after is the count of a port with one more target.
func (b *balancer) after(port uint8) int32 { return b.paths[port] + int32(b.slow[port]) }

// leastUsed is the first of the ports with the fewest targets.
func (b *balancer) leastUsed(allowed subnet.PortMask) (port uint8, ok bool) {
	for w, word := range allowed {
		for ; word != 0; word &= word - 1 {
			p := uint8(w<<6 + bits.TrailingZeros64(word))
			if !ok || b.after(p) < b.after(port) {
				port, ok = p, true
			}
		}
	}
	return port, ok
}
