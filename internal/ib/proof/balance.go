package proof

import (
	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// Balance is the number of paths between ends on each directed cable between switches,
// when each end sends to each LID of each other end.
type Balance struct {
	Cables int     `json:"directed_cables"` // directed cables between switches
	Idle   int     `json:"idle"`            // cables without a path
	Max    int64   `json:"max"`             // paths on the most loaded cable
	Mean   float64 `json:"mean"`            // over all
	Worst  []Load  `json:"-"`               // most loaded cables, in falling order
}

// Load is the load of one directed cable.
type Load struct {
	Port  subnet.End `json:"-"` // the sending side
	Paths int64      `json:"paths"`
}

func balance(n *network, paths []int64) Balance {
	var b Balance
	var loads []Load
	total := int64(0)
	for c, v := range n.to {
		if v < 0 {
			continue
		}
		b.Cables++
		total += paths[c]
		if paths[c] == 0 {
			b.Idle++
			continue
		}
		loads = append(loads, Load{n.channelAt(int32(c)), paths[c]})
	}
	sorting.StableFunc(loads, func(x, y Load) int {
		switch {
		case x.Paths > y.Paths:
			return -1
		case x.Paths < y.Paths:
			return 1
		}
		return 0
	})
	if b.Cables > 0 {
		b.Mean = float64(total) / float64(b.Cables)
	}
	if len(loads) > 0 {
		b.Max = loads[0].Paths
	}
	b.Worst = loads[:min(len(loads), maxWorst)]
	return b
}
