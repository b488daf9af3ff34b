package inspect

import (
	"fmt"
	"io"
	"strings"
)

// Write prints a report as text.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", plural(r.Switches, "switch"), plural(r.Hosts, "host"))
	if r.Hosts != r.Adapters {
		fmt.Fprintf(&b, " with %s", plural(r.Adapters, "adapter port"))
	}
	fmt.Fprintf(&b, ", %s", plural(r.Cables, "cable"))
	if r.Routers > 0 {
		fmt.Fprintf(&b, ", %s", plural(r.Routers, "router"))
	}
	if r.Aggregation > 0 {
		fmt.Fprintf(&b, ", %s (SHARP)", plural(r.Aggregation, "aggregation node"))
	}
	b.WriteString("\n\n")
	r.writeIslands(&b)
	if r.Rails != nil {
		fmt.Fprintf(&b, "Rail-optimised: %d rails (%s)", r.Rails.Count, list(r.Rails.Labels, 8))
		if r.Rails.Islands > 1 {
			fmt.Fprintf(&b, " in %d fabrics that no cable joins", r.Rails.Islands)
		}
		b.WriteString("\n")
	}
	for _, h := range r.Housings {
		fmt.Fprintf(&b, "One housing: %d chips with system GUID %s (%s)\n", h.Chips, h.GUID, list(h.Names, 4))
	}
	r.writeLinks(&b)
	r.writeFindings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeIslands prints each part; equal parts are printed once.
func (r *Report) writeIslands(b *strings.Builder) {
	const most = 8
	for i := 0; i < len(r.Islands); {
		same := i + 1
		for same < len(r.Islands) && r.Islands[same].What == r.Islands[i].What && r.Islands[same].Switches == r.Islands[i].Switches && r.Islands[same].Adapters == r.Islands[i].Adapters {
			same++
		}
		if i >= most {
			fmt.Fprintf(b, "and %s\n", plural(len(r.Islands)-i, "more part"))
			break
		}
		v := &r.Islands[i]
		what := v.What
		if same-i > 1 {
			what = fmt.Sprintf("%d times %s", same-i, what)
		}
		fmt.Fprintf(b, "%s%s", strings.ToUpper(what[:1]), what[1:])
		if len(r.Islands) > 1 {
			fmt.Fprintf(b, " (%s, %s)", plural(v.Switches, "switch"), plural(v.Adapters, "adapter port"))
		}
		if v.Diameter > 0 {
			fmt.Fprintf(b, ", at most %s between switches", plural(v.Diameter, "link"))
		}
		b.WriteString("\n")
		for j := range v.Levels {
			v.Levels[j].write(b)
		}
		for j := range v.Members {
			v.Members[j].write(b)
		}
		i = same
	}
	b.WriteString("\n")
}

// write prints a switch in one line.
func (m *Member) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s: %s", m.Switch, plural(m.Hosts, "adapter"))
	for _, to := range m.To {
		fmt.Fprintf(b, ", %d to %s", to.Cables, to.Switch)
	}
	fmt.Fprintf(b, "; %s\n", plural(m.Free, "free port"))
}

// write prints a level in one line.
func (l *Level) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %-6s %s", l.Name, plural(l.Switches, "switch"))
	if l.Ports > 0 {
		fmt.Fprintf(b, " of %d ports", l.Ports)
	}
	fmt.Fprintf(b, ", down %s", each(l.Down, l.DownEach))
	if l.Hosts > 0 && l.Hosts < l.Down {
		fmt.Fprintf(b, " (%d to hosts)", l.Hosts)
	}
	if l.Up > 0 {
		fmt.Fprintf(b, ", up %s, oversubscription %s", each(l.Up, l.UpEach), ratioText(l.Oversubscription))
		if l.Worst > l.Oversubscription*1.001 {
			fmt.Fprintf(b, " (worst %s at %s)", ratioText(l.Worst), l.WorstSwitch)
		}
	}
	if l.Free > 0 {
		fmt.Fprintf(b, ", %s", plural(l.Free, "free port"))
	}
	b.WriteString("\n")
}

// each is a sum, and the share that most switches have.
func each(sum, each int) string {
	if each < 0 || each == sum {
		return plural(sum, "cable")
	}
	return fmt.Sprintf("%s (%d each)", plural(sum, "cable"), each)
}

func ratioText(r float64) string {
	text := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", r), "0"), ".")
	return text + ":1"
}

func (r *Report) writeLinks(b *strings.Builder) {
	line := ""
	for _, l := range r.Links {
		if l.Sort != line {
			if line != "" {
				b.WriteString("\n")
			}
			fmt.Fprintf(b, "Links to %s:", map[string]string{"host": "hosts", "switch": "switches", "aggregation": "aggregation nodes"}[l.Sort])
			line = l.Sort
		} else {
			b.WriteString(",")
		}
		name := l.Link
		if name == "?????" {
			name = "of unknown speed"
		}
		fmt.Fprintf(b, " %d %s", l.Count, name)
	}
	if line != "" {
		b.WriteString("\n")
	}
}

func (r *Report) writeFindings(b *strings.Builder) {
	if len(r.Findings) == 0 {
		b.WriteString("\nNothing is out of the ordinary.\n")
		return
	}
	var last Severity
	for _, f := range r.Findings {
		if f.Severity != last {
			fmt.Fprintf(b, "\n%s\n", map[Severity]string{Error: "Errors", Warning: "Warnings", Note: "Notes"}[f.Severity])
			last = f.Severity
		}
		fmt.Fprintf(b, "  %s\n", f.Text)
	}
}
