package counters

import (
	"regexp"
	"strings"

	"weft/internal/base/portstate"
)

// node-name-map has lines «0x<NodeGUID> "name"» and comments (rdma-core,
// infiniband-diags/man/common/sec_node-name-map.rst). Two GUIDs can share a name. Sites keep lines such as
// «H-<16 digits> name», too (HPC_toolset).

func isNodeNames(text string) bool {
	seen, all := false, true
	hasLine(text, func(line string) bool {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			return false
		}
		_, ok := cutNodeName(line)
		seen, all = seen || ok, all && (ok || seen)
		return !all
	})
	return seen && all
}

type nodeName struct {
	guid, name string
}

// siteName is a line without quotes: H-<16 digits> or S-<16 digits>, or 0x and 16 digits, and a name that is no number.
var siteName = regexp.MustCompile(`^(?:[HS]-|0x)([0-9a-fA-F]{16})\s+([^"\s].*)$`)

func cutNodeName(line string) (nodeName, bool) {
	if m := siteName.FindStringSubmatch(line); len(m) > 0 && !strings.HasPrefix(m[2], "0x") {
		return nodeName{"0x" + m[1], m[2]}, true
	}
	guid, rest, ok := strings.Cut(line, `"`)
	guid = strings.TrimSpace(guid)
	name, after, closed := strings.Cut(rest, `"`)
	_, isGUID := portstate.ParseGUID(guid)
	return nodeName{guid, name}, ok && closed && isGUID && strings.HasPrefix(guid, "0x") && strings.TrimSpace(strings.SplitN(after, "#", 2)[0]) == ""
}

func readNodeNames(in *portstate.Input) {
	for line := range in.Lines() {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		n, ok := cutNodeName(line)
		if !ok {
			in.Note("%q is no name: expected 0x<NodeGUID> \"name\"", short(line))
			continue
		}
		guid, _ := portstate.ParseGUID(n.guid)
		if was, twice := in.Set.Names[guid]; twice && was != n.name {
			in.Note("%v is called %q here and %q before: the latter is used", guid, short(n.name), short(was))
			continue
		}
		in.Set.Names[guid] = n.name
	}
}
