package sim_test

import (
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/fabric"
	"weft/internal/test/simtest"
)

// sightings counts the packets that a network shows.
type sightings struct{ sent, landed int }

func (s *sightings) Sent(*fabric.Sighting)   { s.sent++ }
func (s *sightings) Landed(*fabric.Sighting) { s.landed++ }

// A collective whose packets are followed takes the time of one whose packets are not. An observer joins the
// cells of hosts; a rank once began before that, and was lost.
func TestAnObservedCollectiveTakesTheSameTime(t *testing.T) {
	for _, fabricName := range []string{"infiniband-ndr", "roce-v2-400g"} {
		r := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [`+fabricName+`]
workload: {collective: all-reduce, sizes: [1MiB]}
`)
		var seen sightings
		observed, err := sim.Observe(t.Context(), r, func(n *fabric.Network) { n.Follow(&seen) })
		if err != nil {
			t.Fatal(err)
		}
		alone, err := sim.Run(t.Context(), r, sim.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		a, b := observed.Fabrics[0].Points[0], alone.Fabrics[0].Points[0]
		if a.Time != b.Time || a.Counts.WithoutWork() != b.Counts.WithoutWork() || seen.sent == 0 {
			t.Errorf("%s: followed %v, else %v; %d packets were seen", fabricName, a.Time, b.Time, seen.sent)
		}
	}
}
