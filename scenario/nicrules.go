package scenario

import (
	"slices"

	"weft/internal/sim/protocol"
	"weft/units"
)

// SharedSlot is the rate of a GPU's slot, in each direction, if the GPU has several NICs that together are
// faster; 0 if no slot bounds its NICs. Only NICs that read and write the GPU's memory share its slot.
func (n *Node) SharedSlot(f *Fabric) units.Rate {
	if n.GPUs == 0 || n.NICs <= n.GPUs || f.Host.Path != PathGPUDirectRDMA {
		return 0
	}
	most := (n.NICs + n.GPUs - 1) / n.GPUs * max(1, f.NIC.Ports)
	slot := min(n.PCIe.PeerRate, n.PCIe.Rate())
	if units.Rate(most)*f.Link.Rate() <= slot {
		return 0
	}
	return slot
}

// limited reports whether a NIC's receiving side may fall behind the wire.
func (r *fabricRules) limited() bool {
	return r.NIC.ReceiveRate > 0 || r.NIC.Contexts > 0 || r.Cluster.Node.SharedSlot(r.Fabric) > 0
}

// checkInline checks which data the CPU can write to the NIC with a work request.
func (r *fabricRules) checkInline() {
	if r.Host.MaxInlineData > 0 && r.Host.Path != PathRDMAHost && r.Host.Path != PathGPUDirectP2P {
		r.complain("host.max-inline-data", "inline data are copied by the CPU from host memory, and the data of the path %s are not there: take rdma-host or gpudirect-p2p, or max-inline-data: 0B", r.Host.Path)
	}
}

// checkNIC checks what the NIC does apart from the wire.
func (r *fabricRules) checkNIC() {
	n, p := &r.NIC, protocol.Of(r.Kind)
	if n.Ports > 1 && r.Topology.Shape != Listed && !slices.ContainsFunc(r.Fabrics, func(f Fabric) bool { return f.Topology.Shape == DualPlane }) {
		r.complain("nic.ports", "%d ports: each NIC has one cable in a %s; count ports as NICs (cluster.node.nics), or take topology.shape dual-plane", n.Ports, r.Topology.Shape)
	}
	if n.Contexts > 0 && p.OnTCP() {
		r.complain("nic.contexts", "%s has no queue pairs in the NIC's transport: take contexts out", p.Title)
	}
	if n.Contexts > 0 && n.ContextFetch == 0 {
		r.complain("nic.context-fetch", "contexts that are fetched in no time have no effect: give a time, or contexts: 0")
	}
	if j := &n.CNPJitter; j.Distribution == "" && (j.Mean > 0 || j.Sigma.Num > 0) {
		r.complain("nic.cnp-jitter.distribution", "a jitter without a distribution is not drawn: give exponential or lognormal")
	}
	if pfc := &r.Ethernet.PFC; r.limited() && p.Ethernet() && pfc.Enabled && n.ReceiveBuffer/2 < pfc.Headroom {
		r.complain("nic.receive-buffer", "a buffer of %s pauses at one half, and %s may come after that (headroom): take %s or more",
			n.ReceiveBuffer.Exact(), pfc.Headroom.Exact(), (2 * pfc.Headroom).Exact())
	}
}
