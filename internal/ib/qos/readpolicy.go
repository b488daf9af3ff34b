package qos

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/ib/format"
)

// maxPolicyLines bounds a policy: one line for each port of the largest subnet.
const maxPolicyLines = 1 << 17

// ReadPolicy reads a qos-policy.conf. Like OpenSM, it ignores the section qos-setup. All errors
// come as one *Errors.
func ReadPolicy(name string, r io.Reader) (*Policy, error) {
	p := &policyReader{name: name, policy: &Policy{Default: Level{Name: DefaultLevel}}, groups: map[string]bool{}, levels: map[string]Level{}}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), maxLine)
	for in.Scan() {
		if p.line++; p.line > maxPolicyLines {
			p.fail("more than %d lines", maxPolicyLines)
			break
		}
		text, _, _ := strings.Cut(in.Text(), "#")
		if text = strings.TrimSpace(text); text != "" {
			p.statement(text)
		}
	}
	if err := in.Err(); err != nil {
		p.line++
		p.fail("cannot be read further: %v", err)
	}
	p.finish()
	if len(p.errs.List) > 0 {
		return nil, &p.errs
	}
	return p.policy, nil
}

type policyReader struct {
	name   string
	line   int
	errs   Errors
	policy *Policy
	open   []string // keywords of the sections that are open, the innermost last
	groups map[string]bool
	levels map[string]Level
	simple []Match  // of qos-ulps
	wanted []string // by rule: its level's name

	group PortGroup
	level Level
	match Match
	named string // level of match
}

func (p *policyReader) fail(text string, args ...any) {
	if len(p.errs.List) == maxProblems {
		p.errs.More++
		return
	}
	p.errs.List = append(p.errs.List, format.Problem{File: p.name, Line: p.line, Text: fmt.Sprintf(text, args...)})
}

// sections is the parent of each section; "" is the file itself.
var sections = map[string]string{
	"port-groups": "", "qos-setup": "", "qos-levels": "", "qos-match-rules": "", "qos-ulps": "",
	"port-group": "port-groups", "qos-level": "qos-levels", "qos-match-rule": "qos-match-rules",
}

func (p *policyReader) within() string {
	if len(p.open) == 0 {
		return ""
	}
	return p.open[len(p.open)-1]
}

func (p *policyReader) statement(text string) {
	in := p.within()
	if in == "qos-setup" {
		if text == "end-qos-setup" {
			p.open = p.open[:0]
		}
		return
	}
	if outer, is := sections[text]; is {
		if outer != in {
			p.fail("%s stands in %q: expected it in %q", text, in, outer)
			return
		}
		p.open = append(p.open, text)
		p.group, p.level, p.match, p.named = PortGroup{}, Level{}, Match{Line: p.line}, ""
		return
	}
	if ended, is := strings.CutPrefix(text, "end-"); is {
		if ended != in || in == "" { // "end-" alone has no name
			p.fail("%s where %q is open", wording.Abridged(text, 40), in)
			return
		}
		p.close(in)
		p.open = p.open[:len(p.open)-1]
		return
	}
	if in == "qos-ulps" {
		p.ulp(text)
		return
	}
	key, value, ok := strings.Cut(text, ":")
	set := fields[in]
	if !ok || set == nil {
		p.fail("expected a section or a field and a colon, not %q", wording.Abridged(text, 40))
		return
	}
	if err := set(p, strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"`)); err != nil {
		p.fail("%v", err)
	}
}

// fields reads the lines of the innermost sections.
var fields = map[string]func(p *policyReader, key, value string) error{
	"port-group": (*policyReader).groupField, "qos-level": (*policyReader).levelField, "qos-match-rule": (*policyReader).matchField,
}

func (p *policyReader) groupField(key, value string) (err error) {
	g := &p.group
	switch key {
	case "name":
		g.Name = value
	case "use":
	case "port-guid":
		err = appendRanges(&g.GUIDs, value, 64)
	case "port-name":
		g.Names = append(g.Names, words(value)...)
	case "partition":
		g.Partitions = append(g.Partitions, words(value)...)
	case "pkey":
		err = appendKeys(&g.PKeys, value)
	case "node-type":
		for _, kind := range words(value) {
			if !slices.Contains([]string{"CA", "SWITCH", "ROUTER", "SELF", "ALL"}, kind) {
				return fmt.Errorf("expected node-type CA, SWITCH, ROUTER, SELF or ALL, not %q", wording.Abridged(kind, 40))
			}
			g.Kinds = append(g.Kinds, kind)
		}
	default:
		err = fmt.Errorf("a port-group has no %q: expected name, use, port-guid, port-name, partition, pkey or node-type", wording.Abridged(key, 40))
	}
	return err
}

func (p *policyReader) levelField(key, value string) error {
	l := &p.level
	small := map[string]**uint8{"mtu-limit": &l.MTULimit, "rate-limit": &l.RateLimit, "packet-life": &l.PacketLife}
	switch {
	case key == "name":
		l.Name = value
	case key == "use" || key == "path-bits":
	case key == "sl":
		n, err := strconv.ParseUint(value, 0, 8)
		if err != nil || n > 15 {
			return fmt.Errorf("expected sl: 0 to 15, not %q", wording.Abridged(value, 40))
		}
		l.SL = uint8(n)
	case key == "pkey":
		n, err := strconv.ParseUint(value, 0, 16)
		if err != nil {
			return fmt.Errorf("expected a P_Key, not %q", wording.Abridged(value, 40))
		}
		k := uint16(n) & 0x7fff
		l.PKey = &k
	case small[key] != nil:
		n, err := strconv.ParseUint(value, 0, 6)
		if err != nil {
			return fmt.Errorf("expected %s: a code from 0 to 63, not %q", key, wording.Abridged(value, 40))
		}
		v := uint8(n)
		*small[key] = &v
	default:
		return fmt.Errorf("a qos-level has no %q: expected name, use, sl, mtu-limit, rate-limit, packet-life, path-bits or pkey", wording.Abridged(key, 40))
	}
	return nil
}

func (p *policyReader) matchField(key, value string) (err error) {
	m := &p.match
	switch key {
	case "use":
	case "source":
		m.Source = append(m.Source, words(value)...)
	case "destination":
		m.Destination = append(m.Destination, words(value)...)
	case "qos-class":
		err = appendRanges(&m.Classes, value, 16)
	case "service-id":
		err = appendRanges(&m.ServiceIDs, value, 64)
	case "pkey":
		err = appendKeys(&m.PKeys, value)
	case "qos-level-name":
		p.named = value
	default:
		err = fmt.Errorf("a qos-match-rule has no %q: expected use, source, destination, qos-class, service-id, pkey or qos-level-name", wording.Abridged(key, 40))
	}
	return err
}

// close ends a section and stores its contents.
func (p *policyReader) close(section string) {
	switch section {
	case "port-group":
		if p.group.Name == "" || p.groups[p.group.Name] {
			p.fail("the port-group's name %q is empty or given twice", wording.Abridged(p.group.Name, 40))
		}
		p.groups[p.group.Name] = true
		p.policy.Groups = append(p.policy.Groups, p.group)
	case "qos-level":
		if _, twice := p.levels[p.level.Name]; p.level.Name == "" || twice {
			p.fail("the qos-level's name %q is empty or given twice", wording.Abridged(p.level.Name, 40))
		}
		p.levels[p.level.Name] = p.level
		p.policy.Levels = append(p.policy.Levels, p.level)
		if p.level.Name == DefaultLevel {
			p.policy.Default = p.level
		}
	case "qos-match-rule":
		p.policy.Rules = append(p.policy.Rules, p.match)
		p.wanted = append(p.wanted, p.named)
	}
}

// finish connects rules with their levels and groups.
func (p *policyReader) finish() {
	if len(p.open) > 0 {
		p.fail("the file ends within %s", p.within())
	}
	if _, ok := p.levels[DefaultLevel]; !ok && (len(p.policy.Levels) > 0 || len(p.policy.Rules) > 0) {
		p.fail("there is no qos-level named %s, which every policy needs", DefaultLevel)
	}
	for i := range p.policy.Rules {
		m := &p.policy.Rules[i]
		p.line = m.Line
		level, ok := p.levels[p.wanted[i]]
		if !ok {
			p.fail("the rule names the qos-level %q, which does not exist", wording.Abridged(p.wanted[i], 40))
		}
		m.Level = level
		for _, group := range slices.Concat(m.Source, m.Destination) {
			if !p.groups[group] {
				p.fail("the rule names the port-group %q, which does not exist", wording.Abridged(group, 40))
			}
		}
	}
	p.policy.Rules = append(p.policy.Rules, p.simple...)
}

// words is the elements of a comma-separated list, without quotes.
func words(list string) (out []string) {
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.Trim(strings.TrimSpace(w), `"`); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// appendRanges reads a list such as 7-9,11 of numbers of size bits.
func appendRanges(to *[]Range, list string, size int) error {
	for _, w := range words(list) {
		from, last, isRange := strings.Cut(w, "-")
		if !isRange {
			last = from
		}
		a, err1 := strconv.ParseUint(strings.TrimSpace(from), 0, size)
		b, err2 := strconv.ParseUint(strings.TrimSpace(last), 0, size)
		if err1 != nil || err2 != nil || a > b {
			return fmt.Errorf("expected numbers or ranges such as 7-9,11, not %q", wording.Abridged(w, 40))
		}
		*to = append(*to, Range{a, b})
	}
	if len(*to) == 0 {
		return fmt.Errorf("expected numbers or ranges such as 7-9,11")
	}
	return nil
}

// appendKeys reads P_Keys and drops their membership bit.
func appendKeys(to *[]Range, list string) error {
	if err := appendRanges(to, list, 16); err != nil {
		return err
	}
	for i := range *to {
		(*to)[i].First &= 0x7fff
		(*to)[i].Last &= 0x7fff
	}
	return nil
}
