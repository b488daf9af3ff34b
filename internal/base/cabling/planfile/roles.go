package planfile

import (
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// words are parts of the names of roles, and of devices. The first that occurs decides.
var words = []struct {
	word string
	role cabling.Role
}{
	{"oob", cabling.Management},
	{"mgmt", cabling.Management},
	{"management", cabling.Management},
	{"console", cabling.Management},
	{"netq", cabling.Management},
	{"spine", cabling.Switch},
	{"leaf", cabling.Switch},
	{"tor", cabling.Switch},
	{"switch", cabling.Switch},
	{"mlag", cabling.Switch},
	{"border", cabling.Switch},
	{"exit", cabling.Switch},
	{"core", cabling.Switch},
	{"agg", cabling.Switch},
	{"internet", cabling.Router},
	{"router", cabling.Router},
	{"gateway", cabling.Router},
	{"firewall", cabling.Router},
	{"wan", cabling.Router},
	{"host", cabling.Host},
	{"server", cabling.Host},
	{"compute", cabling.Host},
	{"client", cabling.Host},
	{"node", cabling.Host},
	{"gpu", cabling.Host},
	{"hgx", cabling.Host},
	{"dgx", cabling.Host},
	{"storage", cabling.Host},
	{"hpc", cabling.Host},
	{"snappi", cabling.Host},
	{"ixia", cabling.Host},
}

// roleWord is the role that a word of a file says: "l3leaf", "oob-server", "ToRRouter", "Server".
func roleWord(word string) cabling.Role {
	return roleOf(words, word)
}

// roleOf is the role of the first word of a list that is in a text.
func roleOf(list []struct {
	word string
	role cabling.Role
}, text string,
) cabling.Role {
	text = strings.ToLower(text)
	for _, w := range list {
		if strings.Contains(text, w.word) {
			return w.role
		}
	}
	return cabling.Unknown
}

var notLetters = regexp.MustCompile(`[^a-z]+`)

// nameWord is the role that a device's name suggests. A word counts at the beginning of a part of the name, so
// that "director" is no "tor".
func nameWord(name string) cabling.Role {
	parts := notLetters.Split(strings.ToLower(name), -1)
	for _, w := range words {
		for _, p := range parts {
			if p == w.word || len(w.word) > 3 && strings.HasPrefix(p, w.word) || len(w.word) > 4 && strings.HasSuffix(p, w.word) {
				return w.role
			}
		}
	}
	for _, p := range parts {
		switch p {
		case "sw":
			return cabling.Switch
		case "gw", "rtr":
			return cabling.Router
		case "srv":
			return cabling.Host
		}
	}
	return cabling.Unknown
}

// systems are parts of the names of operating systems.
var systems = []struct {
	word string
	role cabling.Role
}{
	{"oob-mgmt", cabling.Management},
	{"netq", cabling.Management},
	{"cumulus", cabling.Switch},
	{"sonic", cabling.Switch},
	{"nvos", cabling.Switch},
	{"onyx", cabling.Switch},
	{"eos", cabling.Switch},
	{"nxos", cabling.Switch},
	{"nx-os", cabling.Switch},
	{"srl", cabling.Switch},
	{"vyos", cabling.Router},
	{"ubuntu", cabling.Host},
	{"debian", cabling.Host},
	{"centos", cabling.Host},
	{"rocky", cabling.Host},
	{"redhat", cabling.Host},
	{"rhel", cabling.Host},
	{"linux", cabling.Host},
	{"windows", cabling.Host},
}

// systemRole is the role that an operating system suggests.
func systemRole(os string) cabling.Role {
	return roleOf(systems, os)
}

// Names of ports that only one sort of device has.
var (
	switchPort = regexp.MustCompile(`(?i)^(swp\d|ethernet\d|et\d|eth\d+/|ethernet-\d|e\d+-\d|etp\d|hundredgig|fortygig|fourhundredgig|l\d+/u\d+/|\d+$|\d+/\d+)`)
	hostPort   = regexp.MustCompile(`(?i)^(eth\d+$|en[opsx]\w*\d|ib\d|ibp|ibs|mlx\d_|hca|pci|rocep|nic\d|bf\d|pf\d|ilo|idrac|bmc|ipmi)`)
)

// concludeRoles gives a role to devices that have none from the file: by what the file suggests, by the names of
// their ports, by their own name, and last by their cables. One note says how many by what.
func (b *builder) concludeRoles() {
	ports := make([][]string, len(b.f.Devices))
	peers := make([][]int, len(b.f.Devices))
	for _, c := range b.f.Cables {
		ports[c.A.Device] = append(ports[c.A.Device], c.A.Port)
		ports[c.B.Device] = append(ports[c.B.Device], c.B.Port)
		peers[c.A.Device] = append(peers[c.A.Device], c.B.Device)
		peers[c.B.Device] = append(peers[c.B.Device], c.A.Device)
	}
	told := map[toldRole]int{}
	for i := range b.f.Devices {
		d := &b.f.Devices[i]
		if d.Role != cabling.Unknown {
			continue
		}
		var from string
		switch h, ok := b.hint[i]; {
		case ok:
			d.Role, from = h.role, h.from
		case nameWord(d.Name) != cabling.Unknown:
			d.Role, from = nameWord(d.Name), "their names"
		default:
			d.Role, from = portsRole(ports[i], d.Partial), "the names of their ports"
		}
		if d.Role != cabling.Unknown {
			told[toldRole{d.Role, "by " + from}]++
		}
	}
	b.rolesByCables(peers, told)
	b.tellRoles(peers, told)
}

// toldRole is a role and why it was concluded.
type toldRole struct {
	role cabling.Role
	why  string
}

// several are the names of roles for more than one device.
var several = map[cabling.Role]string{
	cabling.Unknown: "devices", cabling.Switch: "switches", cabling.Host: "hosts", cabling.Router: "routers",
	cabling.Management: "devices for management", cabling.Aggregator: "aggregation nodes",
}

// tellRoles notes how many roles were concluded, and from what.
func (b *builder) tellRoles(peers [][]int, told map[toldRole]int) {
	unknown := 0
	for i := range b.f.Devices {
		if b.f.Devices[i].Role == cabling.Unknown && len(peers[i]) > 0 {
			unknown++
		}
	}
	var parts []string
	for t, n := range told {
		parts = append(parts, wording.Counted(n, t.role.String(), several[t.role])+" "+t.why)
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		b.f.Note("%s does not say the role of all devices; taken as: %s", b.file, strings.Join(parts, "; "))
	}
	if unknown > 0 {
		b.f.Note("%s does not say the role of %s, and nothing suggests one", b.file, wording.Counted(unknown, "device", "devices"))
	}
}

// portsRole is the role of a device whose ports all have names of one sort. A whole list with one port is of no switch.
func portsRole(ports []string, partial bool) cabling.Role {
	switches, hosts := 0, 0
	for _, p := range ports {
		switch {
		case hostPort.MatchString(p):
			hosts++
		case switchPort.MatchString(p):
			switches++
		}
	}
	switch {
	case len(ports) > 0 && hosts == len(ports):
		return cabling.Host
	case switches == len(ports) && (switches > 1 || switches == 1 && partial):
		return cabling.Switch
	}
	return cabling.Unknown
}

// rolesByCables: what a host is connected to is a switch, and what has one cable, to a switch, is a host.
func (b *builder) rolesByCables(peers [][]int, told map[toldRole]int) {
	for i, all := range peers {
		d := &b.f.Devices[i]
		if d.Role == cabling.Unknown && slices.ContainsFunc(all, func(p int) bool { return b.f.Devices[p].Role == cabling.Host }) {
			d.Role = cabling.Switch
			told[toldRole{cabling.Switch, "because hosts are connected to them"}]++
		}
	}
	for i, all := range peers {
		d := &b.f.Devices[i]
		if d.Role == cabling.Unknown && !d.Partial && len(all) == 1 && b.f.Devices[all[0]].Role == cabling.Switch {
			d.Role = cabling.Host
			told[toldRole{cabling.Host, "because they have one cable, to a switch, and no other"}]++
		}
	}
}
