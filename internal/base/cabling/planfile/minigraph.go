package planfile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// viewOfMinigraph reads the neighbours in a minigraph.xml of SONiC: PngDec/DeviceInterfaceLinks has the cables, in which
// the switch itself is the start or the end; PngDec/Devices the roles. Source: sonic-net/sonic-buildimage
// src/sonic-config-engine/tests.
func viewOfMinigraph(file, text string) (*view, error) {
	m := &minigraph{dec: xml.NewDecoder(strings.NewReader(text)), file: file, about: map[string]neighbour{}}
	if err := m.read(); err != nil {
		return nil, err
	}
	if len(m.links) == 0 {
		return nil, problem(file, 0, "XML without a DeviceLinkBase of type DeviceInterfaceLink; expected %s", Known)
	}
	if m.own == "" {
		m.own = m.mostNamed()
	}
	v := &view{file: file, format: "SONiC minigraph.xml", role: cabling.Switch, name: m.own, about: m.about, model: m.sku}
	if v.model == "" {
		v.model = m.about[m.own].model
	}
	apart, inside := 0, 0
	for i := range m.links {
		f := m.links[i].fields
		s := sight{rate: rateOf(f["Bandwidth"]), place: cabling.Place{File: file, Line: m.links[i].line}}
		start, end := m.isOwn(f["StartDevice"]), m.isOwn(f["EndDevice"])
		switch {
		case start && end || isChip(f["StartDevice"]) || isChip(f["EndDevice"]):
			inside++
			continue
		case start:
			s.port, s.peer, s.peerPort = m.ownPort(f["StartDevice"], f["StartPort"]), f["EndDevice"], f["EndPort"]
		case end:
			s.port, s.peer, s.peerPort = m.ownPort(f["EndDevice"], f["EndPort"]), f["StartDevice"], f["StartPort"]
		default:
			apart++
			continue
		}
		v.sights = append(v.sights, s)
	}
	if apart > 0 {
		v.notes = append(v.notes, file+": links of other devices than "+m.own+" are left out")
	}
	if inside > 0 {
		v.notes = append(v.notes, fmt.Sprintf("%s: %s between the chips of %s left out", file, wording.Counted(inside, "link", "links"), m.own))
	}
	return v, nil
}

// isOwn reports whether a device is the switch of the file. A switch with several chips writes its front ports under its
// own name or under a chip's, as in lc06-ASIC00 of lc06.
func (m *minigraph) isOwn(device string) bool {
	own := len(m.own)
	return len(device) >= own && strings.EqualFold(device[:own], m.own) && (device[own:] == "" || chipSuffix.MatchString(device[own:]))
}

// ownPort is a port of the switch by a name of its own: chips count their ports apart, and Eth8-ASIC01 is that of one.
func (m *minigraph) ownPort(device, port string) string {
	chip := device[len(m.own):]
	if chip == "" || strings.Contains(port, "-ASIC") {
		return port
	}
	return port + chip
}

// isChip reports whether a device is a chip without the name of its switch: its links are inside of the switch.
func isChip(device string) bool { return chipSuffix.MatchString("-" + device) }

var chipSuffix = regexp.MustCompile(`(?i)^-ASIC[0-9]{1,3}$`)

// minigraph collects the parts of the file.
type minigraph struct {
	dec   *xml.Decoder
	file  string
	own   string
	sku   string
	links []minilink
	about map[string]neighbour

	path []string // names of the open elements
	text string   // of the innermost
	link *minilink
	name string // of the device that is being read, its type and its hardware
	role string
	hw   string
}

// minilink is a link by the names of its elements.
type minilink struct {
	fields map[string]string
	line   int
}

// read walks through the elements.
func (m *minigraph) read() error {
	for n := 0; ; n++ {
		t, err := m.dec.Token()
		line, _ := m.dec.InputPos()
		switch {
		case errors.Is(err, io.EOF) && len(m.path) == 0:
			return nil
		case err != nil:
			return problem(m.file, line, "this is not XML: %v", err)
		case n > 4*maxValues || len(m.path) > maxDepth:
			return problem(m.file, line, "more than %d elements, or nested more than %d deep", maxValues, maxDepth)
		}
		switch t := t.(type) {
		case xml.StartElement:
			m.enter(t, line)
		case xml.CharData:
			if len(m.text) < 1000 {
				m.text += string(t)
			}
		case xml.EndElement:
			if len(m.path) > 0 {
				m.leave(t.Name.Local)
			}
		}
	}
}

// enter enters an element.
func (m *minigraph) enter(t xml.StartElement, line int) {
	m.path, m.text = append(m.path, t.Name.Local), ""
	switch t.Name.Local {
	case "DeviceLinkBase":
		m.link = &minilink{map[string]string{}, line}
	case "Device":
		m.name, m.role, m.hw = "", "", ""
		for _, a := range t.Attr {
			if a.Name.Local == "type" {
				m.role = a.Value
			}
		}
	}
}

// leave leaves an element, and keeps what was in it.
func (m *minigraph) leave(name string) {
	text, parent := strings.TrimSpace(m.text), ""
	if len(m.path) > 1 {
		parent = m.path[len(m.path)-2]
	}
	switch {
	case name == "DeviceLinkBase" && m.link != nil:
		// Links of the console and of the management network are of other types.
		if kind := m.link.fields["ElementType"]; (kind == "" || strings.Contains(kind, "DeviceInterfaceLink")) && len(m.links) < maxCables {
			m.links = append(m.links, *m.link)
		}
		m.link = nil
	case parent == "DeviceLinkBase" && m.link != nil:
		m.link.fields[name] = text
	case parent == "Device" && name == "Hostname":
		m.name = text
	case parent == "Device" && name == "HwSku":
		m.hw = text
	case name == "Device" && m.name != "":
		m.about[m.name] = neighbour{roleWord(m.role), m.hw}
	case len(m.path) == 2 && name == "Hostname":
		m.own = text
	case len(m.path) == 2 && name == "HwSku":
		m.sku = text
	}
	m.path, m.text = m.path[:len(m.path)-1], ""
}

// mostNamed is the device at the end of most links.
func (m *minigraph) mostNamed() (name string) {
	count := map[string]int{}
	for i := range m.links {
		for _, end := range [2]string{m.links[i].fields["StartDevice"], m.links[i].fields["EndDevice"]} {
			if count[end]++; count[end] > count[name] {
				name = end
			}
		}
	}
	return name
}
