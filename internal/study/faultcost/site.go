package faultcost

import (
	"bytes"
	"fmt"
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/lint"
	"weft/internal/roce/router"
	"weft/internal/roce/sonic"
)

// Site is the devices of a fabric that were judged.
type Site struct {
	Switches []Switch
	Hosts    []*host.Host
	// DSCP is that of the data if no host says one; -1 is the scenario's.
	DSCP int
	// Jobs are the jobs in words, in the order of the scenarios; nil: by their workloads.
	Jobs []string
}

// Switch is a switch with its configuration.
type Switch struct {
	Name string // in the fixes
	File string // below the fabric's folder; "": it has none
	Text []byte // of config_db.json
	// Routers are its files of FRR and of the kernel, below the fabric's folder.
	Routers []Router
}

// Router is a file with settings of a switch's paths.
type Router struct {
	File string
	Text string
}

// Variant is a site with some of its faults mended.
type Variant struct {
	Changed map[string][]byte // by file below the fabric's folder: its new text
	Set     []Setting         // of the fabric, by its hosts
	Deaf    []string          // switches whose pauses of the data the hosts do not obey: see Deafen
}

// with is the site with lines on its devices.
func (s *Site) with(fixes []lint.Fix) (Variant, error) {
	v := Variant{Changed: map[string][]byte{}}
	var switches []*sonic.Switch
	for i := range s.Switches {
		sw := &s.Switches[i]
		lines := linesOn(fixes, sw.Name)
		sw.obey(lines, v.Changed)
		if sw.File == "" {
			continue
		}
		c, err := sonic.Read(sw.File, bytes.NewReader(sw.Text))
		if err == nil {
			err = c.Lay(lines)
		}
		var text bytes.Buffer
		if err == nil && len(lines) > 0 {
			err = c.Write(&text)
		}
		if err != nil {
			return v, fmt.Errorf("%s with the fix: %w", sw.File, err)
		}
		if len(lines) > 0 {
			v.Changed[sw.File] = text.Bytes()
		}
		own, _ := sonic.Examine(c)
		switches = append(switches, own)
	}
	hosts := slices.Clone(s.Hosts)
	for i, h := range hosts {
		if lines := linesOn(fixes, h.Name); len(lines) > 0 {
			obeyed, err := h.Obey(lines)
			if err != nil {
				return v, fmt.Errorf("%s with the fix: %w", h.Name, err)
			}
			hosts[i] = obeyed
		}
	}
	v.Set = settingsOf(hosts, s.DSCP)
	for _, sw := range switches {
		if deaf, _ := most(hosts, func(h *host.Host) (bool, bool) { return deafToPauses(h, sw) }); deaf {
			v.Deaf = append(v.Deaf, sw.Hostname)
		}
	}
	return v, nil
}

// obey adds the files of a switch's routes as they are after the commands among lines.
func (sw *Switch) obey(lines []string, changed map[string][]byte) {
	for _, r := range sw.Routers {
		text, some := r.Text, false
		for _, line := range lines {
			obeyed, ok := router.Obey(r.File, text, line)
			text, some = obeyed, some || ok
		}
		if some {
			changed[r.File] = []byte(text)
		}
	}
}

func linesOn(fixes []lint.Fix, device string) (lines []string) {
	for _, f := range fixes {
		if f.On == device {
			lines = append(lines, f.Lines...)
		}
	}
	return lines
}

// group is the findings of one rule and value.
type group struct {
	Cost
	fixes []lint.Fix
}

// groupsOf are the faults of reports, in the order of their findings.
func groupsOf(reports []*lint.Report) (all []group) {
	for _, r := range reports {
		for i := range r.Findings {
			f := &r.Findings[i]
			k := slices.IndexFunc(all, func(g group) bool { return g.Rule == f.Rule && g.Value == f.Value })
			if k < 0 {
				k = len(all)
				all = append(all, group{Cost: Cost{Rule: f.Rule, Value: f.Value, Severity: f.Severity}})
			}
			g := &all[k]
			if at := f.At.String(); !slices.Contains(g.Places, at) {
				g.Places = append(g.Places, at)
			}
			g.fixes = append(g.fixes, f.Fixes...)
		}
	}
	return all
}
