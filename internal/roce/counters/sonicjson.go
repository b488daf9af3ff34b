package counters

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"weft/internal/base/portstate"
)

// hasMember recognises JSON of SONiC by the name of a member: the text of the beginning has a line that opens a value,
// behind prompts and lines of the tool.
func hasMember(names ...string) func(text string) bool {
	return func(text string) bool {
		head := text[:min(len(text), headSize)]
		for _, name := range names {
			if at := strings.Index(head, `"`+name+`"`); at >= 0 && hasLine(head[:at], opensJSON) {
				return true
			}
		}
		return false
	}
}

// opensJSON reports whether a line begins a value of JSON.
func opensJSON(line string) bool {
	line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	return line == "{" || line == "[" || strings.HasPrefix(line, `{"`) || strings.HasPrefix(line, "[{")
}

// member is the name and the value of a member of JSON.
type member struct {
	name  string
	value map[string]json.RawMessage
}

// readInterfacesJSON reads show interfaces counters -j, and errors -j and rates -j: an object with a member for each
// port, whose members are the columns of the table (sonic-utilities, utilities_common/netstat.py, table_as_json).
func readInterfacesJSON(in *portstate.Input) {
	jsonPorts(in, func(m member) { interfaceRow(in, rowOf("IFACE", m)) })
}

// readFECJSON reads show interfaces counters fec-stats -j, which has the same form.
func readFECJSON(in *portstate.Input) {
	jsonPorts(in, func(m member) { fecRow(in, rowOf("IFACE", m)) })
}

// readWatermarkJSON reads show queue watermark -j and show priority-group watermark -j: a list with an object for each
// port (sonic-utilities, scripts/watermarkstat). The JSON does not say which watermark it is; its members do.
func readWatermarkJSON(in *portstate.Input) {
	jsonPorts(in, func(m member) {
		if m.name != "" {
			watermarkRow(in, rowOf("Port", m))
		}
	})
}

// readQueuesJSON reads show queue counters -j (--voq, too): an object for each port, with an object for each queue
// (sonic-utilities, scripts/queuestat, build_json). time is that of the reading.
func readQueuesJSON(in *portstate.Input) {
	jsonPorts(in, func(m member) {
		before := in.Time
		if at, err := time.Parse("2006-01-02T15:04:05.999999", text(m.value["time"])); err == nil {
			in.Time = at.UnixMicro()
		}
		reading := in.Reading(switchPort(in, row{}, m.name))
		in.Time = before
		for _, queue := range sortedKeys(m.value) {
			var counts map[string]json.RawMessage
			if json.Unmarshal(m.value[queue], &counts) != nil {
				continue // a time
			}
			for _, c := range queueCounters {
				if value := text(counts[c.member]); value != "" {
					count(in, reading, fmt.Sprintf("queue %s %s", queue, c.what), value)
				}
			}
		}
	})
}

// rowOf is a member as a row of the table that the same command prints, with the name of the port in the first column.
func rowOf(first string, m member) row {
	r := row{columns: []string{first}, cells: []string{m.name}}
	for _, name := range sortedKeys(m.value) {
		if name != first {
			r.columns, r.cells = append(r.columns, name), append(r.cells, text(m.value[name]))
		}
	}
	return r
}

// text is a value that is a text or a number; "" for others.
func text(raw json.RawMessage) (s string) {
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 'n':
		return ""
	case raw[0] == '"' && json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}

// jsonPorts calls do for each port of the values of JSON in a text. Between them are prompts, dates and lines of the tool;
// a switch with several chips prints a value for each.
func jsonPorts(in *portstate.Input, do func(member)) {
	for at := 0; at < len(in.Text); {
		line, _, _ := strings.Cut(in.Text[at:], "\n")
		if !opensJSON(line) {
			in.Outside(line)
			promptOf(in, line)
			at += len(line) + 1
			continue
		}
		start := at + strings.IndexAny(line, "{[")
		read, err := jsonValue(in, start, do)
		if err != nil {
			in.Note("the ports from here on are not read: %s; is the output truncated?", short(err.Error()))
			return
		}
		at = start + read
		if rest, _, _ := strings.Cut(in.Text[at:], "\n"); strings.TrimSpace(rest) == "" {
			at += len(rest) + 1
		}
	}
}

// jsonValue reads one value, and says how long it is.
func jsonValue(in *portstate.Input, start int, do func(member)) (length int, err error) {
	d := json.NewDecoder(strings.NewReader(in.Text[start:]))
	open, err := d.Token()
	if err != nil {
		return 0, err
	}
	for d.More() {
		var m member
		in.AtOffset(int64(start) + beginOf(in.Text[start:], d.InputOffset()))
		if open == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return 0, err
			}
			m.name, _ = name.(string)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return 0, err
		}
		if json.Unmarshal(raw, &m.value) != nil || m.value == nil {
			in.Note("%s is %s and left out: expected an object with the counters of a port", short(m.name), short(string(raw)))
			continue
		}
		if open == json.Delim('[') {
			m.name = text(m.value["Port"])
		}
		do(m)
	}
	_, err = d.Token()
	return int(d.InputOffset()), err
}

// beginOf is where the next member begins behind the offset: after commas and blanks.
func beginOf(text string, offset int64) int64 {
	rest := text[offset:]
	return offset + int64(len(rest)-len(strings.TrimLeft(rest, ", \t\r\n")))
}

func sortedKeys(fields map[string]json.RawMessage) (keys []string) {
	for k := range fields {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// fillLevel is a member of a watermark: of a priority group, or of a queue.
var fillLevel = regexp.MustCompile(`"(?:PG|UC|MC|ALL)[0-9]+"[ \t]*:`)

// isWatermarkJSON recognises the list of show queue watermark -j and of show priority-group watermark -j.
func isWatermarkJSON(text string) bool {
	return hasMember("Port")(text) && fillLevel.MatchString(text[:min(len(text), headSize)])
}
