package sim

import (
	"context"
	"slices"

	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// mostRangeHops bounds the size that is simulated again with other switch latencies, in packet-hops
// over all fabrics: about a second of a core.
const mostRangeHops = 2_000_000

// bounds are the smallest and the largest latency of a fabric's switch in the sources; false if
// they are equal, or if the scenario has a latency of its own.
func bounds(f *scenario.Fabric) (latency [2]units.Time, sources [2]string, differ bool) {
	e, err := catalog.Lookup(catalog.Switch, f.Switch.Model)
	if err != nil {
		return latency, sources, false
	}
	for i, field := range []string{"about.latency-least", "about.latency-most"} {
		fact, ok := e.Known(field)
		if !ok {
			return latency, sources, false
		}
		if latency[i], err = units.ParseTime(fact.Value); err != nil {
			return latency, sources, false
		}
		sources[i] = string(fact.Tag) + ": " + fact.Source
	}
	fact, _ := e.Get("latency")
	own, err := units.ParseTime(fact.Value)
	return latency, sources, err == nil && own == f.Switch.Latency
}

// switchRanges simulates the smallest size again with the smallest and the largest switch latency
// of each fabric, if there is more than one fabric and the sources differ for one: at small sizes
// that can decide which fabric leads.
func switchRanges(ctx context.Context, r *scenario.Resolved, out *runstore.Results, o Options) {
	var hops int64
	differ := false
	for i := range out.Fabrics {
		p := &out.Fabrics[i].Points[0]
		if !p.Measured() || p.Partial {
			return
		}
		hops += p.Counts.PacketHops
		_, _, d := bounds(&r.Fabrics[i])
		differ = differ || d
	}
	if len(r.Fabrics) < 2 || len(r.Faults) > 0 || !differ || hops > mostRangeHops {
		return
	}
	ranges := make([]runstore.SwitchRange, len(r.Fabrics))
	for end := range 3 {
		own := *r
		own.Run.Jitter, own.Fabrics = false, slices.Clone(r.Fabrics)
		if len(r.Workload.Sizes) > 0 {
			own.Workload.Sizes = r.Workload.Sizes[:1]
		}
		for i := range own.Fabrics {
			f := &own.Fabrics[i]
			if latency, sources, d := bounds(&r.Fabrics[i]); d {
				f.Switch.Latency = [3]units.Time{latency[0], f.Switch.Latency, latency[1]}[end]
				ranges[i].Sources = sources
			}
			ranges[i].LatencyPs[end], ranges[i].Switch = int64(f.Switch.Latency), f.Switch.Model
		}
		again, err := Run(ctx, &own, Options{Workers: o.Workers, Cache: o.Cache, Exact: o.Exact})
		if err != nil {
			return // there is no result with other switches: nothing is reported
		}
		for i := range ranges {
			ranges[i].Bytes, ranges[i].TimePs[end] = again.Fabrics[i].Points[0].Bytes, int64(again.Fabrics[i].Points[0].Time)
		}
	}
	for i := range ranges {
		out.Fabrics[i].SwitchRange = &ranges[i]
	}
}
