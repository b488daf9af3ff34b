package counters

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// osm.log has lines «Jun 17 17:21:28 927893 [4F2006C0] 0x02 -> function: text», with banners between
// them. The date has no year, and the microseconds stand behind a blank. A change of a link is
//
//	… -> osm_pi_rcv_process: Switch 0x200000 Switch1 port 3 changed state from ACTIVE to DOWN
//
// or the same of osm_spst_rcv_process, perhaps with the cage in brackets behind the number.

var logLine = regexp.MustCompile(`^([A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d+) \[[0-9A-Fa-f]+\] 0x[0-9A-Fa-f]{2} -> `)

var stateChange = regexp.MustCompile(`(?:Switch|Node|CA) (0x[0-9a-fA-F]+) (.*?) ?port (\d+)(?: ?\(([^)]*)\))? changed state from ([A-Z]+) to ([A-Z]+)`)

// maxNotices bounds the kinds of traps that are told.
const maxNotices = 20

func isOpenSMLog(text string) bool {
	return hasLine(text, func(line string) bool { return logLine.MatchString(line) })
}

// notice is a trap as the manager received it.
var notice = regexp.MustCompile(`Received Generic Notice type:(\d+) num:(\d+) \(([^)]*)\).* from LID:(\d+)`)

// notices counts traps by their number and LID.
type notices struct {
	text  string // of the first
	at    portstate.Place
	count int
}

func readOpenSMLog(in *portstate.Input) {
	changes := 0
	seen := map[string]*notices{}
	defer func() {
		for _, key := range sortedKeys(seen) {
			n := seen[key]
			in.Set.Remarks = append(in.Set.Remarks, portstate.Said[string]{Value: fmt.Sprintf("%s, %d in the log", n.text, n.count), At: n.at})
		}
	}()
	for line := range in.Lines() {
		at := logLine.FindStringSubmatch(line)
		if at != nil {
			if m := notice.FindStringSubmatch(line); len(m) > 0 && (seen[m[2]+" "+m[4]] != nil || len(seen) < maxNotices) {
				key := m[2] + " " + m[4]
				if seen[key] == nil {
					seen[key] = &notices{text: fmt.Sprintf("notice %s (%s) from LID %s, first at %s", m[2], short(m[3]), m[4], at[1]), at: in.At()}
				}
				seen[key].count++
			}
		}
		if at == nil || !strings.Contains(line, "changed state from") {
			continue
		}
		m := stateChange.FindStringSubmatch(line)
		if m == nil {
			in.Note("the change of a link's state is not understood: %q", short(line))
			continue
		}
		changes++
		guid, _ := portstate.ParseGUID(m[1])
		n, err := strconv.Atoi(m[3])
		if err != nil || n > maxPort {
			in.Note("port %s: expected a number up to %d", short(m[3]), maxPort)
			continue
		}
		in.Set.Events = append(in.Set.Events, portstate.Event{
			Port: portstate.Port{Node: guid, Device: m[2], Number: n, Label: m[4], Role: cabling.Switch},
			Time: at[1], From: m[5], To: m[6], At: in.At(),
		})
	}
	if changes == 0 {
		in.Set.Notes = append(in.Set.Notes, in.Name+": the log has no change of a link's state")
	}
}
