package counters

import (
	"fmt"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/units"
)

// switchPort is a port of a switch. Inner ports of a chassis, Ethernet-BP, are ports, too. A virtual output queue is of
// a port that can be of another card of the chassis: lc1|Ethernet0, lc1|asic0|Ethernet0.
func switchPort(in *portstate.Input, r row, name string) portstate.Port {
	p := portstate.Named(in.Device, name, cabling.Switch)
	p.Chip = r.space
	if parts := strings.Split(name, "|"); len(parts) > 1 {
		p.Device, p.Chip, p.Name = parts[0], "", parts[len(parts)-1]
		if len(parts) > 2 {
			p.Chip = parts[1]
		}
	}
	return p
}

// readInterfaces reads show interfaces counters, and its errors and rates alone (sonic-utilities,
// tests/portstat_test.py).
func readInterfaces(in *portstate.Input) {
	rows(in, func(r row) { interfaceRow(in, r) })
}

// interfaceRow reads the counters of a port. The unit of a rate can change from cell to cell.
func interfaceRow(in *portstate.Input, r row) {
	name := r.get("IFACE")
	if name == "" {
		return
	}
	reading := in.Reading(switchPort(in, r, name))
	stateOf(in, reading, r)
	for _, column := range []string{"RX_OK", "RX_ERR", "RX_DRP", "RX_OVR", "TX_OK", "TX_ERR", "TX_DRP", "TX_OVR", "TRIM", "TRIM_TX", "TRIM_DRP"} {
		if text := r.get(column); text != "" {
			count(in, reading, column, text)
		}
	}
	if link, ok := speedFrom(r.get("RX_BPS"), r.get("RX_UTIL")); ok {
		reading.Link = portstate.Say(in, link)
	} else if link, ok := speedFrom(r.get("TX_BPS"), r.get("TX_UTIL")); ok {
		reading.Link = portstate.Say(in, link)
	}
}

// stateOf reads STATE: U for up, D for down and X for disabled.
func stateOf(in *portstate.Input, reading *portstate.Reading, r row) {
	switch r.get("STATE") {
	case "U":
		reading.State = portstate.Say(in, portstate.Up)
	case "D":
		reading.State = portstate.Say(in, portstate.Down)
	case "X":
		reading.State = portstate.Say(in, portstate.Disabled)
	}
}

// byteUnits are the units of a rate of bytes, as decimal multiples: portstat divides by 1000.
var byteUnits = map[string]float64{"B/s": 1, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}

// BytesPerSecond reads a rate such as «2000.00 MB/s».
func BytesPerSecond(text string) (float64, bool) {
	f, unit, ok := portstate.ParseFloat(text)
	scale, known := byteUnits[unit]
	return f * scale, ok && known
}

// usualSpeeds are the speeds of Ethernet in Gb/s.
var usualSpeeds = []int64{1, 10, 25, 40, 50, 100, 200, 400, 800, 1600}

// speedFrom is the speed of a port by its rate and its use: 2000 MB/s that are 64 % are 25 Gb/s. ok is
// false if the two give no speed of Ethernet.
func speedFrom(rate, use string) (portstate.Link, bool) {
	bytes, ok := BytesPerSecond(rate)
	percent, unit, okUse := portstate.ParseFloat(use)
	if !ok || !okUse || unit != "%" || percent < 1 {
		return portstate.Link{}, false
	}
	gbps := bytes * 8 / 1e9 / (percent / 100)
	for _, s := range usualSpeeds {
		if gbps > 0.99*float64(s) && gbps < 1.01*float64(s) {
			return portstate.Link{Lanes: 1, Lane: units.Rate(s) * units.Gbps}, true
		}
	}
	return portstate.Link{}, false
}

// readFEC reads show interfaces counters fec-stats.
func readFEC(in *portstate.Input) {
	rows(in, func(r row) { fecRow(in, r) })
}

// fecRow reads the FEC counters of a port. FEC_UNCORR are frames that were lost; FLR(O) is the observed share of lost
// frames, FLR(P) a prediction with its accuracy in the same cell.
func fecRow(in *portstate.Input, r row) {
	name := r.get("IFACE")
	if name == "" {
		return
	}
	reading := in.Reading(switchPort(in, r, name))
	for _, column := range []string{"FEC_CORR", "FEC_UNCORR", "FEC_SYMBOL_ERR"} {
		count(in, reading, column, r.get(column))
	}
	rate := func(to *portstate.Said[float64], column string) {
		if f, _, ok := portstate.ParseFloat(r.get(column)); ok && f >= 0 && f <= 1 {
			*to = portstate.Say(in, f)
		}
	}
	rate(&reading.Raw, "FEC_PRE_BER")
	rate(&reading.Effective, "FEC_POST_BER")
	rate(&reading.FrameLoss, "FLR(O)")
	stateOf(in, reading, r)
}

// readStatus reads show interfaces status. Older versions have no FEC and no Vlan column.
func readStatus(in *portstate.Input) {
	members := map[string]string{} // a port that is up, by its bundle
	rows(in, func(r row) {
		name := r.get("Interface")
		if strings.HasPrefix(name, "PortChannel") { // a bundle of ports is no port
			if member := members[name]; member != "" && r.get("Oper") == "down" {
				in.Set.Remarks = append(in.Set.Remarks, portstate.Say(in, fmt.Sprintf("%s is down though its member %s is up: the other side does not join it (LACP)", name, member)))
			}
			return
		}
		if name == "" || strings.HasPrefix(name, "Vlan") {
			return
		}
		if bundle := r.get("Vlan"); r.get("Oper") == "up" && members[bundle] == "" {
			members[bundle] = name
		}
		reading := in.Reading(switchPort(in, r, name))
		reading.Port.Label = known(r.get("Alias"))
		lanes := 0
		if text := known(r.get("Lanes")); text != "" {
			lanes = 1 + strings.Count(text, ",")
		}
		switch oper, admin := r.get("Oper"), r.get("Admin"); {
		case admin == "down":
			reading.State = portstate.Say(in, portstate.Disabled)
		case oper == "up":
			reading.State = portstate.Say(in, portstate.Up)
		case oper == "down":
			reading.State = portstate.Say(in, portstate.Down)
		}
		if _, has := column(r, "Type"); has {
			reading.Cabled = portstate.Say(in, known(r.get("Type")) != "")
		}
		if rate, ok := speed(r.get("Speed")); ok && reading.State.Value == portstate.Up {
			reading.Link = portstate.Say(in, portstate.Link{Lanes: max(lanes, 1), Lane: rate / units.Rate(max(lanes, 1))})
		}
	})
}

// column is the cell of a column, and whether the table has it.
func column(r row, name string) (string, bool) {
	for i, c := range r.columns {
		if c == name {
			return r.cells[i], true
		}
	}
	return "", false
}

// speed reads 25G, 100M, 1000M.
func speed(text string) (units.Rate, bool) {
	f, unit, ok := portstate.ParseFloat(text)
	if !ok || f <= 0 || f > 1e6 {
		return 0, false
	}
	switch unit {
	case "G":
		return units.Rate(f * float64(units.Gbps)), true
	case "M":
		return units.Rate(f * float64(units.Mbps)), true
	}
	return 0, false
}
