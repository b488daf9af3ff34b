package roceexport

import (
	"fmt"
	"math/bits"
	"strings"

	"weft/scenario"
	"weft/units"
)

// Host writes a script for an interface and its device, and NCCL's environment.
func (p *Plan) Host() (*Output, error) {
	l := &lines{}
	l.add("#!/bin/sh")
	l.add("# weft: %s. Usage: host.sh INTERFACE DEVICE, such as ens1f0np0 mlx5_0", p.Name)
	l.add("set -eu")
	l.add("IF=$1 DEV=$2")
	l.add("mlnx_qos -i $IF --trust dscp")
	l.add("mlnx_qos -i $IF --dscp2prio set,%d,%d", p.DSCP, p.Data)
	l.add("mlnx_qos -i $IF --dscp2prio set,%d,%d", p.CNPDSCP, p.CNP)
	l.add("mlnx_qos -i $IF --pfc %s", p.flags())
	l.add("mlnx_qos -i $IF --cable_len=%d", metres(p.hostCable()))
	l.add("ethtool -A $IF rx off tx off || true # fails where it is off already")
	l.add("cma_roce_tos -d $DEV -t %d", tc(p.DSCP))
	l.add("echo %d > /sys/class/infiniband/$DEV/tc/1/traffic_class", tc(p.DSCP))
	out := &Output{}
	out.Notes = append(out.Notes, p.congestion(l)...)
	out.Files = []File{{"host.sh", l.String()}, {"nccl.conf", p.nccl()}}
	return out, nil
}

// flags are PFC of the eight priorities.
func (p *Plan) flags() string {
	words := strings.Split("0,0,0,0,0,0,0,0", ",")
	for _, n := range p.priorities() {
		words[n] = "1"
	}
	return strings.Join(words, ",")
}

// congestion writes DCQCN's parameters, and notes the rounded ones.
func (p *Plan) congestion(l *lines) (notes []string) {
	const np, rp = "/sys/class/net/$IF/ecn/roce_np", "/sys/class/net/$IF/ecn/roce_rp"
	on := 0
	if p.CC.Algorithm == scenario.DCQCN {
		on = 1
	}
	l.add("echo %d > %s/enable/%d", on, np, p.Data)
	l.add("echo %d > %s/enable/%d", on, rp, p.Data)
	if on == 0 {
		return nil
	}
	l.add("echo %d > %s/cnp_dscp", p.CNPDSCP, np)
	l.add("echo %d > %s/cnp_802p_prio", p.CNP, np)
	for _, x := range p.parameters() {
		dir := rp
		if x.name == "min_time_between_cnps" {
			dir = np
		}
		l.add("echo %d > %s/%s", x.num/max(1, x.den), dir, x.name)
		if x.num%max(1, x.den) != 0 {
			notes = append(notes, fmt.Sprintf("host: %s is a whole number: %d stands for %s, which the simulation had", x.name, x.num/max(1, x.den), x.exact))
		}
	}
	return notes
}

// parameter is a firmware value as a fraction, which the firmware rounds down.
type parameter struct {
	name, exact string
	num, den    int64
}

// parameters are DCQCN's in the firmware's units (mlx5_ifc,
// cong_control_r_roce_ecn_rp_bits; the gain and the unit of the byte counter as in the catalog's dcqcn-firmware).
func (p *Plan) parameters() []parameter {
	v := scenario.ValuesOf(&p.CC)
	span := func(name string, t units.Time) parameter {
		return parameter{name, t.String(), int64(t), int64(units.Microsecond)}
	}
	rate := func(name string, r units.Rate) parameter {
		return parameter{name, r.String(), int64(r), int64(units.Mbps)}
	}
	of := func(name string, r scenario.Ratio, unit int64) parameter {
		return parameter{name, r.String(), r.Num * unit, max(1, r.Den)}
	}
	truth := func(name string, b bool) parameter {
		if b {
			return parameter{name, "true", 1, 1}
		}
		return parameter{name, "false", 0, 1}
	}
	first := v.Ratio("first-rate").Of(int64(p.Speed / units.Mbps))
	return []parameter{
		span("min_time_between_cnps", v.Time("cnp-period")),
		span("rpg_time_reset", v.Time("increase-period")),
		{"rpg_byte_reset", v.Bytes("byte-counter").String(), int64(v.Bytes("byte-counter")), 1000},
		{"rpg_threshold", fmt.Sprint(v.Int("fast-recovery")), int64(v.Int("fast-recovery")), 1},
		rate("rpg_ai_rate", v.Rate("ai-rate")), rate("rpg_hai_rate", v.Rate("hai-rate")), rate("rpg_min_rate", v.Rate("min-rate")),
		of("rpg_min_dec_fac", v.Ratio("min-decrease"), 100),
		{"rate_to_set_on_first_cnp", v.Ratio("first-rate").String(), first, 1},
		of("dce_tcp_g", v.Ratio("g"), 1024),
		span("dce_tcp_rtt", v.Time("alpha-period")),
		span("rate_reduce_monitor_period", v.Time("decrease-period")),
		of("initial_alpha_value", v.Ratio("initial-alpha"), 1024),
		truth("clamp_tgt_rate", v.Bool("clamp-target")),
		truth("clamp_tgt_rate_after_time_inc", v.Bool("clamp-after-timer")),
	}
}

// nccl is an nccl.conf.
func (p *Plan) nccl() string {
	l := &lines{}
	t := &p.Transport
	split := 0
	if t.SplitData {
		split = 1
	}
	l.add("NCCL_IB_TC=%d", tc(p.DSCP))
	l.add("NCCL_IB_QPS_PER_CONNECTION=%d", t.QPsPerConnection)
	l.add("NCCL_IB_SPLIT_DATA_ON_QPS=%d", split)
	if t.Timeout != units.Forever {
		l.add("NCCL_IB_TIMEOUT=%d", timeoutCode(t.Timeout))
	}
	l.add("NCCL_IB_RETRY_CNT=%d", t.Retry)
	return l.String()
}

// timeoutCode is the verbs' local acknowledgement timeout: the least n with 4.096 us · 2^n at least
// that long.
func timeoutCode(t units.Time) int {
	const unit = 4096 * units.Nanosecond
	return bits.Len64(uint64((t - 1) / unit))
}
