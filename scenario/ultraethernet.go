package scenario

import (
	"weft/internal/sim/protocol"
	"weft/units"
)

// Trim is how switches trim packets that have no room instead of dropping them.
type Trim struct {
	// Size is the length of a trimmed packet: its frame without preamble and gap.
	Size units.Bytes `yaml:"size" range:"0B..1KiB"`
	// Priority is the priority of trimmed packets.
	Priority int `yaml:"priority" range:"0..7"`
	// Threshold is the queue length of data at an egress port from which packets are
	// trimmed, and of trimmed packets from which these are dropped. The default is the
	// bytes of a round trip of the empty network at the link's rate.
	Threshold units.Bytes `yaml:"threshold" range:"0B..1GiB"`
}

// On reports whether switches trim.
func (t Trim) On() bool { return t.Size > 0 }

// The minimum frame with the headers of a request, and the approximate bytes of a full packet and
// of an acknowledgement beyond the payload (package wire has the exact ones): for the round trip of
// the empty network.
const (
	minTrim       = 14 + 20 + 8 + 12 + 4
	uetFullHeader = 122
	uetAck        = 110
)

// deriveUltraEthernet sets the values that follow from the round trip of an Ultra Ethernet fabric:
// the congestion control's, and the thresholds that the UET specification 1.0 recommends in
// 3.6.13.3 and 3.6.17, as shares of a link's data in that time.
func (r ethernetRules) deriveUltraEthernet() {
	if !protocol.Of(r.Kind).Unordered {
		return
	}
	rtt := r.roundTrip()
	if base, ok := ValuesOf(&r.CC)["base-rtt"].(units.Time); ok {
		rtt = base
	}
	inFlight := Ratio{Num: int64(r.Link.Rate()), Den: 8}.Mul(Ratio{Num: int64(rtt), Den: int64(units.Second)})
	part := func(num, den int64) units.Bytes {
		return units.Bytes(inFlight.Mul(Ratio{Num: num, Den: den}).Of(1))
	}
	for _, x := range []struct {
		field string
		value *units.Bytes
		part  units.Bytes
	}{
		{"trim.threshold", &r.Ethernet.Trim.Threshold, part(1, 1)},
		{"ecn.kmin", &r.Ethernet.ECN.Kmin, part(1, 5)},
		{"ecn.kmax", &r.Ethernet.ECN.Kmax, part(4, 5)},
	} {
		if !r.stated("ethernet." + x.field) {
			*x.value = x.part
		}
	}
}

// roundTrip is the time of a full packet and its acknowledgement over the longest path of the empty
// fabric, from its first bit on the wire, rounded up to tens of nanoseconds.
func (r *fabricRules) roundTrip() units.Time {
	rate := int64(r.Link.Rate())
	if rate <= 0 {
		return 0
	}
	switches := int64(r.longestPath(&r.Topology))
	cable := units.Time(int64(r.Link.PerMetre)*int64(r.LongestCable(r.Fabric))/int64(units.Metre)) + r.Link.FECLatency
	bytes := int64(r.MTU) + uetFullHeader + uetAck
	wire := units.Time(Ratio{Num: 8 * bytes, Den: 1}.Mul(Ratio{Num: int64(units.Second), Den: rate}).Of(1))
	if r.Switch.Forwarding == StoreAndForward {
		wire *= units.Time(switches + 1)
	}
	t := 2*units.Time(switches+1)*cable + 2*units.Time(switches)*r.Switch.Latency + wire + 2*r.NIC.AckPipeline
	const step = 10 * units.Nanosecond
	return (t + step - 1) / step * step
}

// longestPath is the maximum number of switches on a minimal path.
func (r *Resolved) longestPath(t *Topology) int {
	switch t.plane() {
	case SingleSwitch:
		return 1
	case FatTree:
		return 2*t.Levels - 1
	case RailOptimised:
		if r.needsCores(t) {
			return 5
		}
	case Dragonfly, DragonflyPlus:
		return 4
	case Listed:
		return t.longestOfLinks(r.Cluster.Endpoints() + t.Others)
	case Torus:
		n := 1
		for _, d := range t.Dims {
			n += d / 2
		}
		return n
	}
	return 3
}

func (r ethernetRules) checkUltraEthernet() {
	e, title := &r.Ethernet, protocol.Of(r.Kind).Title
	if e.PFC.Enabled {
		r.complain("ethernet.pfc.enabled", "%s is modelled on a network without PFC: set ethernet.pfc.enabled: false", title)
	}
	if r.Transport.Recovery != SelectiveRepeat {
		r.complain("transport.recovery", "%s retransmits only lost packets: want selective-repeat", title)
	}
	if r.Transport.Entropy == "" || r.Transport.EntropyValues == 0 {
		r.complain("transport", "the spraying of packets is not stated: give entropy: oblivious or recycled, and entropy-values of 1 to 256")
	}
	t := &e.Trim
	if !t.On() {
		return
	}
	if t.Size < minTrim || t.Size >= r.MTU {
		r.complain("ethernet.trim.size", "a trimmed packet of %s: want at least %s, the size of its headers, and less than the MTU of %s", t.Size.Exact(), units.Bytes(minTrim).Exact(), r.MTU.Exact())
	}
	switch {
	case t.Priority == e.DataPriority:
		r.complain("ethernet.trim.priority", "priority %d is the data's, whose queue is full when packets are trimmed: give another", t.Priority)
	case !r.serves(t.Priority):
		r.complain("ethernet.trim.priority", "no queue serves priority %d: add it to ethernet.queues", t.Priority)
	}
	if t.Threshold < r.MTU {
		r.complain("ethernet.trim.threshold", "a queue of %s has no room for a packet of MTU %s: every packet would be trimmed", t.Threshold.Exact(), r.MTU.Exact())
	}
}

// checkOthers reports fields that other fabrics do not have.
func (r transportRules) checkOthers() {
	if protocol.Of(r.Kind).Unordered {
		if r.Routing.Hash == HashAddresses {
			r.complain("routing.hash", "a fabric of kind %s sprays its packets by what switches hash: with the addresses alone none would leave its path; take flow", r.Kind)
		}
		if r.Routing.Hash != HashAddresses && r.HashesDiffer() {
			r.complain("switches", "a fabric of kind %s sprays its packets by what switches hash: with the addresses alone none would leave its path; leave routing.hash out", r.Kind)
		}
		return
	}
	for _, field := range []string{"ethernet.trim", "transport.entropy", "transport.entropy-values"} {
		if r.wrote(field) {
			r.complain(field, "this is a fabric of kind %s: trimming and entropy values are of ultra-ethernet and efa", r.Kind)
		}
	}
}
