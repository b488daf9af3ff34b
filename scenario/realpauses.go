package scenario

import (
	"fmt"
	"reflect"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/roce/sonic"
	"weft/internal/sim/cabled"
)

// pauses adds for each port between two switches what a pause of the data from the other end stops there, if that is not
// what it stops between switches that are alike. The other end pauses the priority in which it has the data.
func (d *derivedSettings) pauses(placed *cabled.Placed) {
	stopped := map[string]map[string][]int{} // by switch and setting: the ports
	var order []string
	for _, l := range placed.Links {
		for _, ends := range [2][4]int{{l.A, l.PortA, l.B, l.PortB}, {l.B, l.PortB, l.A, l.PortA}} {
			name := placed.Devices[ends[0]].Name
			from, to := d.at[placed.Devices[ends[2]].Name][ends[3]], d.at[name][ends[1]]
			if from == nil || to == nil {
				continue
			}
			set := d.stopsAt(to, from)
			if set == "" {
				continue
			}
			if stopped[name] == nil {
				stopped[name] = map[string][]int{}
				order = append(order, name)
			}
			stopped[name][set] = append(stopped[name][set], ends[1])
		}
	}
	for _, name := range order {
		for set, ports := range stopped[name] {
			d.add(portPatterns(ports), []string{set}, name)
		}
	}
}

// stopsAt is the setting of a port for pauses of the data from a port at the other end; "" if that is what its own
// configuration says.
func (d *derivedSettings) stopsAt(to, from *sonic.Port) string {
	there, here := from.ClassOf(d.Ethernet.DSCP), to.ClassOf(d.Ethernet.DSCP)
	if !from.Lossless(there.Group) || there.Group == here.Group || d.wrote("ethernet.pfc.stops") {
		return ""
	}
	number := d.like.of(here.Queue, to.ClassOf(d.Ethernet.CNPDSCP).Queue)
	queue := -1
	if q := to.PFCQueueOf(there.Group); slices.Contains(to.PFC, there.Group) && q >= 0 && q < len(number) {
		queue = number[q]
	}
	stops := slices.DeleteFunc(number.stops(portStops(to, here)), func(s Stop) bool { return s.Priority == d.like.data })
	if queue != d.like.data {
		stops = append(stops, Stop{Priority: d.like.data, Queue: queue})
	}
	sorting.Func(stops, func(a, b Stop) int { return a.Priority - b.Priority })
	if slices.Equal(stops, number.stops(portStops(to, here))) {
		return ""
	}
	return fmt.Sprintf("ethernet.pfc.stops=%s", flow(reflect.ValueOf(append([]Stop{}, stops...)), false))
}
