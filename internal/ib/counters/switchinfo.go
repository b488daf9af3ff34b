package counters

import (
	"fmt"
	"strings"

	"weft/internal/base/portstate"
)

// ibswinfo prints a table «name | value» about one switch, with lines of = or - between its parts.

func isSwitchInfo(text string) bool {
	return hasLine(text, func(line string) bool { return strings.HasPrefix(line, "PSID ") && strings.Contains(line, " | ") }) &&
		hasLine(text, func(line string) bool { return strings.HasPrefix(line, "firmware version ") })
}

func readSwitchInfo(in *portstate.Input) {
	dev := portstate.Device{}
	part, whole, title := "", false, ""
	var temperature, most float64
	for line := range in.Lines() {
		if strings.HasPrefix(line, "=") {
			if title == "" {
				dev = newSwitchInfo(in, dev)
			}
			continue
		}
		key, value, ok := strings.Cut(line, "|")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok {
			if !strings.HasPrefix(line, "-") && line != "" && title == "" {
				title = line
			}
			continue
		}
		if strings.HasPrefix(line, "PSU") {
			part, key, _ = strings.Cut(key, " ")
		} else if !strings.HasPrefix(line, " ") {
			part = ""
		}
		fact := func(format string, args ...any) {
			dev.Facts = append(dev.Facts, portstate.Say(in, fmt.Sprintf(format, args...)))
		}
		switch {
		case key == "GUID":
			dev.GUID, _ = portstate.ParseGUID(value)
		case key == "product name" || key == "node description" || key == "name" && dev.Name == "":
			dev.Name = value
		case strings.HasSuffix(key, "status") || key == "DC power" || key == "AC power":
			dev.Judged++
			if isAlarm(value) {
				fact("%s is %s", strings.TrimSpace(part+" "+key), value)
			}
		case key == "temperature (C)":
			temperature, _, _ = portstate.ParseFloat(value)
		case key == "max temp (C)":
			most, _, _ = portstate.ParseFloat(value)
		case strings.HasPrefix(key, "fan#"):
			dev.Judged++
			if rpm, _, ok := portstate.ParseFloat(value); ok && rpm == 0 {
				fact("%s stands still", strings.TrimSuffix(key, " (rpm)"))
			}
			whole = true
		}
	}
	if temperature > 0 && most > 0 { // the most is a record, no limit
		in.Set.Remarks = append(in.Set.Remarks, portstate.Said[string]{
			Value: fmt.Sprintf("%s: %g °C, at most %g °C so far", dev.Name, temperature, most), At: dev.At,
		})
	}
	if !whole {
		in.Note("the output of ibswinfo ends before its fans: it may be truncated")
	}
	in.Set.Devices = append(in.Set.Devices, dev)
}

// newSwitchInfo keeps the first place of a device.
func newSwitchInfo(in *portstate.Input, dev portstate.Device) portstate.Device {
	if dev.At.File == "" {
		dev.At = in.At()
	}
	return dev
}
