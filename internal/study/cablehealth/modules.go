package cablehealth

import (
	"fmt"
	"strings"

	"weft/internal/base/portstate"
)

// hotModule is the temperature in °C from which a module without a limit of its own counts as too hot:
// the usual upper limit of commercial modules' cases (SFF-8636 and QSFP-DD modules of class 0 to 70 °C).
const hotModule = 70

// darkLane is how many dB below the best lane of its module a lane is dark: a quarter of its light.
const darkLane = 6

// modules judges the measured values of a module by the limits that it states.
func (j *judge) modules(p *port) bool {
	judged := false
	best, lanes := bestLane(p.facts.Measured)
	for _, m := range p.facts.Measured {
		limit := beyond(m)
		light := strings.HasPrefix(m.Name, "power received")
		switch {
		case limit != "":
		case m.HasHigh || m.HasLow || m.HasHighAlarm || m.HasLowAlarm:
		case m.Name == "temperature" && m.Value >= hotModule:
			limit = fmt.Sprintf("usual limit %d °C", hotModule)
		case m.Name == "temperature":
		default:
			continue
		}
		judged = true
		if limit == "" && light && lanes > 1 && m.Value < best-darkLane {
			limit = fmt.Sprintf("the best lane of the module has %.4g dBm", best)
		}
		if limit == "" {
			continue
		}
		d := j.draftOf(p)
		d.proven = true
		d.add(p, Evidence{
			Counter: m.Name, Value: fmt.Sprintf("%.4g %s (%s)", m.Value, m.Unit, limit), Number: m.Value, At: m.At.String(), tier: Module, wire: true,
		})
	}
	return judged
}

// beyond is the limit that a value breaks, "" if none.
func beyond(m portstate.Limits) string {
	switch {
	case m.HasHighAlarm && m.Value >= m.HighAlarm:
		return fmt.Sprintf("alarm from %.4g", m.HighAlarm)
	case m.HasHigh && m.Value >= m.High:
		return fmt.Sprintf("warning from %.4g", m.High)
	case m.HasLowAlarm && m.Value <= m.LowAlarm:
		return fmt.Sprintf("alarm down from %.4g", m.LowAlarm)
	case m.HasLow && m.Value <= m.Low:
		return fmt.Sprintf("warning down from %.4g", m.Low)
	}
	return ""
}

// bestLane is the most light of a lane within its limits, and the number of such lanes.
func bestLane(all []portstate.Limits) (best float64, lanes int) {
	for _, m := range all {
		if strings.HasPrefix(m.Name, "power received") && beyond(m) == "" {
			if lanes++; lanes == 1 || m.Value > best {
				best = m.Value
			}
		}
	}
	return best, lanes
}

// devices reports the parts of devices that are not in order.
func (j *judge) devices() {
	for i := range j.set.Devices {
		dev := &j.set.Devices[i]
		j.report.Parts += dev.Judged
		if len(dev.Facts) == 0 {
			continue
		}
		name := dev.Name
		if mapped, ok := j.set.Names[dev.GUID]; ok && dev.GUID != 0 {
			name = mapped
		}
		if name == "" {
			name = j.names[dev.GUID]
		}
		if name == "" && dev.GUID != 0 {
			name = dev.GUID.String()
		}
		if name == "" {
			name = "the device of " + dev.At.String()
		}
		f := Finding{Tier: Part, Port: name, Action: "Look at the fans, power supplies and air of " + name + "."}
		var texts []string
		for _, fact := range dev.Facts {
			texts = append(texts, fact.Value)
			f.Evidence = append(f.Evidence, Evidence{Port: name, Counter: "part", Value: fact.Value, At: fact.At.String(), tier: Part})
		}
		f.What = name + ": " + strings.Join(texts[:min(len(texts), 3)], ", ")
		j.report.Findings = append(j.report.Findings, f)
	}
}
