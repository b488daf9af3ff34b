package counters

import (
	"fmt"
	"strings"

	"weft/internal/base/portstate"
)

// cable reads a row of CABLE_INFO.
func (d *dbReader) cable(row dbRow) {
	p, ok := d.of(row)
	if !ok {
		return
	}
	r := d.Reading(p)
	c := portstate.Cable{Vendor: known(row.get("vendor")), Part: known(row.get("pn")), Serial: known(row.get("sn")), Length: length(row)}
	if c.Part != "" || c.Serial != "" || c.Vendor != "" {
		r.Cable, r.Cabled = portstate.Say(d.Input, c), portstate.Say(d.Input, true)
	}
	t, _, ok := portstate.ParseFloat(row.get("temperature"))
	if !ok {
		return
	}
	m := portstate.Limits{Name: "temperature", Unit: "°C", Value: t, At: d.At()}
	if high, _, ok := portstate.ParseFloat(row.get("hightemperaturealarmthreshold", "hightemperaturealarm", "tempalarmhigh")); ok && high > 0 {
		m.HighAlarm, m.HasHighAlarm = high, true
	}
	if high, _, ok := portstate.ParseFloat(row.get("hightemperaturewarningthreshold", "hightemperaturewarning", "tempwarninghigh")); ok && high > 0 {
		m.High, m.HasHigh = high, true
	}
	r.Measured = append(r.Measured, m)
}

// length is the length of a cable: a text, or the first of the lengths in metres by kind of fibre that is
// not 0.
func length(row dbRow) string {
	if text := known(row.get("lengthdesc", "length")); text != "" {
		return text
	}
	for _, column := range sortedKeys(row.columns) {
		if !strings.HasPrefix(column, "length") {
			continue
		}
		if f, unit, ok := portstate.ParseFloat(row.get(column)); ok && f > 0 {
			if unit == "" {
				unit = "m"
			}
			return fmt.Sprintf("%g %s", f, unit)
		}
	}
	return ""
}

// known is a text that says something.
func known(text string) string {
	switch strings.ToUpper(text) {
	case "N/A", "NA", "NONE", "UNKNOWN":
		return ""
	}
	return text
}

// device is the device of a row.
func (d *dbReader) device(row dbRow) *portstate.Device {
	text := row.get("nodeguid")
	if i, ok := d.devices[text]; ok {
		return &d.Set.Devices[i]
	}
	p := d.nodes[text]
	if p.Node == 0 {
		p.Node, _ = portstate.ParseGUID(text)
	}
	if p.Node == 0 && p.Device == "" {
		p.Device = text
	}
	d.devices[text] = len(d.Set.Devices)
	d.Set.Devices = append(d.Set.Devices, portstate.Device{GUID: p.Node, Name: p.Device, At: d.At()})
	return &d.Set.Devices[len(d.Set.Devices)-1]
}

// temperature reads a row of TEMP_SENSING: the temperature of a device, which states no limit.
func (d *dbReader) temperature(row dbRow) {
	t, _, ok := portstate.ParseFloat(row.get("currenttemperature", "temperature"))
	if !ok {
		return
	}
	dev := d.device(row)
	if high, _, ok := portstate.ParseFloat(row.get("hightemperaturethreshold", "maxtemperature", "thresholdhigh")); ok && high > 0 {
		dev.Judged++
		if t >= high {
			dev.Facts = append(dev.Facts, portstate.Say(d.Input, fmt.Sprintf("temperature is %g °C, its limit %g °C", t, high)))
		}
		return
	}
	if !d.warmest.Known() || t > d.warmest.Value {
		d.warmest, d.warm = portstate.Say(d.Input, t), dev.Name
		if d.warm == "" {
			d.warm = dev.GUID.String()
		}
	}
}

// sensor reads a row of TEMPERATURE_SENSORS.
func (d *dbReader) sensor(row dbRow) {
	t, _, ok := portstate.ParseFloat(row.get("temperature", "currenttemperature"))
	high, _, okHigh := portstate.ParseFloat(row.get("highthreshold", "thresholdhigh", "highthresholdtemperature", "maxtemperature"))
	if !ok || !okHigh || high <= 0 {
		return
	}
	dev := d.device(row)
	dev.Judged++
	if t >= high {
		name := row.get("sensorname", "sensorindex")
		dev.Facts = append(dev.Facts, portstate.Say(d.Input, fmt.Sprintf("temperature sensor %s is at %g °C, its limit is %g °C", name, t, high)))
	}
}

// fan reads a row of FANS or FANS_SPEED.
func (d *dbReader) fan(row dbRow) {
	index := row.get("fanindex", "sensorindex", "index")
	speed, _, okSpeed := portstate.ParseFloat(row.get("fanspeed", "speed"))
	low, _, okLow := portstate.ParseFloat(row.get("minspeed", "fanminspeed"))
	alert := row.get("alert", "fanalert", "alertstate")
	dev := d.device(row)
	switch {
	case okSpeed && okLow && speed < low:
		dev.Facts = append(dev.Facts, portstate.Say(d.Input, fmt.Sprintf("fan %s turns at %g rpm, its least is %g rpm", index, speed, low)))
	case okSpeed && speed == 0:
		dev.Facts = append(dev.Facts, portstate.Say(d.Input, fmt.Sprintf("fan %s stands still", index)))
	case isAlarm(alert):
		dev.Facts = append(dev.Facts, portstate.Say(d.Input, fmt.Sprintf("fan %s: %s", index, alert)))
	}
	if okSpeed || alert != "" {
		dev.Judged++
	}
}

// powerSupply reads a row of POWER_SUPPLIES.
func (d *dbReader) powerSupply(row dbRow) {
	if present := row.get("ispresent"); present == "0" || strings.EqualFold(present, "no") || strings.EqualFold(present, "false") {
		return // a slot
	}
	dev := d.device(row)
	dev.Judged++
	index := row.get("psuindex", "index")
	for _, c := range []struct{ column, what string }{
		{"acinput", "AC input"}, {"dcstate", "DC state"}, {"alertstate", "alert"}, {"fanstate", "fan"}, {"temperaturestate", "temperature"},
	} {
		if v := row.get(c.column); isAlarm(v) {
			dev.Facts = append(dev.Facts, portstate.Say(d.Input, fmt.Sprintf("power supply %s: %s is %s", index, c.what, v)))
		}
	}
}

// isAlarm reports whether a state in words is a fault. A number is a code that the manual does not
// explain, and no fault.
func isAlarm(text string) bool {
	switch strings.ToUpper(text) {
	case "", "-", "OK", "N/A", "NA", "NORMAL", "GOOD", "NONE", "YES", "NO ALERT", "NO", "TRUE", "ON":
		return false
	}
	_, _, number := portstate.ParseFloat(text)
	return !number
}

// verdict reads a row of a section of ibdiagnet's own warnings and errors about error rates:
// WARNINGS_SYMBOL_BER_CHECK with NodeGUID, PortNumber, EventName, Summary.
func (d *dbReader) verdict(row dbRow) {
	event := row.get("eventname")
	if !strings.Contains(event, "BER_") || strings.Contains(event, "NO_THRESHOLD") {
		return
	}
	p, ok := d.of(row)
	if !ok {
		return
	}
	r := d.Reading(p)
	r.Verdicts = append(r.Verdicts, portstate.Verdict{Said: portstate.Say(d.Input, event+": "+short(row.get("summary")))})
}
