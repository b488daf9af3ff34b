package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/contest"
	"weft/results"
	"weft/units"
)

// values are the values of a property on both fabrics, if they differ in one field: " (150ns, not
// 500ns)", with the field's name if the property has another.
func (v *judgement) values(t *results.Trial, property string) string {
	slower, faster := v.specOf(t.Slower), v.specOf(t.Faster)
	if slower == nil || faster == nil {
		return ""
	}
	fields := contest.Differences(slower, faster, property)
	if len(fields) != 1 {
		if section := sectionOf(fields); section != "" {
			return " (" + section + ")"
		}
		return ""
	}
	const longest = 20 // a section or a list is no short answer
	a, _ := slower.Text(fields[0])
	b, _ := faster.Text(fields[0])
	if len(a) > longest || len(b) > longest || a == "true" || a == "false" { // the property's name says more
		return ""
	}
	field := fields[0] + " "
	if words := strings.ReplaceAll(fields[0], ".", " "); words == property {
		field = ""
	}
	return fmt.Sprintf(" (%s%s, not %s)", field, b, a)
}

// sectionOf is the section below one of a fabric that holds all of several fields: "ethernet.pfc.watchdog"; "" if none
// does.
func sectionOf(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	steps := strings.Split(fields[0], ".")
	for n := len(steps) - 1; n > 1; n-- {
		section := strings.Join(steps[:n], ".")
		if !slices.ContainsFunc(fields, func(field string) bool { return !strings.HasPrefix(field, section+".") }) {
			return section
		}
	}
	return ""
}

const waterfallCaption = "us that a property takes from the lead: alone, all after each other, and in the reverse order"

// waterfallTable is the effects of the properties in which two fabrics differ, in microseconds; nil
// without tests.
func waterfallTable(r *results.Results) (out []doc.Block) {
	if r.Contest == nil {
		return nil
	}
	us := func(ps int64) doc.Cell {
		return doc.Instead(fmt.Sprintf("%+.1f", float64(ps)/float64(units.Microsecond)))
	}
	for i := range r.Contest.Trials {
		t := &r.Contest.Trials[i]
		table := doc.NewTable("property", "alone", "step by step", "reverse order")
		seen := func(order []results.Swap, name string) doc.Cell {
			if ps, ok := results.Effect(order, name); ok {
				return us(ps)
			}
			return doc.None
		}
		shown := int64(0)
		for _, s := range t.Steps {
			reverse, _ := results.Effect(t.Reverse, s.Property)
			alone, _ := results.Effect(t.Alone, s.Property)
			if 200*max(s.EffectPs, -s.EffectPs, reverse, -reverse, alone, -alone) < t.Lead() {
				continue // below half a per cent of the lead
			}
			shown += s.EffectPs
			table.Add(doc.Text(s.Property), seen(t.Alone, s.Property), us(s.EffectPs), seen(t.Reverse, s.Property))
		}
		table.Add(doc.Text("rest"), doc.None, us(t.Lead()-shown), doc.None)
		table.Add(doc.Text("lead").In(doc.Strong), doc.None, us(t.Lead()).In(doc.Strong), us(t.Lead()))
		text := fmt.Sprintf("%s over %s%s: %s and %s, %s", quoted(t.Faster), quoted(t.Slower), atSize(t.Bytes),
			shortTime(units.Time(t.FasterPs)), shortTime(units.Time(t.SlowerPs)), plural(t.Seeds, "seed", "seeds"))
		out = append(append(out, doc.Paragraphs(text)...), table)
	}
	return out
}

// reads are the readings of one trial's fabrics at its size, by what they do to its lead.
type reads struct {
	holds        int
	gone, turned []string
	least        float64 // the least ratio of times of all readings; 0 without
}

// readingsOf judges a lead over the other readings of what is not known.
func (v *judgement) readingsOf(slower, faster, s int) (out reads) {
	if v.r.Contest == nil {
		return out
	}
	for _, x := range v.r.Contest.Readings {
		a, b := v.points[slower][s], v.points[faster][s]
		switch {
		case x.Bytes != v.sizes[s] || len(x.TimesPs) == 0:
			continue
		case x.Fabric == v.result(slower).Name:
			a = withTimes(a, x.TimesPs)
		case x.Fabric == v.result(faster).Name:
			b = withTimes(b, x.TimesPs)
		default:
			continue
		}
		text := fmt.Sprintf("%s of %s is %s", x.Path, quoted(x.Fabric), x.Value)
		if twin := v.twin(&x, v.result(slower).Name, v.result(faster).Name); twin != nil { // one part, one truth
			if x.Fabric == v.result(faster).Name {
				continue // judged with the slower one's
			}
			b, text = withTimes(b, twin.TimesPs), x.Path+" is "+x.Value
		}
		c := contest.ContrastOf([][2]results.Point{{a, b}})
		if out.least == 0 || c.Mean < out.least {
			out.least = c.Mean
		}
		switch back := contest.ContrastOf([][2]results.Point{{b, a}}); {
		case c.Behind(v.repeated):
			out.holds++
		case back.Behind(v.repeated):
			out.turned = append(out.turned, text)
		default:
			out.gone = append(out.gone, text)
		}
	}
	return out
}

// twin is the same reading of the other fabric of a pair: both have the part and the value; nil if the other
// has not.
func (v *judgement) twin(x *results.Reading, slower, faster string) *results.Reading {
	other := slower
	if x.Fabric == slower {
		other = faster
	}
	for i := range v.r.Contest.Readings {
		y := &v.r.Contest.Readings[i]
		if y.Fabric == other && y.Bytes == x.Bytes && y.Path == x.Path && y.Own == x.Own && y.Value == x.Value && y.Source == x.Source {
			return y
		}
	}
	return nil
}

// withTimes is a point with other times.
func withTimes(p results.Point, timesPs []int64) results.Point {
	if p.Seeds == nil {
		p.Time = units.Time(timesPs[0])
		return p
	}
	seeds := *p.Seeds
	seeds.TimesPs = timesPs
	p.Seeds = &seeds
	return p
}

// all is the number of readings.
func (r reads) all() int { return r.holds + len(r.gone) + len(r.turned) }

// readingTable is the times with other readings.
func readingTable(r *results.Results) *doc.Table {
	t := doc.NewTable("size", "fabric", "value", "here", "reading", "time", "source")
	t.Keys = 2
	if r.Contest == nil {
		return t
	}
	for _, x := range r.Contest.Readings {
		sum := int64(0)
		for _, ps := range x.TimesPs {
			sum += ps
		}
		t.Add(sizeCell(x.Bytes), doc.Text(doc.Fit(x.Fabric, 22)), doc.Text(x.Path), doc.Text(x.Own), doc.Text(x.Value), doc.Time(units.Time(sum/int64(len(x.TimesPs)))), doc.Text(doc.Fit(x.Source, 60)))
	}
	return t
}
