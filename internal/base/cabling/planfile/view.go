package planfile

import (
	"cmp"
	"path"
	"regexp"
	"strings"

	"weft/internal/base/cabling"
	"weft/units"
)

// view is what one switch says about its cables: its neighbours, and its own ports if the file has them.
type view struct {
	name   string // of the switch; empty if the file does not say it
	byFile bool   // the name is the file's
	file   string
	format string
	role   cabling.Role
	model  string
	ports  map[string]*ownPort
	sights []sight
	about  map[string]neighbour // what the file says about neighbours, by name
	notes  []string
	index  map[string]string // ports by the names that others have for them; made when the view is whole
}

// ownPort is what a switch says about one of its ports.
type ownPort struct {
	alias  string
	rate   units.Rate
	length units.Length
}

// sight is a neighbour at a port.
type sight struct {
	port       string
	peer       string // the neighbour's name
	peerPort   string // as the neighbour names it; may be a MAC address
	descr      string // the neighbour's description of its port
	station    bool   // the neighbour says that it is no switch
	configured bool   // by an operator, and not seen
	rate       units.Rate
	place      cabling.Place
}

// neighbour is what a file says about a neighbour.
type neighbour struct {
	role  cabling.Role
	model string
}

// port is the entry of a port, a new one if it has none.
func (v *view) port(name string) *ownPort {
	if v.ports == nil {
		v.ports = map[string]*ownPort{}
	}
	p := v.ports[name]
	if p == nil {
		p = &ownPort{}
		v.ports[name] = p
	}
	return p
}

var managementPort = regexp.MustCompile(`(?i)^(eth0|ma\d|mgmt|management|fxp\d|me\d|oob|em0|bmc|usb)`)

// isManagement is whether a port of a switch is for its management.
func isManagement(port string) bool { return managementPort.MatchString(port) }

var macAddress = regexp.MustCompile(`(?i)^([0-9a-f]{2}([:-][0-9a-f]{2}){5}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})$`)

// named gives a view a name if its file does not say one.
func (v *view) named(names ...string) {
	if v.name == "" {
		v.name, v.byFile = cmp.Or(names...), true
	}
}

// words of file names that say what is in the file, not whose it is.
var plainWords = map[string]bool{
	"config": true, "db": true, "configdb": true, "minigraph": true, "lldp": true, "lldpctl": true, "lldpcli": true, "show": true, "neighbor": true, "neighbors": true, "neighbour": true,
	"neighbours": true, "table": true, "json": true, "json0": true, "txt": true, "xml": true, "text": true, "out": true, "log": true, "running": true, "eos": true, "nxos": true, "sonic": true, "detail": true, "gz": true, "xz": true,
	"frr": true, "bgpd": true, "conf": true, "sysctl": true,
}

var wordMark = regexp.MustCompile(`[._\- ]+`)

// OwnerOf is the name of the switch that a file is from, by the file's name, else by its folder's: leaf1.lldp.json,
// leaf1_config_db.json, show_lldp_table_leaf1.txt and leaf1/config_db.json are leaf1's.
func OwnerOf(file string) string {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	for range 3 {
		if name := withoutPlainWords(path.Base(file)); name != "" && name != "." && name != "/" && name != ".." {
			return name
		}
		file = path.Dir(file)
	}
	return ""
}

// withoutPlainWords cuts words at both ends of a name that say what is in a file.
func withoutPlainWords(name string) string {
	for {
		marks := wordMark.FindAllStringIndex(name, -1)
		first, last := []int{len(name), len(name)}, []int{0, 0}
		if len(marks) > 0 {
			first, last = marks[0], marks[len(marks)-1]
		}
		switch {
		case name == "":
			return ""
		case plainWords[strings.ToLower(name[:first[0]])] || first[0] == 0 && first[1] > 0:
			name = name[first[1]:]
		case plainWords[strings.ToLower(name[last[1]:])] || last[1] == len(name):
			name = name[:last[0]]
		default:
			return name
		}
	}
}

// nameLine is a line with the name of the switch, as in "hostname leaf1".
var nameLine = regexp.MustCompile(`(?i)^\s*(?:!\s*device:|hostname[:=]?|system name\s*:|switchname[:=]?)\s+"?([\w.-]+)`)

// nameIn is the name of the switch in the lines before the answer of a command; head is the text up to the answer.
func nameIn(head string) string {
	for line := range strings.Lines(head) {
		if name, command, ok := cabling.Prompt(line); ok && name != "" && command != "" {
			return name
		}
		if m := nameLine.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}
