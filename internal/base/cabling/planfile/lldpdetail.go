package planfile

import (
	"regexp"
	"strings"

	"weft/internal/base/cabling"
)

// lldpBlocks are forms of LLDP neighbours as text in which each neighbour is a block of lines, recognised by a line
// that only they have. Sources: networktocode/ntc-templates tests of arista_eos and cisco_nxos; lldpd.
var lldpBlocks = []struct {
	format string
	begin  *regexp.Regexp // the first line of a block
	local  *regexp.Regexp // the line with the own port
	after  bool           // which comes after the first line
}{
	{"NX-OS show lldp neighbors detail", regexp.MustCompile(`^Chassis id:`), regexp.MustCompile(`^Local Port id:\s*(\S+)`), true},
	{"EOS show lldp neighbors detail", regexp.MustCompile(`^\s+Neighbor \S+/`), regexp.MustCompile(`^Interface (\S+) detected \d+ LLDP`), false},
	{"lldpctl", regexp.MustCompile(`^Interface:\s`), regexp.MustCompile(`^Interface:\s+([^\s,]+),`), false},
}

// Lines of a block, in any of the forms.
var (
	blockName  = regexp.MustCompile(`^[\s-]*(?:System Name|SysName)\s*:\s*"?([^"]*?)"?\s*$`)
	blockPort  = regexp.MustCompile(`^\s*(?:Port id|Port ID|PortID)\s*:\s*(?:(?:ifname|local|mac|ifalias)\s+)?"?([^"]*?)"?\s*$`)
	blockDescr = regexp.MustCompile(`^[\s-]*(?:Port Description|PortDescr)\s*:\s*"?([^"]*?)"?\s*$`)
)

// viewOfBlocks reads blocks of neighbours; nil if the text has none.
func viewOfBlocks(file string, lines []string) *view {
	for _, form := range lldpBlocks {
		first := -1
		for i, line := range lines {
			if form.local.MatchString(line) {
				first = i
				break
			}
		}
		if first < 0 {
			continue
		}
		v := &view{file: file, format: form.format, role: cabling.Switch}
		v.name = nameIn(strings.Join(lines[:first], "\n"))
		var s *sight
		port := ""
		for i, line := range lines {
			own := form.local.FindStringSubmatch(line)
			if own != nil {
				port = own[1]
			}
			if form.begin.MatchString(line) {
				if form.after {
					port = ""
				}
				v.sights = append(v.sights, sight{port: port, place: cabling.Place{File: file, Line: i + 1}})
				s = &v.sights[len(v.sights)-1]
			}
			if s == nil {
				continue
			}
			if own != nil && form.after {
				s.port = port
			}
			blockLine(s, line)
		}
		return v
	}
	return nil
}

// blockLine takes over what a line says about a neighbour; the first line of a kind counts.
func blockLine(s *sight, line string) {
	for _, part := range []struct {
		form *regexp.Regexp
		to   *string
	}{{blockName, &s.peer}, {blockPort, &s.peerPort}, {blockDescr, &s.descr}} {
		if m := part.form.FindStringSubmatch(line); m != nil && *part.to == "" && m[1] != "null" && m[1] != "not advertised" {
			*part.to = m[1]
		}
	}
}
