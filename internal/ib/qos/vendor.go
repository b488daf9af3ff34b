package qos

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/ib/format"
)

// Vendor is what an opensm.conf of NVIDIA's OpenSM 5, which UFM has too, says besides quality of service. Its keys are those
// of osm_subn_opt_t in its osm_subnet.h, and of the appendix "UFM Subnet Manager Default Properties" of UFM's manual.
type Vendor struct {
	Adaptive   *bool   // ar_mode is not 0; nil: no key
	LevelMask  *uint16 // ar_sl_mask: service levels with adaptive routing, a bit each; nil: all
	Engine     string  // routing_engine
	SHARP      *bool   // sharp_enabled is 2; 0 leaves the switches as they are, and 1 switches SHARP off; nil: no key, or 0
	Partitions string  // partition_config_file
	// Others are keys of NVIDIA's alone that a simulation does not use, with their values.
	Others []Line
}

// vendorKeys are the beginnings of keys that NVIDIA's OpenSM has and OpenSM 3.3 has not.
var vendorKeys = []string{
	"ar_", "enable_ar_", "adv_routing_engine", "shield_mode", "pfrn_", "hbf_", "sharp_", "planarized_routing", "fabric_mode_",
	"mlnx_congestion_control", "congestion_control_policy_file", "pgrp_policy_file", "topo_policy_file", "rch_policy_file",
	"tenants_policy", "enhanced_qos_policy_file", "m_key_per_port", "key_mgr_", "vs_key_", "cc_key_", "n2n_key_", "virt_", "hm_",
	"calc_missing_routes", "max_cas_on_spine", "find_roots_color_algorithm", "dfp_", "updn_lid_tracking", "offsweep_balancing",
	"improved_lmc_path_distribution", "routing_flags", "enable_vl_packing", "fast_recovery", "nvlink_", "nvl_", "flid_", "global_flid", "local_flid",
}

// ReadVendor reads these keys; others are left to other readers. The last of two equal keys counts.
func ReadVendor(name string, r io.Reader) (*Vendor, error) {
	lines, err := ReadLines(name, r)
	if err != nil {
		return nil, err
	}
	v := &Vendor{}
	var errs Errors
	for _, l := range lines {
		if l.Value == "" || l.Value == "(null)" {
			continue
		}
		if err := v.set(l); err != nil {
			if len(errs.List) == maxProblems {
				errs.More++
				continue
			}
			errs.List = append(errs.List, format.Problem{File: name, Line: l.Number, Text: err.Error()})
		}
	}
	if len(errs.List)+errs.More > 0 {
		return nil, &errs
	}
	return v, nil
}

func (v *Vendor) set(l Line) error {
	number := func(bits int) (uint64, error) {
		n, err := strconv.ParseUint(l.Value, 0, bits)
		if err != nil {
			return 0, fmt.Errorf("%s: expected a number of %d bits, not %q", l.Key, bits, l.Value)
		}
		return n, nil
	}
	switch l.Key {
	case "ar_mode":
		n, err := number(8)
		on := n > 0
		v.Adaptive = &on
		return err
	case "ar_sl_mask":
		n, err := number(16)
		mask := uint16(n)
		v.LevelMask = &mask
		return err
	case "sharp_enabled":
		n, err := number(8)
		if err == nil && n > 2 {
			return fmt.Errorf("sharp_enabled: expected 0 (ignore), 1 (disable) or 2 (enable), not %d", n)
		}
		if v.SHARP = nil; n > 0 {
			on := n == 2
			v.SHARP = &on
		}
		return err
	case "routing_engine":
		v.Engine = l.Value
		return nil
	case "partition_config_file":
		v.Partitions = l.Value
		return nil
	}
	for _, begin := range vendorKeys {
		if strings.HasPrefix(l.Key, begin) {
			v.Others = append(v.Others, l)
			return nil
		}
	}
	return nil
}
