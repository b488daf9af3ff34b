package scenario

import (
	"weft/internal/ib/qos"
	"weft/units"
)

// QoSConf is the fabric's lanes and their arbitration as the QoS keys of an opensm.conf, for all
// classes of ports. Reading it as ib.opensm-conf gives the same lanes and weights.
func QoSConf(f *Fabric) *qos.Config {
	vls, limit := uint8(f.IB.VLs), uint8(f.IB.HighLimit)
	var levels [16]units.VL
	for sl, vl := range f.IB.SL2VL {
		levels[sl] = units.VL(vl)
	}
	c := &qos.Config{Enabled: true}
	c.Sets[qos.Any] = qos.Set{
		MaxVLs: &vls, HighLimit: &limit, SL2VL: &levels,
		High: weightsOf(f.IB.VLArbHigh), Low: weightsOf(f.IB.VLArbLow),
	}
	return c
}

// weightsOf is an arbitration table in the form of the file. An empty table is an entry without
// weight: a missing key would mean OpenSM's default table.
func weightsOf(table []VLWeight) []qos.Weight {
	if len(table) == 0 {
		return []qos.Weight{{}}
	}
	out := make([]qos.Weight, len(table))
	for i, e := range table {
		out[i] = qos.Weight{VL: units.VL(e.VL), Blocks: uint8(e.Weight)}
	}
	return out
}
