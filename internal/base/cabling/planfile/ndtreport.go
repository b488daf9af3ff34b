package planfile

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"weft/internal/base/cabling"
)

// Comparison is the report of UFM's NDT plugin: the cables that its topology file and UFM have not in common.
type Comparison struct {
	Plan, Real *cabling.Fabric
	// Second are cables of the report at a port that has another cable in it, of the plan and of the real fabric, by the
	// devices of these.
	Second [2][]cabling.Cable
}

// reportNames are the members of a report: of the cables in another place, of planned ones and of real ones. The comparison
// with ibdiagnet has another name for the second.
var reportNames = [3][]string{{"miss_wired"}, {"missing_in_ufm", "missing_in_ibdiagnet"}, {"missing_in_ndt"}}

// IsComparison is whether a text is a report of UFM's NDT plugin: its comparison, or its answer that there is no difference.
func IsComparison(text string) bool {
	begin := strings.TrimSpace(text[:min(len(text), 4096)])
	return strings.HasPrefix(begin, "{") && (strings.Contains(begin, `"miss_wired"`) || strings.Contains(begin, `"missing_in_`) || strings.Contains(begin, `"report"`) || fullyMatch.MatchString(begin))
}

var fullyMatch = regexp.MustCompile(`"response"\s*:\s*"NDT and [A-Z]+ are fully match`)

// ReadComparison reads the report of UFM's NDT plugin on its topology file and UFM (ufm_sdk_3.0@3e96418e,
// plugins/UFM_NDT_Plugin, topo_diff/topo_diff.py; an example in tests/expected_report.json). A cable is written
// device/port - device/port; the port of a host is its node description. Names are compared without case.
func ReadComparison(name string, in io.Reader) (*Comparison, error) {
	text, _, err := readText(name, in)
	if err != nil {
		return nil, err
	}
	top, err := parseJSON(name, text, 1)
	if err != nil {
		return nil, err
	}
	top = unwrapped(top)
	report, equal := top, false
	if top.has("report") {
		report = top.get("report")
	}
	known := false
	for _, names := range reportNames {
		for _, n := range names {
			known = known || report.has(n)
		}
	}
	switch fault := cmp.Or(top.str("error"), top.str("errors"), firstText(top.get("error", "errors"))); {
	case fault != "":
		return nil, problem(name, top.line, "UFM could not compare: %s", quote(fault))
	case !known && strings.Contains(top.str("response"), "fully match"):
		equal = true
	case !known:
		return nil, problem(name, top.line, "this is no report of UFM's NDT plugin: expected report with miss_wired, missing_in_ufm and missing_in_ndt")
	}
	r := &reportReader{file: name, sides: [2]*tableReader{newReportSide(name, "expected"), newReportSide(name, "actual")}}
	if err := r.read(report); err != nil {
		return nil, err
	}
	for _, s := range r.sides {
		s.b.concludeRoles()
	}
	c := &Comparison{Plan: r.sides[0].b.f, Real: r.sides[1].b.f, Second: r.second}
	if len(c.Plan.Cables)+len(c.Real.Cables) == 0 && !equal && len(c.Plan.Notes)+len(c.Real.Notes) > 0 {
		return nil, problem(name, 0, "no cable of the report can be read; first: %s", append(c.Plan.Notes, c.Real.Notes...)[0])
	}
	return c, nil
}

// firstText is the first text of a list.
func firstText(v *value) string {
	for _, item := range v.items {
		if item.text != "" {
			return item.text
		}
	}
	return ""
}

// reportReader makes two fabrics of a report.
type reportReader struct {
	file   string
	sides  [2]*tableReader // of the plan, of the real fabric
	second [2][]cabling.Cable
}

func newReportSide(file, what string) *tableReader {
	return &tableReader{b: newBuilder(file, "UFM's NDT report, "+what), ndt: true}
}

func (r *reportReader) read(report *value) error {
	for i, names := range reportNames {
		for j := range report.get(names...).items {
			item := &report.get(names...).items[j]
			var texts [2]string
			switch {
			case item.kind == object: // a pair; older versions wrote missing cables so, too
				texts = [2]string{item.str("expected"), item.str("actual")}
			case i > 0:
				texts[i-1] = item.text
			}
			if texts == [2]string{} {
				r.sides[0].b.note(r.sides[0].b.place(item.line), "an entry of %s is left out: expected a cable as device/port - device/port%s", names[0], [3]string{", one as expected and one as actual"}[i])
			}
			for k, text := range texts {
				if err := r.cable(k, text, item.line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cable adds a cable to one side; an empty text is none.
func (r *reportReader) cable(side int, text string, line int) error {
	if text == "" {
		return nil
	}
	t := r.sides[side]
	a, b, ok := cableOf(text)
	if !ok {
		t.b.note(t.b.place(line), "%s is left out: expected a cable as device/port - device/port", quote(text))
		return nil
	}
	c := cabling.Cable{Place: t.b.place(line)}
	c.A, c.B = r.end(t, a, line), r.end(t, b, line)
	for _, e := range [2]cabling.End{c.A, c.B} {
		if _, taken := t.b.at[bare(e)]; taken && len(r.second[side]) < maxNotes {
			r.second[side] = append(r.second[side], c)
			return nil
		}
	}
	t.b.connect(c)
	return t.b.full(line)
}

// unnamed is the description of an adapter that nobody has given a name: several have it.
var unnamed = regexp.MustCompile(`(?i)^MT\d+ .*(mellanox|nvidia)`)

// end is an end of a cable. Adapters with the description of their maker are each a device of its own.
func (r *reportReader) end(t *tableReader, e [2]string, line int) cabling.End {
	if unnamed.MatchString(e[1]) {
		at := t.b.keyed(fmt.Sprintf("%s\x00%d", e[1], line), e[1])
		t.b.role(at, cabling.Host)
		return cabling.End{Device: at, Port: "1"}
	}
	name := strings.ToLower(e[0]) // one device, though the case changes within a file
	at := t.end(&row{}, 1, name, e[1])
	d := &t.b.f.Devices[at.Device]
	if d.Name == name {
		d.Name = e[0]
	}
	if d.Group == name {
		d.Group = e[0]
	}
	return at
}

// cableOf divides device/port - device/port. Names may have blanks, dashes and, as Blade 16_Port 2/20, slashes.
func cableOf(text string) (a, b [2]string, ok bool) {
	for i := 0; ; {
		at := strings.Index(text[i:], " - ")
		if at < 0 {
			return a, b, false
		}
		i += at
		first, okA := portOf(text[:i])
		second, okB := portOf(text[i+3:])
		if okA && okB {
			return first, second, true
		}
		i += 3
	}
}

func portOf(text string) (end [2]string, ok bool) {
	device, port, ok := strings.Cut(strings.TrimSpace(text), "/")
	device, port = strings.TrimSpace(device), strings.TrimSpace(port)
	return [2]string{device, port}, ok && device != "" && port != ""
}
