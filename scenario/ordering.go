package scenario

import (
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/protocol"
	"weft/units"
)

// OutOfOrder reports whether packets of a reliable connection use several paths and are placed on
// arrival, each by its own header.
func (f *Fabric) OutOfOrder() bool {
	m, p := f.Routing.Mode, protocol.Of(f.Kind)
	return f.NIC.OutOfOrder && (m == Adaptive || m == Spray) && !p.OnTCP() && !p.Unordered
}

// Form is the form of a collective's message between nodes through RDMA, as NCCL posts it and the
// NIC sends it.
type Form uint8

// The forms.
const (
	// FormWhole is one WRITE with immediate data whose packets have no other order than that of the
	// fabric's routing.
	FormWhole Form = iota
	// FormOrdered is one WRITE with immediate data whose packets the network keeps in order, although
	// it does not keep those of WRITEs.
	FormOrdered
	// FormDivided is a WRITE of the data and behind it a WRITE of no bytes with immediate data.
	FormDivided
)

// Form is the form of a collective's message of some bytes. The rule is that of NCCL 2.18 and later
// (ncclIbMultiSend in src/transport/net_ib.cc, from 2.29 src/transport/net_ib/p2p.cc), with one request
// to a work request.
func (f *Fabric) Form(bytes units.Bytes) Form {
	t := &f.Transport
	switch {
	case !f.OutOfOrder() || t.OOORQ:
		return FormWhole
	case t.AdaptiveRouting && bytes > t.ARThreshold:
		return FormDivided
	}
	return FormOrdered
}

// firstOOORQ is the first release of NCCL with NCCL_IB_OOO_RQ.
const firstOOORQ nccl.Release = 30

// checkOOORQ checks what NCCL needs to take messages out of order; it fails without.
func (r transportRules) checkOOORQ() {
	if !r.Transport.OOORQ {
		return
	}
	const at = "transport.ooo-rq"
	switch release, err := nccl.ParseRelease(r.NCCL.Version); {
	case err != nil: // reported there
	case release != 0 && release < firstOOORQ:
		r.complain(at, "NCCL %s has no NCCL_IB_OOO_RQ: want nccl.version 2.%d or later", r.NCCL.Version, firstOOORQ)
	case !r.Transport.AdaptiveRouting:
		r.complain(at, "NCCL takes messages out of order only with NCCL_IB_ADAPTIVE_ROUTING: want transport.adaptive-routing: true")
	case !r.NIC.OutOfOrderReceives:
		r.complain(at, "the NIC %s has no out-of-order receives: want ConnectX-8 or later, or nic.out-of-order-receives: true", r.NIC.Model)
	case !r.OutOfOrder():
		r.complain(at, "no packet comes out of order with routing.mode %s: want adaptive or spray", r.Routing.Mode)
	}
}
