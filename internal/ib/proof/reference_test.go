package proof_test

import (
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/test/routetest"
)

func TestVerdictsOnOpenSMsTablesAreThoseOfIbdmchk(t *testing.T) {
	for _, v := range routetest.Verdicts(t) {
		s := routetest.Fabric(t, v.Fabric)
		tables := routetest.Tables(t, s, v.Fabric, v.Engine, v.Lanes)
		r, err := proof.Check(s, tables, proof.Options{})
		if err != nil {
			t.Errorf("%s/%s: %v", v.Fabric, v.Engine, err)
			continue
		}
		if r.Deadlocks() != v.Loop {
			t.Errorf("%s/%s, lanes %v: credit loop %v (%+v), ibdmchk says %v", v.Fabric, v.Engine, v.Lanes, r.Deadlocks(), r.Cycles, v.Loop)
		}
		if !r.EndToEnd.Proven() || r.EndToEnd.Arrive != int64(r.Ends)*int64(r.Ends-1) {
			t.Errorf("%s/%s: %+v of %d ends; ibdmchk finds all paths", v.Fabric, v.Engine, r.EndToEnd, r.Ends)
		}
		for _, c := range r.Cycles {
			if !c.Shortest || len(c.Holds) < 2 {
				t.Errorf("%s/%s: loop %+v", v.Fabric, v.Engine, c)
			}
		}
	}
}
