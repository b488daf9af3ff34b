package executor

import (
	"cmp"
	"slices"

	"weft/internal/sim/run/network"
	"weft/results"
)

// mostFollowed bounds the connections whose paths are computed after a run, to find those on its busy links.
const mostFollowed = 1 << 16

// dataPath is a connection that carried data from one rank to another.
type dataPath struct {
	from, to       int32 // ranks
	group, channel int32
	bytes          int64
	a, b           int32   // NICs
	path           []int32 // links; nil if the path is chosen packet by packet
}

// dataPaths are the connections with data, in the order of NICs and ends; none if there are too many.
func (c *carrier) dataPaths() (all []dataPath) {
	if len(c.links)*max(1, c.stripe)*c.net.Plan.ConnectionsPerPair() > mostFollowed {
		return nil
	}
	for nic := range c.ends {
		for end := range c.ends[nic] {
			e := &c.ends[nic][end]
			if e.of == nil || e.pair.reduces() {
				continue
			}
			i := slices.IndexFunc(e.of.ends, func(n nicEnd) bool { return n.nic == int32(nic) && int(n.qpn) == end })
			if own, k := &e.of.ends[i], &e.pair; own.bytes > 0 {
				to := k.B + int32(i%max(c.stripe, 1))
				all = append(all, dataPath{k.From, k.To, k.Group, k.Channel, own.bytes, own.nic, to, c.net.Path(own.nic, own.qpn)})
			}
		}
	}
	return all
}

// transfers are what crossed a busy link.
type transfers struct {
	all   []results.LinkTransfer
	index map[transferKey]int
}

// transferKey is the ranks and the group of a transfer.
type transferKey struct{ from, to, group int32 }

// add counts the bytes of a connection; connections of the same ranks and group are one transfer.
func (t *transfers) add(x *dataPath, group string) {
	key := transferKey{x.from, x.to, x.group}
	i, known := t.index[key]
	if !known {
		i = len(t.all)
		t.index[key] = i
		t.all = append(t.all, results.LinkTransfer{From: x.from, To: x.to, Group: group})
	}
	l := &t.all[i]
	l.Bytes += x.bytes
	if x.group != MessageGroup && !slices.Contains(l.Channels, x.channel) {
		l.Channels = append(l.Channels, x.channel)
		slices.Sort(l.Channels)
	}
}

// ranks are the numbers of ranks that send and that receive.
func (t *transfers) ranks() (senders, receivers int) {
	from, to := make(map[int32]bool), make(map[int32]bool)
	for i := range t.all {
		from[t.all[i].From], to[t.all[i].To] = true, true
	}
	return len(from), len(to)
}

// nameTransfers tells each busy link the ranks whose data crossed it. group is the name of a group of ranks, by its
// number. Paths are computed after the run; the run itself pays an addition for each message.
func nameTransfers(n *network.Network, all []dataPath, hot []results.HotLink, links []int32, group func(int32) string) {
	one := func(nic int32) bool { return n.Plan.Graph.Nodes[nic].Cabled() == 1 }
	for i, link := range links {
		from, to := n.LinkEnds(link)
		t := transfers{index: make(map[transferKey]int)}
		for k := range all {
			x := &all[k]
			switch {
			case slices.Contains(x.path, link), x.path == nil && (from == x.a && one(from) || to == x.b && one(to)):
				t.add(x, group(x.group))
			case x.path == nil && hot[i].Choice():
				hot[i].Sprayed = true
			}
		}
		hot[i].Senders, hot[i].Receivers = t.ranks()
		slices.SortFunc(t.all, func(a, b results.LinkTransfer) int { // the numbers of ends depend on the number of cores
			return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Group, b.Group))
		})
		for _, rest := range t.all[min(len(t.all), results.MostTransfers):] {
			hot[i].More++
			hot[i].MoreBytes += rest.Bytes
		}
		hot[i].Transfers = t.all[:min(len(t.all), results.MostTransfers)]
	}
}
