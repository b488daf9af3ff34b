package counters

import (
	"encoding/json"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// portOfFile is the port that an output is about which does not name it.
func portOfFile(name, text string) string {
	in := &portstate.Input{Name: name, Text: text, Set: portstate.NewSet()}
	for range lines(in) {
		break
	}
	return portOfCommand(in)
}

// firstHeading is the first table's title and heading: errors and rates are other tables of the same counters.
func firstHeading(_, text string) string {
	before, last := "", ""
	for line := range strings.SplitSeq(text[:min(len(text), headSize)], "\n") {
		if line = strings.TrimSpace(line); dashes.MatchString(line) {
			break
		}
		if _, _, ok := cabling.Prompt(line); line != "" && !ok {
			before, last = last, line
		}
	}
	if strings.Contains(before, "  ") || !strings.Contains(before, ":") {
		before = ""
	}
	return before + strings.Join(strings.Fields(last), " ")
}

// membersOfPort is the names of the members of the first port of JSON, and of its first queue.
func membersOfPort(name, text string) string {
	in := &portstate.Input{Name: name, Text: text[:min(len(text), headSize)], Set: portstate.NewSet()}
	part := ""
	jsonPorts(in, func(m member) {
		if part != "" {
			return
		}
		for _, key := range sortedKeys(m.value) {
			var queue map[string]json.RawMessage
			if json.Unmarshal(m.value[key], &queue) == nil {
				part += strings.Join(sortedKeys(queue), " ")
				break
			}
			part += key + " "
		}
	})
	return part
}
