package planfile

import (
	"regexp"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
	"weft/units"
)

// Data rates of a lane by the names that UFM uses for speeds (InfiniBand Architecture Specification, volume 2).
var laneRates = map[string]units.Rate{
	"SDR": 2 * units.Gbps, "DDR": 4 * units.Gbps, "QDR": 8 * units.Gbps, "FDR10": 10 * units.Gbps, "FDR": 13636 * units.Mbps,
	"EDR": 25 * units.Gbps, "HDR": 50 * units.Gbps, "NDR": 100 * units.Gbps, "XDR": 200 * units.Gbps,
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
			port := link.str(side + "_port")
			d, ok := ufmDevice(b, link.str(side+"_guid"), strings.TrimSuffix(link.str(side+"_port_node_description"), ":"+port))
			whole = whole && ok
			ends[j] = ufmEnd(d, port, link.str(side+"_port_dname"))
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

// adapterName is the description of an adapter: its host, then its name there.
var adapterName = regexp.MustCompile(`^(\S+)\s+(?:mlx\d+_\d+|HCA-\d+|ib\w+)$`)

// ufmDevice is the device of a GUID. The description of a switch's port has the port behind a colon.
func ufmDevice(b *builder, guid, description string) (int, bool) {
	g, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(guid), "0x"), 16, 64)
	if err != nil || g == 0 {
		return 0, false
	}
	at := b.keyed(units.GUID(g).String(), description)
	d := &b.f.Devices[at]
	d.GUID = units.GUID(g)
	if m := adapterName.FindStringSubmatch(description); m != nil {
		d.Role, d.Group = cabling.Host, m[1]
	}
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

// readUFMPorts reads the answer of UFM's resources/ports: a port with the names of its system and of its peer's. A cable
// is listed from both ends. Source: the guide as for links, and public clients of the interface for the peer.
func readUFMPorts(file string, v *value) (*cabling.Fabric, error) {
	b := newBuilder(file, "UFM ports")
	down, first := 0, 0
	for i := range v.all() {
		port := &v.all()[i]
		own, peer := port.str("system_name", "node_description"), port.str("peer_node_name", "peer_node_description")
		if peer == "" || peer == "N/A" {
			if down++; down == 1 {
				first = port.line
			}
			continue
		}
		if own == "" {
			b.note(b.place(port.line), "a port is left out: expected system_name")
			continue
		}
		far := afterUnderscore(port.str("peer_port_dname", "peer_port"))
		c := cabling.Cable{
			A: ufmEnd(b.device(own), port.str("number", "external_number", "dname"), port.str("dname")), B: ufmEnd(b.device(peer), far, ""), Place: b.place(port.line),
		}
		if strings.HasPrefix(c.A.Label, "HCA-") { // the peer of this cable has this name for the port, not its number
			c.A.Port, c.A.Label = c.A.Label, ""
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

// afterUnderscore is the port of a name such as 0002c90300100001_28.
func afterUnderscore(name string) string {
	return name[strings.LastIndexByte(name, '_')+1:]
}
