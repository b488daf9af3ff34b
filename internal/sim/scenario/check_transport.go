package scenario

import "weft/internal/sim/protocol"

// checkRoCEv1 refuses settings without a header in RoCE v1: it has InfiniBand's global route header
// directly in an Ethernet frame (IBA vol. 1, annex A16), so that routers do not forward it and
// switches cannot mark it.
func (r ethernetRules) checkRoCEv1() {
	if s := r.Topology.plane(); s != SingleSwitch {
		r.complain("topology.shape", "RoCE v1 has no IP header, so it lives inside one L2 domain, and a %s is routed: set topology.shape to single-switch, or take roce-v2", s)
	}
	if r.Ethernet.ECN.Enabled {
		r.complain("ethernet.ecn.enabled", "RoCE v1 has no IP header, so no switch can mark it: take ECN out, or take roce-v2")
	}
}

// checkRecovery checks the recovery from loss.
func (r transportRules) checkRecovery() {
	if r.Link.ErrorRate.Cmp(1, 1) > 0 {
		r.complain("link.error-rate", "%s is more than 1", r.Link.ErrorRate)
	}
	m := r.Routing.Mode
	if r.Transport.Recovery == SelectiveRepeat && !protocol.Of(r.Kind).Unordered && (m == Adaptive || m == Spray) {
		r.complain("transport.recovery", "selective repeat takes an early packet for a sign of loss, and routing by packet (%s) reorders packets: "+
			"set routing.mode to deterministic, ecmp or flowlet, or recovery: go-back-n", m)
	}
}

// checkTCP checks fabrics with TCP: the kernel's TCP uses the host's CPU, the NIC's does not.
func (r ethernetRules) checkTCP() {
	iwarp := protocol.Of(r.Kind).RDMA()
	if iwarp && r.Host.Path == PathCPU {
		r.complain("host", "iWARP's TCP is in the NIC, and the path %s is for sockets through the kernel: take gpudirect-rdma, gpudirect-p2p or rdma-host", r.Host.Path)
	}
	if t := &r.TCP; t.Threads > 0 && (t.Sockets%t.Threads != 0 || iwarp) {
		want := "as many sockets to each thread (NCCL_NSOCKS_PERTHREAD)"
		if iwarp {
			want = "none, since iWARP's TCP is in the NIC"
		}
		r.complain("tcp.threads", "%d threads for %d sockets: want %s", t.Threads, t.Sockets, want)
	}
	if !iwarp && r.TCP.MPAMarkers {
		r.complain("tcp.mpa-markers", "markers are iWARP's: take kind: iwarp, or mpa-markers out")
	}
}
