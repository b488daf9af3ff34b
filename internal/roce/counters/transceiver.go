package counters

import (
	"regexp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// show interfaces transceiver eeprom (-d) has a block for each port (tests/sfp_test.py). A value has its
// unit behind it without a blank. CMIS modules spread some values over several lines.

var transceiverHead = regexp.MustCompile(`^(\S+): (SFP EEPROM detected|SFP EEPROM Not detected|SFP EEPROM is not applicable.*)`)

func isTransceiver(text string) bool {
	return hasLine(text, transceiverHead.MatchString)
}

type transceiver struct {
	*portstate.Input
	r        *portstate.Reading
	limits   map[string]float64
	measured []portstate.Limits
}

func readTransceiver(in *portstate.Input) {
	t := &transceiver{Input: in}
	for line := range lines(in) {
		if m := transceiverHead.FindStringSubmatch(line); m != nil {
			t.finish()
			t.r = in.Reading(portstate.Named(in.Device, m[1], cabling.Switch))
			t.limits, t.measured = map[string]float64{}, nil
			if !strings.HasPrefix(m[2], "SFP EEPROM is") {
				t.r.Cabled = portstate.Say(in, m[2] == "SFP EEPROM detected")
			}
			continue
		}
		if t.r != nil {
			t.line(strings.TrimSpace(line))
		}
	}
	t.finish()
}

// line reads «Vendor PN: MFA1A00-C003» or «TempHighAlarm  : 75.0000C».
func (t *transceiver) line(line string) {
	key, value, ok := strings.Cut(line, ":")
	key, value = strings.TrimSpace(key), known(value)
	if !ok || value == "" {
		return
	}
	c := t.r.Cable.Value
	switch {
	case key == "Vendor Name":
		c.Vendor = value
	case key == "Vendor PN":
		c.Part = value
	case key == "Vendor SN":
		c.Serial = value
	case strings.HasPrefix(key, "Length") && value != "0" && value != "0.0":
		c.Length = value + " m"
		if _, unit, ok := portstate.ParseFloat(value); !ok || unit != "" {
			c.Length = value
		}
	default:
		t.value(key, value)
		return
	}
	t.r.Cable = portstate.Said[portstate.Cable]{Value: c, At: t.r.At}
}

// measures are the values with limits: the beginning of the name of a value, and of its limits.
var measures = []struct {
	value, limit *regexp.Regexp
	name, unit   string
}{
	{regexp.MustCompile(`^RX(\d+)Power$`), regexp.MustCompile(`^RxPower`), "power received on lane ", "dBm"},
	{regexp.MustCompile(`^TX(\d+)Power$`), regexp.MustCompile(`^TxPower`), "power sent on lane ", "dBm"},
	{regexp.MustCompile(`^TX(\d+)Bias$`), regexp.MustCompile(`^TxBias`), "laser current of lane ", "mA"},
	{regexp.MustCompile(`^Temperature()$`), regexp.MustCompile(`^Temp`), "temperature", "°C"},
	{regexp.MustCompile(`^Vcc()$`), regexp.MustCompile(`^Vcc`), "supply voltage", "V"},
}

// limitName is the end of the name of a limit.
var limitName = regexp.MustCompile(`(High|Low)(Alarm|Warning)$`)

// value reads a measured value or a limit.
func (t *transceiver) value(key, text string) {
	f, _, ok := portstate.ParseFloat(text)
	if !ok {
		return
	}
	if limitName.MatchString(key) {
		t.limits[key] = f
		return
	}
	for _, m := range measures {
		if lane := m.value.FindStringSubmatch(key); lane != nil {
			t.measured = append(t.measured, portstate.Limits{Name: m.name + lane[1], Unit: m.unit, Value: f, At: t.At()})
		}
	}
}

// finish joins the values with their limits, which stand behind them.
func (t *transceiver) finish() {
	if t.r == nil {
		return
	}
	for _, v := range t.measured {
		for _, m := range measures {
			if !strings.HasPrefix(v.Name, m.name) {
				continue
			}
			for key, limit := range t.limits {
				if m.limit.MatchString(key) {
					setLimit(&v, key, limit)
				}
			}
		}
		t.r.Measured = append(t.r.Measured, v)
	}
	t.r = nil
}

// setLimit stores a limit of a value.
func setLimit(v *portstate.Limits, key string, limit float64) {
	switch limitName.FindString(key) {
	case "HighAlarm":
		v.HighAlarm, v.HasHighAlarm = limit, true
	case "HighWarning":
		v.High, v.HasHigh = limit, true
	case "LowAlarm":
		v.LowAlarm, v.HasLowAlarm = limit, true
	case "LowWarning":
		v.Low, v.HasLow = limit, true
	}
}
