package proof

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// speedUnit is the unit of speeds: the fastest link times all ends fits into 32 bits.
const speedUnit = 100 * units.Mbps

// speeds are the data rates of a subnet whose cables differ, in speedUnit. A cable whose rate is not known has the rate of
// most cables.
type speeds struct {
	channel []uint32 // by channel; 0: no cable to a switch
	end     []uint32 // by end
	usual   uint32   // of most ends
}

// speedsOf are the speeds of a network, nil if no two cables are known to differ.
func speedsOf(n *network) *speeds {
	v := &speeds{channel: make([]uint32, len(n.to)), end: make([]uint32, len(n.ends))}
	count, ends := map[uint32]int{}, map[uint32]int{}
	for c, to := range n.to {
		if to >= 0 {
			v.channel[c] = speedOf(n.s, n.channelAt(int32(c)))
			count[v.channel[c]]++
		}
	}
	for i := range n.ends {
		if n.ends[i].sw >= 0 {
			v.end[i] = speedOf(n.s, n.ends[i].port)
			count[v.end[i]]++
			ends[v.end[i]]++
		}
	}
	delete(count, 0)
	delete(ends, 0)
	if len(count) < 2 {
		return nil
	}
	most := mostOf(count)
	v.usual = mostOf(ends)
	if v.usual == 0 {
		v.usual = most
	}
	for c, to := range n.to {
		if to >= 0 && v.channel[c] == 0 {
			v.channel[c] = most
		}
	}
	for i := range v.end {
		if v.end[i] == 0 {
			v.end[i] = v.usual
		}
	}
	return v
}

// mostOf is the key with the highest count, the highest of several; 0 if there is none.
func mostOf(count map[uint32]int) (most uint32) {
	for speed, n := range count {
		if n > count[most] || n == count[most] && speed > most {
			most = speed
		}
	}
	return most
}

// speedOf is the rate of a cable, the lower of what its ends say; 0 if neither says one.
func speedOf(s *subnet.Subnet, e subnet.End) uint32 {
	a, b := s.Port(e).Link.Rate(), s.Port(s.Peer(e)).Link.Rate()
	if a == 0 || b > 0 && b < a {
		a = b
	}
	return uint32(a / speedUnit)
}

// scarcest is the channel of a shift with the most data for its rate, and the share of it that each flow gets.
func (p *patterns) scarcest(shift int) (channel int32, share float64) {
	row := p.load[shift*len(p.n.to) : (shift+1)*len(p.n.to)]
	channel, share = -1, 1
	for c, load := range row {
		if load == 0 {
			continue
		}
		if s := min(1, float64(p.speeds.channel[c])/float64(load)); channel < 0 || s < share {
			channel, share = int32(c), s
		}
	}
	return channel, share
}
