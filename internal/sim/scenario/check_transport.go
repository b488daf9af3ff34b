package scenario

import "weft/internal/sim/protocol"

// checkRoCEv1 refuses what RoCE v1 has no header for: it puts InfiniBand's global
// route header straight into an Ethernet frame (IBA vol. 1, annex A16), so that no
// router takes it anywhere and no switch can mark it.
func (r *resolver) checkRoCEv1(path string, f *Fabric) {
	if s := f.Topology.plane(); s != SingleSwitch {
		r.complain(path+".topology.shape", "RoCE v1 has no IP header, so it lives inside one L2 domain, and a %s is routed: set topology.shape to single-switch, or take roce-v2", s)
	}
	if f.Ethernet.ECN.Enabled {
		r.complain(path+".ethernet.ecn.enabled", "RoCE v1 has no IP header, so no switch can mark it: take ECN out, or take roce-v2")
	}
}

// checkRecovery checks what is lost and how it is sent again.
func (r *resolver) checkRecovery(path string, f *Fabric) {
	if f.Link.ErrorRate.Cmp(1, 1) > 0 {
		r.complain(path+".link.error-rate", "%s is more than 1", f.Link.ErrorRate)
	}
	m := f.Routing.Mode
	if f.Transport.Recovery == SelectiveRepeat && !protocol.Of(f.Kind).Unordered && (m == Adaptive || m == Spray) {
		r.complain(path+".transport.recovery", "selective repeat takes a packet that comes ahead for a sign of loss, and with routing by packet (%s) they do: "+
			"set routing.mode to deterministic, ecmp or flowlet, or recovery: go-back-n", m)
	}
}

// checkTCP checks what runs on TCP: the kernel's goes through the host's CPU, the
// NIC's does not.
func (r *resolver) checkTCP(path string, f *Fabric) {
	iwarp := protocol.Of(f.Kind).RDMA()
	if iwarp && f.Host.Path == PathCPU {
		r.complain(path+".host", "iWARP's TCP is in the NIC, and the path %s is that of sockets through the kernel: take gpudirect-rdma, gpudirect-p2p or rdma-host", f.Host.Path)
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
