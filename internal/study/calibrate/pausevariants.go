package calibrate

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Variants of faults of flow control, of congestion control and of the order of packets.

// stormShares are the fractions of a link's rate that a receiver takes in which holds back its
// switch: assumptions.
var stormShares = []float64{.5, .25, .1, .05}

// pauseStorm has one NIC take its data in more slowly than they come, so that it pauses its switch,
// or gives back credits later.
func pauseStorm(c *Cluster, t *Task) ([]variant, string) {
	f := &t.base.Fabrics[0]
	rate := f.Link.Rate()
	ethernet := protocol.Of(f.Kind).Ethernet()
	if ethernet && !f.Ethernet.PFC.Enabled {
		return nil, "the fabric has no PFC"
	}
	return graded("drain", 1, func(part float64) variant {
		drain := share(rate, part)
		if !ethernet {
			return c.slowLink(fmt.Sprintf("a NIC gives credits for %s of %s", nominal(drain), nominal(rate)), "node0/nic0", drain)
		}
		return one(fmt.Sprintf("a NIC takes in %s of %s and pauses its switch", nominal(drain), nominal(rate)), c.path(".ethernet.pfc.receivers"), fmt.Sprintf("[{nic: 0, drain: %s}]", drain.Exact()))
	}, stormShares...), ""
}

// noCongestionControl leaves congestion to PFC.
func noCongestionControl(c *Cluster, t *Task) ([]variant, string) {
	f := &t.base.Fabrics[0]
	if !protocol.Of(f.Kind).Settings || f.CC.Algorithm == scenario.CCNone {
		return nil, "the fabric has no congestion control"
	}
	return []variant{one("neither ECN marks nor a congestion control", c.path(".cc"), "none").with(c.path(".ethernet.ecn"), "{enabled: false}")}, ""
}

// defaultClass sends in the class of unmarked packets: without PFC and ECN. There packets are dropped as soon as other
// traffic shares a queue, which the description does not have; so some are lost on each link.
func defaultClass(c *Cluster, t *Task) ([]variant, string) {
	off, why := noPFC(c, t)
	if why != "" {
		return nil, why
	}
	class := off[0].with(c.path(".ethernet.ecn"), "{enabled: false}")
	class.label = "RoCE in the default class, without PFC and ECN"
	return append([]variant{class}, graded("dropped", 0, func(rate float64) variant {
		every := int(math.Round(1 / rate))
		v := variant{label: fmt.Sprintf("%s, and one packet in %d dropped", class.label, every), over: slices.Clone(class.over)}
		return v.with(c.path(".link.error-rate"), fmt.Sprintf("1/%d", every))
	}, 1e-5, 1e-4, 1e-3, 1e-2)...), ""
}

// noPXN has each GPU use its own NIC.
func noPXN(_ *Cluster, t *Task) ([]variant, string) {
	if t.Table.Op != string(scenario.AllToAll) {
		return nil, "weft's other operations stay on their rail"
	}
	return []variant{one("PXN off", "nccl.pxn", "false")}, ""
}

// reordered sprays packets to NICs that take an early packet for a loss.
func reordered(c *Cluster, t *Task) ([]variant, string) {
	f := &t.base.Fabrics[0]
	switch {
	case !protocol.Of(f.Kind).Settings:
		return nil, "the fabric does not spray packets"
	case f.Topology.Shape == scenario.SingleSwitch:
		return nil, "there is one switch, so packets keep their order"
	}
	return []variant{one("packets sprayed to NICs that want them in order", c.path(".routing.mode"), string(scenario.Spray)).with(c.path(".nic.out-of-order"), "false")}, ""
}
