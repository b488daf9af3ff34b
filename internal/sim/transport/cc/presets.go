package cc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/units"
)

// ErrPreset is a name that no set of parameters has.
var ErrPreset = errors.New("cc: no such preset")

// dcqcnPreset is a named set of DCQCN parameters with its source. Sources: V
// was read in the named place, R is recalled and wants a check.
type dcqcnPreset struct {
	name   string
	source string
	params func(line units.Rate) DCQCNParams
}

var dcqcnPresets = []dcqcnPreset{
	{
		name: "paper",
		source: "Zhu et al., SIGCOMM 2015 (R): g 1/256, N = 50 us, K and timer 55 us, byte counter 10 MB, F = 5, R_AI 40 Mb/s; " +
			"R_HAI 200 Mb/s and K = 55 us as in the authors' ns3-rdma configuration (V), which K > N needs; minimum 40 Mb/s (R)",
		params: func(line units.Rate) DCQCNParams {
			return DCQCNParams{
				LineRate: line, MinRate: 40 * units.Mbps, MinDecrease: 1 << 15,
				Gain: 1 << 16 / 256, InitialAlpha: 1 << 16, AlphaPeriod: 55 * units.Microsecond,
				ClampTarget:    true,
				IncreasePeriod: 55 * units.Microsecond, IncreaseBytes: 10 * units.MB,
				FastRecovery: 5, AdditiveRate: 40 * units.Mbps, HyperRate: 200 * units.Mbps,
				CNPInterval: 50 * units.Microsecond,
			}
		},
	},
	{
		name: "firmware",
		source: "ConnectX-5/6 class defaults as mlxconfig prints them (V): time reset 300 us, byte reset 32767, threshold 1, AI 5 Mb/s, " +
			"HAI 50 Mb/s, minimum 1 Mb/s, alpha every 1 us, decrease every 4 us, CNPs of a port at least 4 us apart (in four of six dumps; also 2 and 0), " +
			"initial alpha 1023/1024, clamp 0, after timer 1, rate on first CNP 0 = unchanged (R). dce_tcp_g 1019 is the weight of the newest CNP in " +
			"1024ths (V: the field's text in mlxconfig and mstflint, where the older default of 64 is 1/16; conflicts with firmware-averaged). rpg_gd 11 divides " +
			"the 10-bit alpha by 2^11, which is alpha/2 (V), so that rpg_min_dec_fac 50 never binds. The byte reset in units of 1 kB is D: the older default of " +
			"150 is QCN's 150 kB; the text says bytes",
		params: func(line units.Rate) DCQCNParams { return firmwareDCQCN(line, 1019) },
	},
	{
		name:   "firmware-averaged",
		source: "as firmware, with dce_tcp_g 1019 as the weight of the old alpha: alpha = 1019/1024 alpha + 5/1024 (V: NVIDIA, DCQCN CC parameters)",
		params: func(line units.Rate) DCQCNParams { return firmwareDCQCN(line, 1024-1019) },
	},
	{
		name: "ns3",
		source: "HPCC's run.py `dcqcn` as in the reference runs (V): alpha 1 us, decrease 4 us, timer 300 us, g 1/256, F = 1, " +
			"AI 5 Mb/s and HAI 50 Mb/s per 25 Gb/s of line, minimum 1 Gb/s, no byte counter, marks echoed in every acknowledgement",
		params: func(line units.Rate) DCQCNParams { return ns3DCQCN(line, 1, 4, 300) },
	},
	{
		name:   "ns3-paper",
		source: "as ns3, with the paper's clocks (V): alpha 50 us, decrease 50 us, timer 55 us",
		params: func(line units.Rate) DCQCNParams { return ns3DCQCN(line, 50, 50, 55) },
	},
	{
		name:   "ns3-vwin",
		source: "as ns3, with a window of one bandwidth-delay product, which the queue pair brings, scaled by the rate (V: HAS_WIN, VAR_WIN)",
		params: func(line units.Rate) DCQCNParams {
			p := ns3DCQCN(line, 1, 4, 300)
			p.ScaleWindow = true
			return p
		},
	},
}

// firmwareDCQCN is ConnectX's DCQCN with a gain in 1024ths.
func firmwareDCQCN(line units.Rate, gain uint32) DCQCNParams {
	return DCQCNParams{
		LineRate: line, MinRate: 1 * units.Mbps, MinDecrease: 1 << 15,
		Gain: gain << 6, InitialAlpha: 1023 << 6, AlphaPeriod: 1 * units.Microsecond,
		DecreasePeriod: 4 * units.Microsecond, ClampAfterTimer: true,
		IncreasePeriod: 300 * units.Microsecond, IncreaseBytes: 32767 * 1000,
		FastRecovery: 1, AdditiveRate: 5 * units.Mbps, HyperRate: 50 * units.Mbps,
		CNPInterval: 4 * units.Microsecond, CNPsOfPort: true,
	}
}

// ns3DCQCN is the HPCC ns-3 model's DCQCN with its three clocks in microseconds.
func ns3DCQCN(line units.Rate, alpha, decrease, timer units.Time) DCQCNParams {
	return DCQCNParams{
		LineRate: line, MinRate: 1 * units.Gbps, MinDecrease: 1 << 15,
		Gain: 1 << 16 / 256, InitialAlpha: 1 << 16, AlphaPeriod: alpha * units.Microsecond,
		DecreasePeriod: decrease * units.Microsecond, ClampAfterTimer: true,
		IncreasePeriod: timer * units.Microsecond,
		FastRecovery:   1, AdditiveRate: line / 5000, HyperRate: line / 500,
	}
}

// DCQCNPreset is the set of a name, for ports of a line rate.
func DCQCNPreset(name string, line units.Rate) (DCQCNParams, error) {
	i := slices.IndexFunc(dcqcnPresets, func(p dcqcnPreset) bool { return p.name == name })
	if i < 0 {
		return DCQCNParams{}, fmt.Errorf("%w: DCQCN %q, want one of %s", ErrPreset, name, strings.Join(DCQCNPresets(), ", "))
	}
	return dcqcnPresets[i].params(line), nil
}

// DCQCNPresets are the names of the sets.
func DCQCNPresets() []string {
	names := make([]string, len(dcqcnPresets))
	for i, p := range dcqcnPresets {
		names[i] = p.name
	}
	return names
}
