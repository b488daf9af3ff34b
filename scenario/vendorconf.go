package scenario

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"weft/internal/ib/qos"
)

// deriveVendor applies what an opensm.conf says of adaptive routing, SHARP and partitions, as NVIDIA's OpenSM and UFM write
// it, and tells what has no effect. Values in the scenario stay. It reports whether a key took effect.
func (r subnetRules) deriveVendor(name string, text []byte) (applied bool) {
	v, err := qos.ReadVendor(name, bytes.NewReader(text))
	if err != nil {
		r.complain("ib.opensm-conf", "%v", err)
		return true
	}
	if v.Adaptive != nil {
		applied = true
		r.applyAdaptive(name, v)
	}
	if v.SHARP != nil {
		applied = true
		r.applySHARP(name, *v.SHARP)
	}
	if v.Partitions != "" && r.IB.PartitionsConf == "" && len(r.IB.Partitions) == 0 {
		applied = r.applyPartitions(name, v.Partitions) || applied
	}
	if v.Engine != "" && !r.wrote("ib.engine") {
		r.tell("%s: routing_engine %s has no effect here: state ib.engine", name, v.Engine)
	}
	if len(v.Others) > 0 {
		var list []string
		for _, l := range v.Others {
			list = append(list, l.Key+" "+l.Value)
		}
		r.tell("%s: without effect: %s", name, strings.Join(list, ", "))
	}
	return applied
}

func (r subnetRules) tell(format string, args ...any) {
	r.real.notes = append(r.real.notes, fmt.Sprintf(format, args...))
}

// applyAdaptive switches adaptive routing on or off: on if ar_mode is not 0 and the level of the data is in ar_sl_mask.
func (r subnetRules) applyAdaptive(name string, v *qos.Vendor) {
	on := *v.Adaptive && (v.LevelMask == nil || *v.LevelMask>>r.IB.SL&1 == 1)
	switch {
	case r.wrote("routing.mode"):
		r.tell("%s: ar_mode has no effect, since the scenario states routing.mode", name)
	case on && (r.Topology.Shape == Torus || len(r.Routing.Forwarding) > 0):
		r.tell("%s: ar_mode has no effect on a torus, and with routing.tables: routing.mode is deterministic", name)
	case on:
		r.Routing.Mode = Adaptive
	default:
		r.Routing.Mode = Deterministic
	}
}

// applySHARP switches reductions in the network on, if the switches can, or off.
func (r subnetRules) applySHARP(name string, on bool) {
	switch able := r.Switch.StreamingAggregation != "" && r.Switch.StreamingAggregation != NoAggregation; {
	case r.wrote("ib.sharp"):
		r.tell("%s: sharp_enabled has no effect, since the scenario states ib.sharp", name)
	case on && !able:
		r.tell("%s: sharp_enabled has no effect: the switch %s has no streaming aggregation", name, r.Switch.Model)
	default:
		r.IB.SHARP = on
	}
}

// applyPartitions takes the partitions.conf that the file names, by its path or beside the scenario.
func (r subnetRules) applyPartitions(name, path string) bool {
	for _, at := range []string{path, filepath.Base(path)} {
		if f, err := r.open(at); err == nil {
			_ = f.Close()
			r.IB.PartitionsConf = at
			return true
		}
	}
	r.tell("%s: partition_config_file %s cannot be read here, so that there are no partitions: state ib.partitions-conf", name, path)
	return false
}
