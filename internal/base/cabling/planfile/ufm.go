package planfile

import (
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
	"weft/units"
)

// Rates of a lane by the names that UFM uses for speeds.
var laneRates = map[string]units.Rate{
	"SDR": 2500 * units.Mbps, "DDR": 5 * units.Gbps, "QDR": 10 * units.Gbps, "FDR10": 10 * units.Gbps, "FDR": 14062500 * units.Kbps,
	"EDR": 25781250 * units.Kbps, "HDR": 53125 * units.Mbps, "NDR": 106250 * units.Mbps, "XDR": 212500 * units.Mbps,
}

// readUFMLinks reads the answer of UFM's resources/links: GUIDs without 0x, ports as text or number, and dname, the
// label of a port. Source: UFM Enterprise REST API Guide 6.11.1 to 6.23.1.
func readUFMLinks(file string, v *value) (*cabling.Fabric, error) {
	b := newBuilder(file, "UFM links")
	for i := range v.all() {
		link := &v.all()[i]
		var ends [2]cabling.End
		whole := true
		for j, side := range [2]string{"source", "destination"} {
			d, ok := ufmDevice(b, link.str(side+"_guid"), link.str(side+"_port_node_description", side+"_node_description", side+"_system_name"))
			whole = whole && ok
			ends[j] = ufmEnd(d, link.str(side+"_port"), link.str(side+"_port_dname"))
		}
		if !whole {
			b.note(b.place(link.line), "a link is left out: expected source_guid and destination_guid of 16 digits")
			continue
		}
		c := cabling.Cable{A: ends[0], B: ends[1], Place: b.place(link.line)}
		c.Rate, c.Link = ufmRate(link.str("width"), link.str("speed", "active_speed"))
		b.connect(c)
		if err := b.full(link.line); err != nil {
			return nil, err
		}
	}
	return b.finish()
}

// ufmDevice is the device of a GUID. Its role is not in links.
func ufmDevice(b *builder, guid, name string) (int, bool) {
	g, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(guid), "0x"), 16, 64)
	if err != nil || g == 0 {
		return 0, false
	}
	at := b.keyed(units.GUID(g).String(), name)
	b.f.Devices[at].GUID = units.GUID(g)
	return at, true
}

// ufmEnd is a port with its label, if it differs. HCA-1/2 is the second port of an adapter.
func ufmEnd(device int, port, label string) cabling.End {
	e := cabling.End{Device: device, Port: port}
	if label != port && label != "N/A" {
		e.Label = label
	}
	return e
}

// ufmRate is the rate of a link from its width, as IB_4x, and the name of its speed.
func ufmRate(width, speed string) (units.Rate, string) {
	lanes := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(width), "ib_"), "x")
	n, err := strconv.Atoi(lanes)
	rate := laneRates[strings.ToUpper(speed)]
	if err != nil || n < 1 || n > 12 || rate == 0 {
		return 0, ""
	}
	return units.Rate(n) * rate, lanes + "x" + strings.ToUpper(speed)
}

// readUFMPorts reads the answer of UFM's resources/ports: a port with its number and its peer. A cable is listed
// from both ends. The names of members are those of the guide; the first that is there counts.
func readUFMPorts(file string, v *value) (*cabling.Fabric, error) {
	b := newBuilder(file, "UFM ports")
	down, first := 0, 0
	for i := range v.all() {
		port := &v.all()[i]
		peer := port.str("peer_guid", "peer_node_guid", "peer_node_name", "peer", "peer_port_dname")
		if peer == "" || peer == "N/A" {
			if down++; down == 1 {
				first = port.line
			}
			continue
		}
		own, okOwn := ufmPortDevice(b, port.str("systemID", "system_guid", "guid"), port.str("system_name", "node_description", "name"))
		far, okFar := ufmPortDevice(b, port.str("peer_guid", "peer_node_guid"), port.str("peer_node_name", "peer_node_description"))
		if !okOwn || !okFar {
			b.note(b.place(port.line), "a port is left out: expected the GUID or the name of its system and of its peer")
			continue
		}
		number := port.str("number", "external_number", "dname")
		farPort := port.str("peer_port_number", "peer_port", "peer_port_dname")
		c := cabling.Cable{
			A: ufmEnd(own, number, port.str("dname")), B: ufmEnd(far, afterUnderscore(farPort), port.str("peer_port_dname")), Place: b.place(port.line),
		}
		c.Rate, c.Link = ufmRate(port.str("active_width"), port.str("active_speed"))
		b.connect(c)
		if err := b.full(port.line); err != nil {
			return nil, err
		}
	}
	if down > 0 {
		b.f.Note("%s:%d: %s without a peer left out", file, first, wording.Counted(down, "port", "ports"))
	}
	return b.finish()
}

func ufmPortDevice(b *builder, guid, name string) (int, bool) {
	if at, ok := ufmDevice(b, guid, name); ok {
		return at, true
	}
	if name == "" || name == "N/A" {
		return 0, false
	}
	return b.device(name), true
}

// afterUnderscore is the port of a name such as 0002c90300100001_28.
func afterUnderscore(name string) string {
	return name[strings.LastIndexByte(name, '_')+1:]
}
