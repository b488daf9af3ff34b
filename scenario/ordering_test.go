package scenario

import (
	"strings"
	"testing"

	"weft/units"
)

// TestTheFormOfAMessageFollowsNCCLAndTheRouting has the rule of NCCL 2.18 to 2.30 on both link layers.
func TestTheFormOfAMessageFollowsNCCLAndTheRouting(t *testing.T) {
	const long, short = 8*units.KiB + 1, 8 * units.KiB
	for _, c := range []struct {
		fabric      string
		long, short Form
	}{
		{"infiniband-ndr", FormDivided, FormOrdered},
		{"{preset: infiniband-ndr, routing: {mode: deterministic}}", FormWhole, FormWhole},
		{"infiniband-edr", FormWhole, FormWhole},
		{"{preset: infiniband-ndr, transport: {adaptive-routing: false}}", FormOrdered, FormOrdered},
		{"{preset: infiniband-ndr, transport: {ar-threshold: 0B}}", FormDivided, FormDivided},
		{"{preset: infiniband-xdr, nic: connectx-8, transport: {ooo-rq: true}}", FormWhole, FormWhole},
		{"roce-v2-400g", FormWhole, FormWhole},
		{"{preset: roce-v2-400g, routing: {mode: adaptive}}", FormOrdered, FormOrdered},
		{"{preset: roce-v2-400g, routing: {mode: spray}, transport: {adaptive-routing: true}}", FormDivided, FormOrdered},
		{"{preset: roce-v2-400g, routing: {mode: ecmp}, transport: {adaptive-routing: true}}", FormWhole, FormWhole},
		{"{preset: roce-v2-400g, nic: thor-2, routing: {mode: adaptive}, transport: {adaptive-routing: true}}", FormWhole, FormWhole},
		{"ultra-ethernet-400g", FormWhole, FormWhole},
	} {
		f := &resolve(t, "fabrics: ["+c.fabric+"]").Fabrics[0]
		if f.Form(long) != c.long || f.Form(short) != c.short {
			t.Errorf("%s: forms of a long and of a short message are %d and %d, want %d and %d", c.fabric, f.Form(long), f.Form(short), c.long, c.short)
		}
	}
}

// TestOutOfOrderReceivesNeedWhatNCCLNeeds has NCCL_IB_OOO_RQ 1, with which NCCL fails if it cannot have it.
func TestOutOfOrderReceivesNeedWhatNCCLNeeds(t *testing.T) {
	const xdr = "preset: infiniband-xdr, nic: connectx-8, transport: {ooo-rq: true}"
	for _, c := range []struct{ rest, bad string }{
		{"fabrics: [{" + xdr + "}]", ""},
		{"fabrics: [{" + xdr + "}]\nnccl: {version: 2.30.3}", ""},
		{"fabrics: [{" + xdr + "}]\nnccl: {version: 2.29.2}", "NCCL 2.29.2 has no NCCL_IB_OOO_RQ"},
		{"fabrics: [{preset: infiniband-xdr, nic: connectx-8, transport: {ooo-rq: true, adaptive-routing: false}}]", "want transport.adaptive-routing: true"},
		{"fabrics: [{preset: infiniband-ndr, transport: {ooo-rq: true}}]", "the NIC connectx-7 has no out-of-order receives"},
		{"fabrics: [{" + xdr + ", routing: {mode: deterministic}}]", "want adaptive or spray"},
	} {
		f, err := Decode("x", []byte(c.rest))
		if err == nil {
			_, err = f.Resolve()
		}
		if (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: %v, want an error with %q", c.rest, err, c.bad)
		}
	}
}
