package scenario

import (
	"bytes"
	"fmt"
	"slices"

	"weft/internal/ib/qos"
)

// deriveConf applies an opensm.conf: its settings of adaptive routing, SHARP and partitions, and its QoS keys over the
// preset's lanes. Values in the scenario stay.
func (r subnetRules) deriveConf() {
	at := "ib.opensm-conf"
	name := r.IB.OpenSMConf
	if name == "" {
		return
	}
	r.IB.OpenSMConf = ""
	text, ok := r.readNamed(at, name)
	if !ok {
		return
	}
	applied := r.deriveVendor(name, text)
	config, err := qos.Read(name, bytes.NewReader(text))
	if err != nil {
		r.complain(at, "%v", err)
		return
	}
	if !config.Enabled && applied {
		return
	}
	if !config.Enabled {
		r.complain(at, "%s says qos FALSE: OpenSM then writes no tables; say qos TRUE, or leave opensm-conf out", name)
		return
	}
	ports := config.Of(qos.SwitchPorts)
	if own := config.Of(qos.Adapters).SL2VL; own != nil && ports.SL2VL != nil && *own != *ports.SL2VL {
		r.complain(at, "%s maps service levels to lanes in one way at adapters and in another at switches: weft has one map for both", name)
		return
	}
	r.layQoS(&ports)
	nics := config.Of(qos.Adapters)
	r.layNICQoS(&ports, &nics)
}

// layNICQoS applies the arbitration of adapters if the file has a separate one (qos_ca_…).
func (r subnetRules) layNICQoS(switches, nics *qos.Set) {
	same := slices.Equal(nics.High, switches.High) && slices.Equal(nics.Low, switches.Low) && limitOf(nics) == limitOf(switches)
	if same || r.wrote("ib.nic-vlarb") {
		return
	}
	fold := laneMask(r.IB.VLs)
	r.IB.NICVLArb = VLArbitration{High: folded(nics.High, fold), Low: folded(nics.Low, fold), Limit: limitOf(nics)}
}

// limitOf is the high limit of a class of ports, OpenSM's default if the file has none.
func limitOf(s *qos.Set) int {
	if s.HighLimit == nil {
		return 0
	}
	return int(*s.HighLimit)
}

// laneMask is the bits of a lane's number that remain when lanes are folded to the ports' lanes.
func laneMask(vls int) int {
	if fold := OperationalVLs(vls) - 1; fold != mostVLs-1 {
		return fold
	}
	return mostVLs
}

// layQoS applies the keys of a class of ports. Like OpenSM, it folds lanes to the ports' lanes: it
// drops the high bits of a lane's number, except for lane 15. qos_max_vls has no effect: OpenSM
// 3.3.23 does not lower a port's lanes by it (seen in the tables that it writes).
func (r subnetRules) layQoS(s *qos.Set) {
	ib, mine := &r.IB, func(field string) bool { return r.wrote("ib." + field) }
	if s.HighLimit != nil && !mine("high-limit") {
		ib.HighLimit = int(*s.HighLimit)
	}
	fold := laneMask(ib.VLs)
	if s.High != nil && !mine("vlarb-high") {
		ib.VLArbHigh = folded(s.High, fold)
	}
	if s.Low != nil && !mine("vlarb-low") {
		ib.VLArbLow = folded(s.Low, fold)
	}
	if s.SL2VL == nil || mine("sl2vl") {
		return
	}
	for sl, vl := range s.SL2VL {
		ib.SL2VL[sl] = int(vl)
		if vl != discardVL {
			ib.SL2VL[sl] = int(vl) & fold
		}
	}
}

const (
	mostVLs   = 15 // data lanes of a port (IBA vol. 1, 7.6)
	discardVL = 15 // in an SL to VL table: packets of the level are discarded (IBA vol. 1, 7.6.6)
)

// OperationalVLs is the number of data lanes that a port can be set to: the largest of 1, 2, 4, 8
// and 15 that is not larger (IBA vol. 1, 14.2.5.6, OperationalVLs).
func OperationalVLs(vls int) int {
	switch {
	case vls >= mostVLs:
		return mostVLs
	case vls >= 8:
		return 8
	case vls >= 4:
		return 4
	case vls >= 2:
		return 2
	}
	return 1
}

// folded is an arbitration table with folded lanes. Entries without weight, which have no effect,
// are left out.
func folded(table []qos.Weight, fold int) (out []VLWeight) {
	for _, e := range table {
		if e.Blocks > 0 {
			out = append(out, VLWeight{VL: int(e.VL) & fold, Weight: int(e.Blocks)})
		}
	}
	return out
}

// SLOf is the service level of a path between two NICs in a P_Key partition; the key is without the
// membership bit. named resolves names of NICs.
func (f *Fabric) SLOf(from, to int, key PKey, named map[string][]int) int {
	fits := func(patterns []string, nic int) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			if p == AllNICs {
				return true
			}
			_, in := slices.BinarySearch(named[p], nic)
			return in
		})
	}
	for i := range f.IB.ServiceLevels {
		s := &f.IB.ServiceLevels[i]
		if (s.Partition == 0 || s.Partition == key) && fits(s.From, from) && fits(s.To, to) {
			return s.SL
		}
	}
	return f.IB.SL
}

// PatternNICs are the NICs of each pattern of the fabric's service levels, in
// ascending order; manager is the Subnet Manager's.
func (r *Resolved) PatternNICs(f *Fabric, manager int) map[string][]int {
	named := make(map[string][]int)
	for i := range f.IB.ServiceLevels {
		s := &f.IB.ServiceLevels[i]
		for _, p := range slices.Concat(s.From, s.To) {
			if _, known := named[p]; known || p == AllNICs {
				continue
			}
			var all []int
			for _, name := range Expand([]string{p}) {
				if name == ManagerNIC {
					all = append(all, manager)
					continue
				}
				nics, _ := r.Cluster.NICs(name)
				all = append(all, nics...)
			}
			slices.Sort(all)
			named[p] = all
		}
	}
	return named
}

// checkServiceLevels checks that their NICs and partitions exist.
func (r subnetRules) checkServiceLevels() {
	known := map[PKey]bool{DefaultPKey: true}
	for i := range r.IB.Partitions {
		known[r.IB.Partitions[i].Key] = true
	}
	for i := range r.IB.ServiceLevels {
		s := &r.IB.ServiceLevels[i]
		at := fmt.Sprintf("ib.service-levels[%d]", i)
		if s.Partition != 0 && !known[s.Partition] {
			r.complain(at+".partition", "the fabric has no partition %s", s.Partition.Exact())
		}
		r.checkNICs(at+".from", s.From, AllNICs, ManagerNIC)
		r.checkNICs(at+".to", s.To, AllNICs, ManagerNIC)
	}
}

// checkTable checks an arbitration table, and returns the weights of lanes.
func (r subnetRules) checkTable(at string, table []VLWeight, vls int) (weights [16]int) {
	if len(table) > 64 {
		r.complain(at, "the table has %d entries: at most 64 (IBA vol. 1, 7.6.9)", len(table))
	}
	for i, e := range table {
		if e.VL >= vls {
			r.complain(fmt.Sprintf("%s[%d].vl", at, i), "VL %d is not in use: there are VLs 0 to %d", e.VL, vls-1)
		}
		weights[e.VL] += e.Weight
	}
	return weights
}

// checkArbitration checks that the tables serve existing lanes, and every lane with messages.
func (r subnetRules) checkArbitration() {
	ib := &r.IB
	at := "ib."
	weights := r.checkTable(at+"vlarb-high", ib.VLArbHigh, ib.VLs)
	for vl, w := range r.checkTable(at+"vlarb-low", ib.VLArbLow, ib.VLs) {
		weights[vl] += w
	}
	nic := weights
	if own := &ib.NICVLArb; len(own.High)+len(own.Low) > 0 {
		nic = r.checkTable(at+"nic-vlarb.high", own.High, ib.VLs)
		for vl, w := range r.checkTable(at+"nic-vlarb.low", own.Low, ib.VLs) {
			nic[vl] += w
		}
	} else if own.Limit != 0 {
		r.complain(at+"nic-vlarb.limit", "a limit without tables: give nic-vlarb.high and nic-vlarb.low as well, or leave it out")
	}
	for _, sl := range append(ServiceLevelsOf(r.Fabric, &r.Workload), ib.AckSL) {
		if ib.SL2VL[sl] == discardVL {
			r.complain(fmt.Sprintf("ib.sl2vl[%d]", sl), "service level %d goes to VL 15, which discards, and the workload uses it", sl)
			return
		}
	}
	for _, sl := range ServiceLevelsOf(r.Fabric, &r.Workload) {
		if vl := ib.SL2VL[sl]; weights[vl] == 0 {
			r.complain("ib.vlarb-low", "VL %d, which carries the workload, has no weight in either table: it would never be served", vl)
			return
		} else if nic[vl] == 0 {
			r.complain("ib.nic-vlarb.low", "VL %d, which carries the workload, has no weight in either table of NICs: it would never be served", vl)
			return
		}
	}
}

// ServiceLevelsOf are the sorted service levels of a workload's messages on a fabric, without
// acknowledgements.
func ServiceLevelsOf(f *Fabric, w *Workload) []int {
	levels := []int{f.IB.SL}
	for i := range f.IB.ServiceLevels {
		levels = append(levels, f.IB.ServiceLevels[i].SL)
	}
	for i := range w.Flows {
		if sl := w.Flows[i].SL; sl > 0 {
			levels = append(levels, sl)
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}
