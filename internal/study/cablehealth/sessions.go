package cablehealth

import (
	"fmt"
	"strings"

	"weft/internal/base/portstate"
)

// sessions judges the neighbours of BGP. One that was never up can be planned and not yet built, so
// that all of them are one finding; each that was up is one of its own.
func (j *judge) sessions() {
	never := map[string][]portstate.Session{}
	var devices []string
	total := map[string]int{}
	for _, s := range j.set.Sessions {
		j.report.Sessions++
		total[s.Device]++
		switch {
		case s.State == "Established", strings.Contains(s.State, "(Admin)"), strings.Contains(s.State, "(Policy)"):
		case s.Since == "never":
			if never[s.Device] == nil {
				devices = append(devices, s.Device)
			}
			never[s.Device] = append(never[s.Device], s)
		default:
			name := textOf(s)
			j.report.Findings = append(j.report.Findings, Finding{
				Tier: LinkDown, Port: s.Device, Far: name, What: fmt.Sprintf("%sthe BGP session with %s is %s since %s", deviceText(s.Device), name, s.State, s.Since),
				Evidence: []Evidence{{Port: name, Counter: "BGP", Value: s.State, At: s.At.String(), tier: LinkDown}},
				Action:   "Look whether the link to " + name + " is up, then at its BGP configuration.",
			})
		}
	}
	for _, device := range devices {
		list := never[device]
		f := Finding{
			Tier: LinkDown, Port: device, amount: float64(len(list)),
			What:   fmt.Sprintf("%s%d of %d BGP neighbours were never up: %s", deviceText(device), len(list), total[device], some(list)),
			Action: "Look whether these neighbours are cabled and configured; if they are only planned, nothing is wrong.",
		}
		for _, s := range list {
			f.Evidence = append(f.Evidence, Evidence{Port: textOf(s), Counter: "BGP", Value: s.State + ", never up", At: s.At.String(), tier: LinkDown})
		}
		j.report.Findings = append(j.report.Findings, f)
	}
}

func deviceText(device string) string {
	if device == "" {
		return ""
	}
	return device + ": "
}

func textOf(s portstate.Session) string {
	if s.Name != "" {
		return s.Name + " (" + s.Neighbour + ")"
	}
	return s.Neighbour
}

// some is the first names of a list.
func some(list []portstate.Session) string {
	const most = 3
	var names []string
	for _, s := range list[:min(len(list), most)] {
		names = append(names, textOf(s))
	}
	text := strings.Join(names, ", ")
	if len(list) > most {
		text += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return text
}
