package scenario

import "weft/internal/sim/protocol"

// checkRoCEv1 refuses settings without a header in RoCE v1: it has InfiniBand's global route header
// directly in an Ethernet frame (IBA vol. 1, annex A16), so that routers do not forward it and
// switches cannot mark it.
func (r *resolver) checkRoCEv1(path string, f *Fabric) {
	if s := f.Topology.plane(); s != SingleSwitch {
		r.complain(path+".topology.shape", "RoCE v1 has no IP header, so it lives inside one L2 domain, and a %s is routed: set topology.shape to single-switch, or take roce-v2", s)
	}
	if f.Ethernet.ECN.Enabled {
		r.complain(path+".ethernet.ecn.enabled", "RoCE v1 has no IP header, so no switch can mark it: take ECN out, or take roce-v2")
	}
}

// checkRecovery checks the recovery from loss.
func (r *resolver) checkRecovery(path string, f *Fabric) {
	if f.Link.ErrorRate.Cmp(1, 1) > 0 {
		r.complain(path+".link.error-rate", "%s is more than 1", f.Link.ErrorRate)
	}
	m := f.Routing.Mode
	if f.Transport.Recovery == SelectiveRepeat && !protocol.Of(f.Kind).Unordered && (m == Adaptive || m == Spray) {
		r.complain(path+".transport.recovery", "selective repeat takes an early packet for a sign of loss, and routing by packet (%s) reorders packets: "+
			"set routing.mode to deterministic, ecmp or flowlet, or recovery: go-back-n", m)
	}
}

// checkTCP checks fabrics with TCP: the kernel's TCP uses the host's CPU, the NIC's does not.
func (r *resolver) checkTCP(path string, f *Fabric) {
	iwarp := protocol.Of(f.Kind).RDMA()
	if iwarp && f.Host.Path == PathCPU {
		r.complain(path+".host", "iWARP's TCP is in the NIC, and the path %s is for sockets through the kernel: take gpudirect-rdma, gpudirect-p2p or rdma-host", f.Host.Path)
	}
	if t := &f.TCP; t.Threads > 0 && (t.Sockets%t.Threads != 0 || iwarp) {
		want := "as many sockets to each thread (NCCL_NSOCKS_PERTHREAD)"
		if iwarp {
			want = "none, since iWARP's TCP is in the NIC"
		}
		r.complain(path+".tcp.threads", "%d threads for %d sockets: want %s", t.Threads, t.Sockets, want)
	}
	if !iwarp && f.TCP.MPAMarkers {
		r.complain(path+".tcp.mpa-markers", "markers are iWARP's: take kind: iwarp, or mpa-markers out")
	}
}
