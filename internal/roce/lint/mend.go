package lint

import (
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// Mend applies the fixes of the switch to its configuration. Findings without a fix, or with a fix
// at a host, stay.
func (r *Report) Mend(config *sonic.Config) error {
	return config.Lay(linesOn([]*Report{r}, r.Name))
}

// linesOn are the lines of all fixes on a device.
func linesOn(reports []*Report, device string) (lines []string) {
	for _, r := range reports {
		for _, f := range r.Findings {
			for _, fix := range f.Fixes {
				if fix.On == device {
					lines = append(lines, fix.Lines...)
				}
			}
		}
	}
	return lines
}

// mostRounds bounds how often fixes are looked at again. Each round mends what the fixes before it
// have laid bare, such as a map that matters only since a port uses it.
const mostRounds = 6

// settle looks at the devices as they are with the fixes, and adds the fixes of what is then found
// to the findings that they follow from.
func settle(all []Subject, hosts []*host.Host, o Options, reports []*Report) {
	for range mostRounds {
		mended, obeyed, ok := applied(all, hosts, reports)
		if !ok {
			return
		}
		added := false
		for i, again := range judgeAll(mended, obeyed, o) {
			for k := range again.Findings {
				added = follow(reports, i, &again.Findings[k]) || added
			}
		}
		if !added {
			return
		}
	}
}

// applied are the switches and hosts with all fixes; ok is false if there are none.
func applied(all []Subject, hosts []*host.Host, reports []*Report) (mended []Subject, obeyed []*host.Host, ok bool) {
	for i, s := range all {
		lines := linesOn(reports, reports[i].Name)
		ok = ok || len(lines) > 0
		sw, problems, err := s.Switch.Patched(lines)
		if err != nil {
			return nil, nil, false // a fix that is no configuration is a defect of its rule; its test finds it
		}
		mended = append(mended, Subject{sw, problems})
	}
	for _, h := range hosts {
		lines := linesOn(reports, h.Name)
		ok = ok || len(lines) > 0
		own, err := h.Obey(lines)
		if err != nil {
			return nil, nil, false
		}
		obeyed = append(obeyed, own)
	}
	return mended, obeyed, ok
}

// follow adds the fixes of a finding of the mended switch i to the finding that it follows from: one
// with a fix on the same ports, or else any with a fix. It reports whether anything was added.
func follow(reports []*Report, i int, later *Finding) bool {
	cause := (*Finding)(nil)
	for _, r := range append([]*Report{reports[i]}, reports...) {
		for k := range r.Findings {
			f := &r.Findings[k]
			if len(f.Fixes) > 0 && (cause == nil || sharesPort(f, later) && !sharesPort(cause, later)) {
				cause = f
			}
		}
	}
	if cause == nil {
		return false
	}
	added := false
	for _, fix := range later.Fixes {
		for _, line := range fix.Lines {
			if slices.Contains(linesOn(reports, fix.On), line) {
				continue
			}
			supersede(reports, fix.On, line)
			cause.addFix(Fix{fix.On, []string{line}})
			added = true
		}
	}
	return added
}

// supersede gives the lines of a device that set the same fields the values of a later line, so that
// the order of the findings does not matter.
func supersede(reports []*Report, device, later string) {
	for _, r := range reports {
		for i := range r.Findings {
			for k := range r.Findings[i].Fixes {
				fix := &r.Findings[i].Fixes[k]
				if fix.On != device {
					continue
				}
				var lines []string
				for _, line := range fix.Lines {
					if line = sonic.Superseded(line, later); !slices.Contains(lines, line) {
						lines = append(lines, line)
					}
				}
				fix.Lines = lines
			}
		}
	}
}

func sharesPort(a, b *Finding) bool {
	return slices.ContainsFunc(a.Where, func(port string) bool { return slices.Contains(b.Where, port) })
}
