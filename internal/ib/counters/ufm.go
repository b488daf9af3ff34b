package counters

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// UFM gives lists of objects as JSON (NVIDIA, UFM Enterprise REST API 6.11.1 to 6.23.1; the telemetry
// is that of UFM's stream, in ufm_sdk_3.0). The keys of an object show what it is. GUIDs have no 0x,
// and a port's number is an integer in ports and a string in links.

// ufmKind is a kind of object with the keys that only it has.
type ufmKind struct {
	keys []string
	read func(*portstate.Input, object)
}

// ufmKinds are the objects that are read.
var ufmKinds = []ufmKind{
	{[]string{"UnhealthyGUID"}, ufmUnhealthy},
	{[]string{"UnhealthyPort"}, ufmUnhealthy},
	{[]string{"source_guid", "destination_guid"}, ufmLink},
	{[]string{"port_guid", "port_num"}, ufmTelemetry},
	{[]string{"physical_state", "number"}, ufmPort},
	{[]string{"severity", "object_name"}, ufmEvent},
}

func isUFM(text string) bool {
	first := firstLine(text)
	if !strings.HasPrefix(first, "[") && !strings.HasPrefix(first, "{") {
		return false
	}
	h := head(text)
	return slices.ContainsFunc(ufmKinds, func(k ufmKind) bool {
		return !slices.ContainsFunc(k.keys, func(key string) bool { return !strings.Contains(h, `"`+key+`"`) })
	})
}

// object is an object of JSON. Its numbers are texts.
type object map[string]any

// text is the value of the first of the keys that is a text or a number; "" without.
func (o object) text(keys ...string) string {
	for _, key := range keys {
		switch v := o[key].(type) {
		case string:
			if v = known(strings.TrimSpace(v)); v != "" {
				return v
			}
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// list is a list of texts or numbers.
func (o object) list(key string) (out []string) {
	items, _ := o[key].([]any)
	for _, item := range items {
		switch v := item.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		}
	}
	return out
}

func readUFM(in *portstate.Input) {
	objects := 0
	err := eachObject(in, func(o object) {
		for _, k := range ufmKinds {
			if !slices.ContainsFunc(k.keys, func(key string) bool { return o[key] == nil }) {
				objects++
				k.read(in, o)
				return
			}
		}
	})
	if err != nil {
		in.Note("the JSON cannot be read further: %v: is the file truncated?", err)
	}
	if objects == 0 && err == nil {
		in.Note("the list is empty: UFM had nothing to say")
	}
}

// maxDepth bounds how deep lists and objects may lie in one another.
const maxDepth = 16

// eachObject calls do for each object of the lists in the file, however deep they lie, and for the
// file itself if it is one object without a list of objects. What stands before an error is read.
func eachObject(in *portstate.Input, do func(object)) error {
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(in.Text, "\ufeff")))
	d.UseNumber()
	for {
		if err := walk(in, d, do, 0); err != nil {
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
		if !d.More() {
			return nil
		}
	}
}

// walk reads one value. An object of which a value is a list is not taken as a whole: its lists are
// walked.
func walk(in *portstate.Input, d *json.Decoder, do func(object), depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("lists and objects lie more than %d deep", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		for d.More() {
			if err := walk(in, d, do, depth+1); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	case json.Delim('{'):
		in.AtOffset(d.InputOffset())
		start := in.At().Line
		o := object{}
		for d.More() {
			if err := member(in, d, o, do, depth); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
		in.AtLine(start)
		do(o)
	}
	return nil
}

// member reads a key of an object with its value into o, and walks a list of objects or an object.
func member(in *portstate.Input, d *json.Decoder, o object, do func(object), depth int) error {
	key, err := d.Token()
	if err != nil {
		return err
	}
	name, _ := key.(string)
	if !d.More() {
		_, err := d.Token()
		return err
	}
	switch peek(in.Text, d.InputOffset()) {
	case '{', '[':
		var items []any
		if err := compound(in, d, &items, do, depth+1); err != nil {
			return err
		}
		o[name] = items
		return nil
	}
	value, err := d.Token()
	if err != nil {
		return err
	}
	o[name] = value
	return nil
}

// compound reads a list, whose texts and numbers go into items and whose objects are walked; or an
// object, which is walked.
func compound(in *portstate.Input, d *json.Decoder, items *[]any, do func(object), depth int) error {
	if peek(in.Text, d.InputOffset()) == '{' {
		return walk(in, d, do, depth)
	}
	if _, err := d.Token(); err != nil { // [
		return err
	}
	for d.More() {
		switch peek(in.Text, d.InputOffset()) {
		case '{', '[':
			if err := walk(in, d, do, depth); err != nil {
				return err
			}
		default:
			v, err := d.Token()
			if err != nil {
				return err
			}
			*items = append(*items, v)
		}
	}
	_, err := d.Token()
	return err
}

// peek is the first character behind an offset that is neither blank nor a colon nor a comma.
func peek(text string, offset int64) byte {
	if strings.HasPrefix(text, "\ufeff") {
		offset += 3
	}
	for i := int(offset); i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n', ':', ',':
		default:
			return text[i]
		}
	}
	return 0
}

// ufmTelemetry reads the counters of a port: Infiniband_SymbolErrors_u_Errors, or the
// specification's names. Infiniband_MBOut_u_Gb holds integers that are no gigabits, and its unit is
// not known.
func ufmTelemetry(in *portstate.Input, o object) {
	p := portstate.Numbered(-1)
	p.Node, _ = portstate.ParseGUID(o.text("node_guid", "Node_GUID"))
	p.GUID, _ = portstate.ParseGUID(o.text("port_guid", "Port_GUID"))
	p.Device = o.text("node_description", "node_name", "Device_Name")
	number, ok, _ := portstate.ParseCount(o.text("port_num", "Port_Number"))
	if !ok || number > maxPort {
		return
	}
	p.Number = int(number)
	r := in.Reading(p)
	if at, ok, _ := portstate.ParseCount(o.text("timestamp")); ok && at < 1<<60 {
		r.Time = int64(at)
	}
	for _, key := range sortedKeys(o) {
		tool := strings.TrimPrefix(key, "Infiniband_")
		tool, _, _ = strings.Cut(tool, "_u_")
		tool, _, _ = strings.Cut(tool, "_f_")
		name, extended, known := counterName(tool)
		if !known {
			ufmRate(in, r, key, o)
			continue
		}
		if text := o.text(key); text != "" {
			count(in, r, name, text, extended)
		}
	}
}

// ufmRate reads an error rate of UFM's telemetry.
func ufmRate(in *portstate.Input, r *portstate.Reading, key string, o object) {
	var to *portstate.Said[float64]
	switch plain(key) {
	case "rawber":
		to = &r.Raw
	case "effber", "effectiveber":
		to = &r.Effective
	case "symbolber":
		to = &r.Symbol
	default:
		return
	}
	if f, _, ok := portstate.ParseFloat(o.text(key)); ok {
		setRate(in, to, f)
	}
}

// ufmLink reads a link.
func ufmLink(in *portstate.Input, o object) {
	end := func(which string) (portstate.Port, bool) {
		p := portstate.Numbered(-1)
		guid, ok := portstate.ParseGUID(o.text(which + "_guid"))
		p.GUID, p.Label = guid, o.text(which+"_port_dname")
		number, okNumber, _ := portstate.ParseCount(o.text(which + "_port"))
		if okNumber && number <= maxPort {
			p.Number = int(number)
		}
		p.Device = o.text(which+"_port_node_description", which+"_node_description")
		return p, ok && p.Number >= 0
	}
	a, okA := end("source")
	b, okB := end("destination")
	if !okA || !okB {
		in.Note("the link has no GUIDs and numbers of its two ports: expected source_guid, source_port, destination_guid, destination_port")
		return
	}
	for _, ends := range [][2]portstate.Port{{a, b}, {b, a}} {
		r := in.Reading(ends[0])
		r.Peer, r.HasPeer, r.Cabled = ends[1], true, portstate.Say(in, true)
		if s := o.text("severity"); isSevere(s) {
			r.Verdicts = append(r.Verdicts, portstate.Verdict{Said: portstate.Say(in, "UFM's severity of the link is "+s), Vague: true})
		}
	}
}

// isSevere reports whether a severity of UFM is a warning or more.
func isSevere(text string) bool {
	switch strings.ToLower(text) {
	case "warning", "minor", "major", "critical", "error":
		return true
	}
	return false
}

// ufmPort reads a port.
func ufmPort(in *portstate.Input, o object) {
	number, ok, _ := portstate.ParseCount(o.text("number"))
	if !ok || number > maxPort {
		in.Note("the number of the port is %q: expected a whole number up to %d", short(o.text("number")), maxPort)
		return
	}
	p := portstate.Port{Number: int(number), Label: o.text("dname"), LID: lidOf(o.text("lid"))}
	p.Node, _ = portstate.ParseGUID(o.text("systemID", "system_guid", "node_guid"))
	p.GUID, _ = portstate.ParseGUID(o.text("guid"))
	if p.GUID == 0 {
		p.GUID, _ = portstate.ParseGUID(before(o.text("name"), "_"))
	}
	p.Device = o.text("node_description", "system_name")
	path := strings.Split(o.text("path"), " / ")
	if len(path) == 3 { // default(5) / Switch: sw-ndr03 / 1/26/2
		kind, name, named := strings.Cut(path[1], ": ")
		if named && p.Device == "" {
			p.Device = name
		}
		if named && kind == "Switch" {
			p.Role = cabling.Switch
		} else if named {
			p.Role = cabling.Host
		}
		if p.Label == "" {
			p.Label = path[2]
		}
	}
	r := in.Reading(p)
	ufmState(in, r, o)
	ufmPeer(in, r, o)
	if s := o.text("high_ber_severity"); isSevere(s) {
		r.Verdicts = append(r.Verdicts, portstate.Verdict{Said: portstate.Say(in, "high_ber_severity is "+s)})
	}
	if s := o.text("severity"); isSevere(s) {
		r.Verdicts = append(r.Verdicts, portstate.Verdict{Said: portstate.Say(in, "UFM's severity of the port is "+s), Vague: true})
	}
}

// before is the text in front of a mark, or the whole text.
func before(text, mark string) string {
	head, _, _ := strings.Cut(text, mark)
	return head
}

// ufmPeer reads the other end of a port: its name and GUID, or «guid_port».
func ufmPeer(in *portstate.Input, r *portstate.Reading, o object) {
	peer := portstate.Port{Device: o.text("peer_node_name", "peer_node_description"), Number: -1, Label: o.text("peer_port_dname"), LID: lidOf(o.text("peer_lid"))}
	peer.Node, _ = portstate.ParseGUID(o.text("peer_node_guid"))
	guid, number, _ := strings.Cut(o.text("peer", "peer_guid"), "_")
	peer.GUID, _ = portstate.ParseGUID(guid)
	for _, text := range []string{number, peer.Label} {
		if n, ok, _ := portstate.ParseCount(text); ok && n <= maxPort && peer.Number < 0 {
			peer.Number = int(n)
		}
	}
	if peer.Device == "" && peer.GUID == 0 && peer.Node == 0 {
		return
	}
	r.Peer, r.HasPeer, r.Cabled = peer, true, portstate.Say(in, true)
}

// ufmState reads the states and the speeds of a port.
func ufmState(in *portstate.Input, r *portstate.Reading, o object) {
	r.Physical = o.text("physical_state")
	switch physical, logical := plain(r.Physical), plain(o.text("logical_state")); {
	case strings.HasPrefix(physical, "disable"):
		r.State = portstate.Say(in, portstate.Disabled)
	case physical == "linkup":
		r.State = portstate.Say(in, portstate.Up)
	case logical == "down" || physical == "polling":
		r.State = portstate.Say(in, portstate.Down)
	}
	width := strings.ToLower(strings.TrimPrefix(o.text("active_width"), "IB_"))
	if link, ok := linkFrom(width, o.text("active_speed")); ok {
		r.Link = portstate.Say(in, link)
	}
	var best portstate.Link
	for _, key := range []string{"supported_speed", "enabled_speed"} {
		for _, s := range o.list(key) {
			for _, w := range append(o.list("supported_width"), o.list("enabled_width")...) {
				if l, ok := linkFrom(strings.ToLower(strings.TrimPrefix(w, "IB_")), s); ok && l.Rate() > best.Rate() {
					best = l
				}
			}
		}
	}
	if best.Rate() > 0 {
		r.Supports = portstate.Say(in, best)
	}
}

// ufmUnhealthy reads a port that UFM holds for unhealthy. Condition is a text, or a list of texts.
func ufmUnhealthy(in *portstate.Input, o object) {
	condition := o.text("Condition")
	if all := o.list("Condition"); len(all) > 0 {
		condition = strings.Join(all, ", ")
	}
	p := portstate.Numbered(-1)
	p.GUID, _ = portstate.ParseGUID(o.text("UnhealthyGUID"))
	p.Device, p.Label = o.text("UnhealthyNode"), o.text("UnhealthyPortDname")
	if n, ok, _ := portstate.ParseCount(o.text("UnhealthyPortNumber")); ok && n <= maxPort {
		p.Number = int(n)
	}
	r := in.Reading(p)
	text := "UFM holds the port for unhealthy, condition " + condition
	if at := o.text("StatusTime"); at != "" {
		text += ", since " + at
	}
	r.Verdicts = append(r.Verdicts, portstate.Verdict{Said: portstate.Say(in, text), Isolated: true})
	if o.text("PeerGUID") != "" {
		peer := portstate.Port{Device: o.text("PeerNode"), Label: o.text("PeerPortDname"), Number: -1, LID: lidOf(o.text("PeerLID"))}
		peer.GUID, _ = portstate.ParseGUID(o.text("PeerGUID"))
		if n, ok, _ := portstate.ParseCount(o.text("PeerPortNumber")); ok && n <= maxPort {
			peer.Number = int(n)
		}
		r.Peer, r.HasPeer = peer, true
	}
}

// ufmEvent keeps an event of at least a warning. Up to UFM 6.16 type is the number of the event; from
// 6.17 on it is a kind of object, and event_type the number.
func ufmEvent(in *portstate.Input, o object) {
	number := o.text("event_type")
	if number == "" {
		number = o.text("type")
	}
	if !isSevere(o.text("severity")) {
		return
	}
	text := fmt.Sprintf("UFM event %s (%s), %s: %s %s", number, o.text("name", "event_name"), o.text("severity"), o.text("object_name"), short(o.text("description")))
	in.Set.Remarks = append(in.Set.Remarks, portstate.Say(in, text))
}
