package scenario

import (
	"fmt"

	"weft/units"
)

func (r subnetRules) check() {
	ib := &r.IB
	// LRH 8, GRH 40, BTH 12, RETH 16, AtomicETH and the rest below 40, CRCs 6.
	packet := r.MTU + 128
	for _, b := range []struct {
		field string
		size  units.Bytes
	}{{"buffer", ib.Buffer}, {"nic-buffer", ib.NICBuffer}} {
		if b.size < packet {
			r.complain("ib."+b.field, "%s cannot hold one packet of MTU %s with its headers (%s): traffic would never move", b.size.Exact(), r.MTU.Exact(), packet.Exact())
		}
		if b.size%64 != 0 {
			r.complain("ib."+b.field, "%s is not a whole number of credit blocks of 64 bytes", b.size.Exact())
		}
	}
	if ib.CreditThreshold > min(ib.Buffer, ib.NICBuffer) {
		r.complain("ib.credit-threshold", "the threshold %s is more than the buffer %s: no credit would be returned early", ib.CreditThreshold.Exact(), min(ib.Buffer, ib.NICBuffer).Exact())
	}
	for sl, vl := range ib.SL2VL {
		if vl >= ib.VLs && vl != discardVL {
			r.complain(fmt.Sprintf("ib.sl2vl[%d]", sl), "service level %d goes to VL %d: there are VLs 0 to %d", sl, vl, ib.VLs-1)
			break
		}
	}
	r.checkArbitration()
	r.checkPartitions()
	r.checkServiceLevels()
	r.checkSHARP()
	if ib.Speedup.Cmp(1, 1) < 0 {
		r.complain("ib.speedup", "a speed-up of %s is below 1: the switch would be slower than its ports", ib.Speedup)
	}
}

// checkSHARP checks a fabric with reducing switches.
func (r subnetRules) checkSHARP() {
	at := "ib.sharp"
	switch {
	case !r.IB.SHARP:
		return
	case r.Switch.StreamingAggregation == "" || r.Switch.StreamingAggregation == NoAggregation:
		r.complain(at, "the switch %s has no streaming aggregation: take a switch that has it, or state switch.streaming-aggregation", r.Switch.Model)
	case r.IB.Queueing == FIFO:
		r.complain(at, "switches with fifo inputs do not reduce: want ib.queueing voq")
	}
	if r.Inspection.On() {
		r.complain(at, "a middlebox between a NIC and its switch is no part of a reduction's tree: inspection and ib.sharp exclude each other")
	}
	if len(r.Faults) > 0 {
		r.complain(at, "weft does not mend a reduction's trees: faults and ib.sharp exclude each other")
	}
}
