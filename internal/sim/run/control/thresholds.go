package control

import (
	"fmt"
	"slices"

	"weft/internal/roce"
	"weft/scenario"
	"weft/units"
)

// Thresholds are the thresholds of a fabric's switch and the bounds that they are compared with, in
// bytes.
type Thresholds struct {
	XoffOne  int64 `json:"xoff_one_input_bytes"`
	XoffAll  int64 `json:"xoff_all_ports_bytes"`
	Ports    int   `json:"ports"` // in use, of the switch with the most
	Headroom int64 `json:"headroom_bytes"`
	Bound    int64 `json:"headroom_bound_bytes"`            // bytes that may arrive after a pause
	Vendor   int64 `json:"headroom_vendor_bytes,omitempty"` // 0: no formula is public
	Kmin     int64 `json:"kmin_bytes,omitempty"`            // 0: ECN is off
	Kmax     int64 `json:"kmax_bytes,omitempty"`
}

// compare compares the thresholds of a fabric with each other. buffer is the buffer of the switch
// with the most ports in use, loop the loop over the longest cable.
func (l *Lossless) compare(f *scenario.Fabric, buffer *roce.Buffer, ports int, loop *roce.Loop, longest units.Length) {
	pfc, ecn := &f.Ethernet.PFC, &f.Ethernet.ECN
	vendor := vendorHeadroom(f, longest)
	l.Values = &Thresholds{
		XoffOne: int64(buffer.Threshold(1)), XoffAll: int64(buffer.Threshold(ports)), Ports: ports,
		Headroom: int64(pfc.Headroom), Bound: int64(loop.Bound()), Vendor: int64(vendor),
	}
	l.Findings = roce.CompareHeadroom(pfc.Headroom, loop.Bound(), vendor)
	for _, s := range pfc.Stops {
		if !slices.Contains(pfc.Priorities, s.Priority) {
			continue // it has no pauses
		}
		l.Findings = append(l.Findings, roce.Finding{
			Wrong: true, What: fmt.Sprintf("a pause of priority %d stops %s of a switch", s.Priority, queueText(s.Queue)),
			Remedy: "correct the map of priorities to queues (pfc.stops): a paused class continues and overruns the headroom",
		})
	}
	if ecn.Enabled {
		l.Values.Kmin, l.Values.Kmax = int64(ecn.Kmin), int64(ecn.Kmax)
		l.Findings = append(l.Findings, roce.CompareMarking(buffer, roce.Marking{Kmin: ecn.Kmin, Kmax: ecn.Kmax}, ports)...)
	}
}

// queueText is the queue that a pause stops instead of its own.
func queueText(queue int) string {
	if queue < 0 {
		return "no queue"
	}
	return fmt.Sprintf("queue %d", queue)
}

// asicOf is the chip of a switch whose headroom has a public formula.
var asicOf = map[string]string{
	"sn2700": "spectrum-1", "sn3700": "spectrum-2", "sn4700": "spectrum-3",
	"sn5400": "spectrum-4", "sn5600": "spectrum-4", "sn5640": "spectrum-5",
}

// vendorHeadroom is the result of the vendor's formula, with small packets only as in the shipped
// tables; 0 if no formula is public.
func vendorHeadroom(f *scenario.Fabric, cable units.Length) units.Bytes {
	asic, _, err := roce.Lookup(asicOf[f.Switch.Model])
	if err != nil || asic == nil {
		return 0
	}
	h, err := asic.Headroom(roce.Port{Speed: f.Link.Rate(), Cable: cable, MTU: 9216, Lanes: f.Link.Lanes}, roce.Pattern{SmallPercent: 100, MTU: 1024}, false)
	if err != nil {
		return 0
	}
	return h.Xoff
}
