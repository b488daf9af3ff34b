package serve

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"weft/scenario"
)

// Layers that lanes rest for change no time and no counter, alone or beside others, with experts or
// without.
func TestRestsChangeNoResult(t *testing.T) {
	deep := set("serving.model.layers", "40")
	busy := set("serving.load", "{rate: 60, requests: 20, prompt: 2048, output: 4}")
	for _, c := range []struct {
		name   string
		with   []scenario.Override
		rested float64 // share of the events, at least
	}{
		{"one at a time", []scenario.Override{deep, set("serving.load", "{rate: 2, requests: 6, prompt: 2048, output: 4}")}, 0.7},
		{"several at a time", []scenario.Override{deep, busy}, 0.2},
		{"by hashed paths", []scenario.Override{deep, busy, set("topology", "{shape: fat-tree, levels: 2, radix: 16}")}, 0},
		{"with experts", append(slices.Clone(crowded), set("serving.model.layers", "12")), 0},
	} {
		whole := served(t, Options{whole: true, packets: 100_000}, c.with...).Points[0].Fabrics
		rested := served(t, Options{packets: 100_000}, c.with...).Points[0].Fabrics
		for i := range whole {
			a, b := &whole[i], &rested[i]
			if a.Run == nil || !reflect.DeepEqual(a.Run, b.Run) || !reflect.DeepEqual(a.Contention, b.Contention) {
				t.Errorf("%s, %s: other times:\n%+v\n%+v", c.name, a.Name, a.Run, b.Run)
			}
			if least := 1 - float64(b.Counts.Events)/float64(a.Counts.Events); least < c.rested && a.Protocol != "tcp" {
				t.Errorf("%s, %s: %.2f of the events are saved, want %.2f", c.name, a.Name, least, c.rested)
			}
			for _, n := range [][2]int64{
				{a.Counts.Packets, b.Counts.Packets}, {a.Counts.PacketHops, b.Counts.PacketHops}, {a.Counts.Hashed, b.Counts.Hashed}, {a.Hottest[0].Bytes, b.Hottest[0].Bytes},
			} {
				if math.Abs(float64(n[0]-n[1])) > 1e-3*float64(n[0]) {
					t.Errorf("%s, %s: counters differ: %d and %d", c.name, a.Name, n[0], n[1])
				}
			}
			if x := slices.Compare([]int64{a.Counts.Marks, a.Counts.Pauses}, []int64{b.Counts.Marks, b.Counts.Pauses}); x != 0 {
				t.Errorf("%s, %s: other marks or pauses", c.name, a.Name)
			}
		}
	}
}
