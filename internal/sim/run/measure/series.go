package measure

import (
	"iter"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/messages"
	"weft/internal/sim/fabric/series"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// TellSeries gives the series of a simulation that has ended to its plan, if it has recorded one. end is
// the time at which its workload was complete. A row of the steps has the given number of them.
func TellSeries(n *network.Network, end units.Time, steps []results.SeriesStep, merged int) {
	if n.NextTime() == units.Forever { // else it was stopped, or has reached a limit
		n.Ended.Store(int64(end))
	}
	if n.Plan.Series != nil {
		s := seriesOf(n, end)
		s.Steps, s.Simulation.StepsMerged = steps, int32(merged)
		n.Plan.Series(s)
	}
}

func seriesOf(n *network.Network, end units.Time) *results.Series {
	r := n.Recorded()
	flows, kept := n.RecordedMessages()
	s := &results.Series{Simulation: simulation(n, r, end), Nodes: nodes(n), Links: links(n)}
	s.Simulation.Flows, s.Simulation.FlowsKept = flows, int64(len(kept))
	s.Samples = samples(n, r, r.Samples, r.Interval, &s.Simulation)
	if len(r.Details) > 0 {
		s.Simulation.DetailPs = int64(series.FirstInterval)
		s.Details = samples(n, r, r.Details, series.FirstInterval, &s.Simulation)
	}
	for i := range kept {
		s.Flows = append(s.Flows, flow(n, &kept[i]))
	}
	if end == 0 && len(r.Samples) > 0 { // it was not complete
		for i := range r.Samples {
			s.Simulation.DurationPs = max(s.Simulation.DurationPs, int64(r.Samples[i].Interval+1)*int64(r.Interval))
		}
	}
	s.Hops = hopsOf(n, r, kept)
	s.Pauses = pausesOf(n, units.Time(s.Simulation.DurationPs))
	return s
}

// samples are the rows of samples of a length of intervals; simulation may get its number later.
func samples(n *network.Network, r *series.Recording, all []series.Sample, interval units.Time, simulation *results.SeriesSimulation) iter.Seq[results.SeriesSample] {
	type link struct {
		credited bool
		perByte  units.PerByte
		scaleOut bool
	}
	links := make([]link, n.Links())
	for i := range links {
		at := int32(i)
		links[i] = link{n.Credited(at), n.LinkPerByte(at), n.ScaleOut(at)}
	}
	plan := n.Plan
	return func(yield func(results.SeriesSample) bool) {
		for i := range all {
			s := &all[i]
			at := s.Lane / int32(r.Classes)
			l := &links[at]
			row := results.SeriesSample{
				Simulation: simulation.Simulation, Link: at, Lane: laneOf(plan, s.Lane%int32(r.Classes), l.scaleOut),
				TimePs: int64(s.Interval) * int64(interval), Bytes: s.Bytes,
				Utilisation: min(1, float32(float64(s.Bytes)*float64(l.perByte.Num)/float64(l.perByte.Den)/float64(interval))),
				QueueMean:   float32(float64(s.Area) / float64(interval)), QueueMax: s.Peak,
				Marks: int32(s.Marks), Drops: int32(s.Drops), ReceiveDrops: int32(s.Refused),
			}
			if l.credited {
				row.CreditWaits, row.CreditWaitPs = int32(s.Stops), int64(s.Stopped)
			} else {
				row.Pauses, row.PausedPs = int32(s.Stops), int64(s.Stopped)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// laneOf is the priority or the virtual lane of a class.
func laneOf(p *network.Plan, class int32, scaleOut bool) int32 {
	if !scaleOut || p.Lanes != nil || int(class) >= len(p.Class.Used) {
		return class
	}
	return int32(p.Class.Used[class])
}

// flow is the row of a message.
func flow(n *network.Network, f *messages.Message) results.SeriesFlow {
	row := results.SeriesFlow{
		From: f.From, To: f.To, Connection: int64(f.Entropy), Lane: laneOf(n.Plan, int32(f.Class), true), Bytes: f.Bytes,
		StartPs: int64(f.Posted), EndPs: int64(f.Ended), Retransmissions: int32(f.Retransmissions),
	}
	if took := f.Ended - f.Posted; took > 0 {
		row.RateGbps = float32(float64(f.Bytes) * 8 / took.Seconds() / 1e9)
	}
	return row
}

// The layers of the scale-up network, below the NICs.
const (
	layerGPU     = -1
	layerScaleUp = -2
)

// nodes are the nodes of a network. Within a layer their positions follow their numbers.
func nodes(n *network.Network) (rows []results.SeriesNode) {
	placed := make(map[int32]int32) // by layer
	g := n.Plan.Graph
	for id := range int32(n.Nodes()) {
		row := results.SeriesNode{
			Fabric: n.Plan.Fabric.Name, Node: id, Name: n.NodeName(id), Kind: n.NodeKind(id), Group: -1, Rail: -1, Plane: -1, Host: -1,
		}
		if int(id) < len(g.Nodes) {
			nd := &g.Nodes[id]
			row.Layer, row.Group, row.Rail, row.Plane = int32(nd.Level), nd.Group, nd.Rail, nd.Plane
			if int(id) < g.Endpoints && g.NodeNICs > 0 {
				row.Host = id / int32(g.NodeNICs)
			}
		} else {
			switch row.Kind {
			case fabric.KindGPU:
				row.Layer, row.Host = layerGPU, (id-n.FirstGPU)/n.Stride
			case fabric.KindScaleUpSwitch:
				row.Layer = layerScaleUp
			}
		}
		row.Position = placed[row.Layer]
		placed[row.Layer]++
		rows = append(rows, row)
	}
	return rows
}

// links are the links of a network.
func links(n *network.Network) (rows []results.SeriesLink) {
	for link := range int32(n.Links()) {
		back := n.Back(link)
		if back < 0 {
			continue // no cable
		}
		from, to := n.LinkEnds(link)
		row := results.SeriesLink{
			Fabric: n.Plan.Fabric.Name, Link: link, Name: n.LinkName(link), Tier: results.ScaleUpTier, From: from, FromPort: n.LinkPort(link) + 1,
			To: to, ToPort: n.LinkPort(back) + 1, Back: back, RateBps: int64(n.LinkRate(link)), PropagationPs: int64(n.Propagation(link)),
		}
		if n.ScaleOut(link) {
			row.Tier = tierName(n.Plan, tierOf(n, link))
		}
		rows = append(rows, row)
	}
	return rows
}
