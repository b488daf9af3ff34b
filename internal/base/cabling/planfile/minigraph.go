package planfile

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"weft/internal/base/cabling"
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
		return nil, problem(file, 0, "XML without a DeviceLinkBase of type DeviceInterfaceLink; expected %s", known)
	}
	if m.own == "" {
		m.own = m.mostNamed()
	}
	v := &view{file: file, format: "SONiC minigraph.xml", role: cabling.Switch, name: m.own, about: m.about, model: m.sku}
	if v.model == "" {
		v.model = m.about[m.own].model
	}
	apart := 0
	for i := range m.links {
		f := m.links[i].fields
		s := sight{rate: rateOf(f["Bandwidth"]), place: cabling.Place{File: file, Line: m.links[i].line}}
		switch {
		case strings.EqualFold(f["StartDevice"], m.own):
			s.port, s.peer, s.peerPort = f["StartPort"], f["EndDevice"], f["EndPort"]
		case strings.EqualFold(f["EndDevice"], m.own):
			s.port, s.peer, s.peerPort = f["EndPort"], f["StartDevice"], f["StartPort"]
		default:
			apart++
			continue
		}
		v.sights = append(v.sights, s)
	}
	if apart > 0 {
		v.notes = append(v.notes, file+": links of other devices than "+m.own+" are left out")
	}
	return v, nil
}

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
