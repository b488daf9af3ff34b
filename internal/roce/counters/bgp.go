package counters

import (
	"strconv"
	"strings"

	"weft/internal/base/portstate"
)

// show ip bgp summary has a table of neighbours. The first column is spelt Neighbhor by SONiC. State/PfxRcd
// is a number of prefixes when the session is established, else its state (tests/bgp_commands_test.py).

func isBGP(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.HasPrefix(line, "Neighb") && strings.Contains(line, "State/PfxRcd")
	})
}

// readBGP reads the rows by their words: FRR's own table has no line of dashes.
func readBGP(in *portstate.Input) {
	table, names, sessions := false, false, 0
	for line := range lines(in) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Neighb") && strings.Contains(line, "State/PfxRcd"):
			table, sessions, names = true, 0, strings.Contains(line, "NeighborName") || strings.Contains(line, "Desc")
		case strings.HasPrefix(line, "Total number of neighbors"):
			table = false
			if total, err := strconv.Atoi(words[len(words)-1]); err == nil && total != sessions {
				in.Note("the table has %d neighbours, and the total says %d: is the output truncated?", sessions, total)
			}
		case !table || strings.HasPrefix(line, "---") || len(words) < 2:
		case len(words) < 10 || words[1] != "4": // BGP's version; a neighbour can be an interface, as swp2 or spine2(swp2)
			in.Note("the row is no neighbour and is left out: expected at least 10 columns, 4 in the second, not %q", short(line))
		default:
			session(in, words, names)
			sessions++
		}
	}
}

// session adds a neighbour. A state can have two words: Idle (Admin).
func session(in *portstate.Input, words []string, names bool) {
	s := portstate.Session{Device: in.Device, Neighbour: words[0], AS: words[2], Since: words[8], State: words[9], At: in.At()}
	rest := words[10:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "(") {
		s.State += " " + rest[0]
		rest = rest[1:]
	}
	if _, err := strconv.Atoi(s.State); err == nil {
		s.State = "Established"
	}
	if names && len(rest) > 0 {
		s.Name = known(rest[len(rest)-1])
	}
	in.Set.Sessions = append(in.Set.Sessions, s)
}
