package sonic

import "strings"

// headLength is the length of the part of a file in which its network system is recognised.
const headLength = 64 << 10

// vendors are other network systems, each with a text that its configuration has and SONiC's does
// not. The first match is reported.
var vendors = []struct{ name, has string }{
	{"NVUE commands of Cumulus Linux", "nv set "},
	{"NVUE's startup configuration of Cumulus Linux", "- set:"},
	{"NVUE's configuration of Cumulus Linux", `"set":`},
	{"OpenConfig", `"openconfig-`},
	{"Arista EOS", "(EOS)"},
	{"Arista EOS", "uc-tx-queue"},
	{"Arista EOS", "transceiver qsfp default-mode"},
	{"Cisco NX-OS", "policy-map type network-qos"},
	{"Cisco NX-OS", "class-map type qos"},
	{"Cisco NX-OS", "feature "},
	{"Arista EOS or Cisco NX-OS", "priority-flow-control "},
	{"Arista EOS or Cisco NX-OS", "interface Ethernet"},
	{"Junos", "set class-of-service "},
	{"Junos", "class-of-service {"},
	{"a YAML file", "---\n"},
}

// vendorOf is the network system of a text, "" if it is unknown.
func vendorOf(text string) string {
	text = text[:min(len(text), headLength)]
	for _, v := range vendors {
		if strings.Contains(text, v.has) {
			return v.name
		}
	}
	return ""
}

// severalChips reports whether a file has the configurations of the parts of a switch with several
// chips, each under its name space.
func severalChips(table string) bool { return table == "localhost" || strings.HasPrefix(table, "asic") }
