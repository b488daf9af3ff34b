package scenario

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/units"
)

// Stream is traffic that a fabric carries beside a collective, as storage does:
// messages between two NICs, up to Depth at a time, for as long as the collective runs.
type Stream struct {
	// Name is its label in results.
	Name string `yaml:"name"`
	// Src is the NIC that asks, counted over the cluster.
	Src int `yaml:"src" range:"0..16777216"`
	// Dst is the NIC that it writes to or reads from.
	Dst int `yaml:"dst" range:"0..16777216"`
	// From and To, instead of src and dst, are NICs by the names that results have:
	// node3/nic0, node[0-7]/nic1, or node3 for all of its NICs. There is a stream from each
	// NIC to the NIC at the same place of the other list; a list of one NIC serves all.
	From []string `yaml:"from,omitzero"`
	To   []string `yaml:"to,omitzero"`
	// Ring, instead of src and dst, is the NICs of another job: node[8-15], or
	// node[8-15]/nic0. On each rail each NIC sends to the next and the last to the first, as
	// in the rings of a collective: one stream from each NIC.
	Ring []string `yaml:"ring,omitzero"`
	// Operation is write or read, by default write; or nvme-read or nvme-write, an
	// NVMe-oF command with its capsules and its data.
	Operation StreamOperation `yaml:"operation"`
	// Bytes is the length of a message.
	Bytes units.Bytes `yaml:"bytes" range:"1B..1GiB"`
	// Depth is the number of messages under way; the default is 1. With load it is the
	// most; the default is 16.
	Depth int `yaml:"depth" range:"0..4096"`
	// Load is the offered load over the link's rate: messages are posted at even
	// intervals, or later while depth of them are under way. 0: each when one ends.
	Load Ratio `yaml:"load,omitzero"`
	// Class is the 802.1p priority of its packets and their answers; on
	// InfiniBand the service level.
	Class int `yaml:"class" range:"0..15"`
}

// derive sets the defaults of streams, and replaces rings by their streams.
func (r streamRules) derive() {
	var all []Stream
	for i := range r.Beside {
		s := r.Beside[i]
		if s.Operation == "" {
			s.Operation = StreamWrite
		}
		if s.Load.Num > 0 {
			setZero(&s.Depth, 16)
		}
		setZero(&s.Depth, 1)
		if s.Name == "" {
			s.Name = fmt.Sprintf("stream %d", i+1)
		}
		at := fmt.Sprintf("beside[%d]", i)
		switch {
		case len(s.From) > 0 || len(s.To) > 0:
			all = append(all, r.namedStreams(at, s)...)
		case len(s.Ring) > 0:
			all = append(all, r.ringStreams(at, s)...)
		default:
			all = append(all, s)
		}
	}
	if len(r.Beside) > 0 {
		r.Beside = all
	}
}

// namedStreams are the streams between the NICs of two lists of names.
func (r streamRules) namedStreams(at string, s Stream) (list []Stream) {
	if s.Src != 0 || s.Dst != 0 || len(s.Ring) > 0 {
		r.complain(at, "a stream has from and to, or src and dst, or a ring: take the others out")
		return nil
	}
	pairs, _ := r.namedPairs(at, s.From, s.To)
	s.From, s.To = nil, nil
	for _, p := range pairs {
		s.Src, s.Dst = p[0], p[1]
		list = append(list, s)
	}
	return list
}

// ringStreams are the streams of a ring, rail by rail.
func (r streamRules) ringStreams(at string, s Stream) (list []Stream) {
	names, per := s.Ring, r.Cluster.Node.NICs
	s.Ring = nil
	if s.Src != 0 || s.Dst != 0 {
		r.complain(at, "a stream has src and dst, or a ring: take one of them out")
		return nil
	}
	all, ok := r.namedNICs(at+".ring", names)
	if !ok {
		return nil
	}
	rails := make([][]int, max(1, per))
	for _, nic := range all {
		rails[nic%per] = append(rails[nic%per], nic)
	}
	for _, nics := range rails {
		if len(nics) == 1 {
			r.complain(at+".ring", "NIC %d is alone on its rail: a ring needs two or more", nics[0])
			return nil
		}
		for k, nic := range nics {
			s.Src, s.Dst = nic, nics[(k+1)%len(nics)]
			list = append(list, s)
		}
	}
	return list
}

// check checks that streams, and keys and values with a class of their own, fit the cluster, the fabric and the workload.
func (r streamRules) check() {
	r.checkKVClass()
	if len(r.Beside) > 0 && r.Workload.Pattern != "" {
		r.complain("beside", "streams run for as long as a collective does, and the workload is a pattern: give a collective or an exchange, or take beside out")
		return
	}
	for i := range r.Beside {
		s, at := &r.Beside[i], fmt.Sprintf("beside[%d]", i)
		switch nics, p := r.Cluster.Endpoints(), protocol.Of(r.Kind); {
		case s.Src >= nics || s.Dst >= nics:
			r.complain(at, "a stream between NIC %d and NIC %d: the cluster has NICs 0 to %d", s.Src, s.Dst, nics-1)
		case s.Src == s.Dst:
			r.complain(at, "a stream from NIC %d to itself", s.Src)
		case s.Bytes == 0:
			r.complain(at+".bytes", "the stream's messages have no bytes")
		case s.Load.Cmp(1, 1) > 0:
			r.complain(at+".load", "a load of %s is more than the link carries: want at most 1", s.Load)
		case p.OnTCP():
			r.complain(at, "%s has TCP connections, and a stream is RDMA: take the fabric or beside out", r.Name)
		case p.Unordered && s.Operation != StreamWrite:
			r.complain(at+".operation", "%s: Ultra Ethernet has writes here, no reads, and does not keep the order that NVMe-oF needs: take operation: write", r.Name)
		case !p.ServiceLevels && !r.serves(s.Class):
			r.complain(at+".class", "no queue serves priority %d: add it to ethernet.queues", s.Class)
		case p.ServiceLevels && !r.IB.Arbitrates(r.IB.SL2VL[s.Class]):
			r.complain(at+".class", "service level %d goes to VL %d, which has no weight in ib.vlarb-high or vlarb-low: it would never be served", s.Class, r.IB.SL2VL[s.Class])
		}
	}
}

// checkKVClass checks that a fabric serves the class of keys and values.
func (r streamRules) checkKVClass() {
	const at = "serving.kv.class"
	class := r.Serving.KV.Class
	switch p := protocol.Of(r.Kind); {
	case class == 0 || !r.Serving.Given():
	case p.ServiceLevels && !r.IB.Arbitrates(r.IB.SL2VL[class]):
		r.rules.complain(at, "%s: service level %d goes to VL %d, which has no weight in ib.vlarb-high or vlarb-low: it would never be served", r.Name, class, r.IB.SL2VL[class])
	case !p.ServiceLevels && !r.serves(class):
		r.rules.complain(at, "%s: no queue serves priority %d: add it to ethernet.queues", r.Name, class)
	}
}

// Arbitrates reports whether a virtual lane has a weight.
func (ib *InfiniBand) Arbitrates(vl int) bool {
	for _, t := range [][]VLWeight{ib.VLArbHigh, ib.VLArbLow} {
		for _, e := range t {
			if e.VL == vl && e.Weight > 0 {
				return true
			}
		}
	}
	return false
}

// serves reports whether a queue serves a priority.
func (f *Fabric) serves(priority int) bool {
	for _, q := range f.Ethernet.Queues {
		if q.Priority == priority {
			return true
		}
	}
	return false
}
