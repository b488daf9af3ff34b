package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/internal/live/emulate"
	"weft/results"
	"weft/units"
)

// mostDevices bounds the rows of devices: they fit a screen.
const mostDevices = 32

// Emulation is what programs did to an emulated fabric.
func Emulation(r *emulate.Report) *doc.Document {
	f := &r.Results.Fabrics[0]
	devices := doc.NewTable("device", "NIC", "sent", "received", "GB/s while active", "marked", "CNPs sent", "sent again")
	further := r.Forgotten
	for i := range r.Devices {
		d := &r.Devices[i]
		switch {
		case d.PacketsSent+d.PacketsReceived == 0:
			continue
		case len(devices.Rows) > mostDevices:
			further++
			continue
		}
		devices.Add(doc.Text(d.Addr), doc.Text(d.NIC), doc.Bytes(units.Bytes(d.BytesSent)), doc.Bytes(units.Bytes(d.BytesReceived)),
			doc.Bandwidth(mean(d)), doc.Count(d.Marked), doc.Count(d.CNPs), doc.Count(d.Repeated))
	}
	d := &doc.Document{
		Brand: simulation, Title: fmt.Sprintf("%s: emulated programs on %s", r.Results.Scenario, f.Name),
		Sections: []doc.Section{{Blocks: doc.Paragraphs(clockSentence(r))}},
	}
	if len(r.Devices) == 0 {
		d.Sections[0].Blocks = append(d.Sections[0].Blocks, doc.Paragraphs("No program opened a device.")...)
		return d
	}
	d.Sections[0].Blocks = append(d.Sections[0].Blocks, devices)
	if further > 0 {
		d.Sections[0].Blocks = append(d.Sections[0].Blocks, doc.Paragraphs(fmt.Sprintf("And %s.", plural(further, "further device", "further devices")))...)
	}
	d.Sections[0].Blocks = append(d.Sections[0].Blocks, carriedTable(&f.Points[0]))
	return d
}

// mean is the larger of what a device sent and received per second, from its first packet to its last, in GB/s.
func mean(d *emulate.Device) float64 {
	if s := (d.Last - d.First).Seconds(); s > 0 {
		return float64(max(d.BytesSent, d.BytesReceived)) / s / 1e9
	}
	return 0
}

// clockSentence says how the fabric's clock went.
func clockSentence(r *emulate.Report) string {
	s := fmt.Sprintf("The fabric's clock went %v in %v", r.Simulated, units.Time(r.Real.Nanoseconds())*units.Nanosecond)
	if r.Dilation > 0 {
		s += fmt.Sprintf(", with a dilation of %d, and was %v behind at most", r.Dilation, r.Slip)
	} else if r.Simulated > 0 {
		s += fmt.Sprintf(": a dilation of %.3g in the mean", float64(r.Real.Nanoseconds())*1e3/float64(r.Simulated))
	}
	if r.Late > 0 {
		s += fmt.Sprintf("; %s without an answer in time", plural(r.Late, "turn of a device", "turns of devices"))
	}
	return s + "."
}

// carriedTable is the fabric's counters.
func carriedTable(p *results.Point) *doc.Table {
	t := doc.NewTable("packets", "pauses", "credit stalls", "marks", "CNPs", "drops")
	c := &p.Counts
	t.Add(doc.Count(c.Packets), doc.Count(c.Pauses), doc.Count(c.CreditStalls), doc.Count(c.Marks), doc.Count(c.CNPs), doc.Count(c.Drops()))
	return t
}
