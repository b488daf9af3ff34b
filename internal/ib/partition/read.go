package partition

import (
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/ib/format"
	"weft/units"
)

// Bounds of a file. The largest fabric has fewer than 2^16 ports, and a
// partition key has 15 bits.
const (
	maxBytes      = 64 << 20
	maxProblems   = 50
	maxStatements = 1 << 16
)

// Read reads a partitions.conf. All errors come as one *format.Errors with their lines; the
// configuration is then nil.
func Read(name string, r io.Reader) (*Config, error) {
	p := &parser{name: name}
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		p.fail(0, "cannot be read: %v", err)
	case len(text) > maxBytes:
		p.fail(0, "is larger than %d bytes: expected a partitions.conf", maxBytes)
	default:
		p.file(string(text))
	}
	if len(p.errs.List) > 0 {
		return nil, &p.errs
	}
	return &p.config, nil
}

type parser struct {
	name   string
	errs   format.Errors
	config Config
	line   int    // line of rest's first byte
	rest   string // rest of the current statement, with blanks for comments
}

func (p *parser) fail(line int, text string, args ...any) {
	if len(p.errs.List) == maxProblems {
		p.errs.More++
		return
	}
	p.errs.List = append(p.errs.List, format.Problem{File: p.name, Line: line, Text: fmt.Sprintf(text, args...)})
}

// file splits a text into its statements, which end in a semicolon.
func (p *parser) file(text string) {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i], _, _ = strings.Cut(strings.TrimSuffix(l, "\r"), "#")
	}
	text = strings.Join(lines, "\n")
	line := 1
	for n := 0; ; n++ {
		statement, after, ended := strings.Cut(text, ";")
		blank := len(statement) - len(strings.TrimLeft(statement, " \t\n"))
		begin := line + strings.Count(statement[:blank], "\n")
		if strings.TrimSpace(statement) != "" {
			if !ended {
				p.fail(begin, "the rule has no end: expected a semicolon")
				return
			}
			if n == maxStatements {
				p.fail(begin, "more than %d rules", maxStatements)
				return
			}
			p.line, p.rest = begin, statement[blank:]
			p.statement()
		}
		if !ended {
			return
		}
		line += strings.Count(statement, "\n")
		text = after
	}
}

// space skips blanks and counts lines.
func (p *parser) space() {
	for p.rest != "" && strings.ContainsRune(" \t\n", rune(p.rest[0])) {
		if p.rest[0] == '\n' {
			p.line++
		}
		p.rest = p.rest[1:]
	}
}

// word takes everything up to one of the marks or the end.
func (p *parser) word(marks string) string {
	p.space()
	end := strings.IndexAny(p.rest, marks)
	if end < 0 {
		end = len(p.rest)
	}
	word := strings.TrimRight(p.rest[:end], " \t\n")
	p.line += strings.Count(p.rest[:end], "\n")
	p.rest = p.rest[end:]
	return word
}

func (p *parser) mark(m string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, m)
	if ok {
		p.rest = rest
	}
	return ok
}

// statement reads one rule: a definition, a colon, and members or groups.
func (p *parser) statement() {
	rule := Partition{Line: p.line}
	membership := Limited
	if !p.definition(&rule, &membership) {
		return
	}
	for {
		p.space()
		if p.rest == "" {
			break
		}
		if !p.property(&rule, &membership) {
			return
		}
	}
	p.config.Partitions = append(p.config.Partitions, rule)
}

// definition reads Name=0x1, ipoib, mtu=5, defmember=full and the colon.
func (p *parser) definition(rule *Partition, membership *Membership) bool {
	rule.Name = p.word("=,:")
	if p.mark("=") {
		text := p.word(",:")
		key, err := strconv.ParseUint(text, 0, 16)
		if err != nil {
			p.fail(p.line, "expected a P_Key of 16 bits such as 0x8001, not %q", text)
			return false
		}
		rule.Key = uint16(key) & Default
		if rule.Key == 0 {
			p.fail(p.line, "P_Key %s has no key in its low 15 bits: valid are 0x0001 to 0x7fff", text)
			return false
		}
	}
	for p.mark(",") {
		line, flag := p.line, p.word("=,:")
		value, has := "", p.mark("=")
		if has {
			value = p.word(",:")
		}
		switch {
		case flag == "indx0" && !has:
			rule.First = true
		case flag == "ipoib" && !has:
			rule.IPoIB = true
		case flag == "defmember":
			m, ok := membershipOf(value)
			if !ok {
				p.fail(line, "expected defmember=full, limited or both, not %q", value)
				return false
			}
			*membership = m
		default:
			if err := rule.Broadcast.set(flag, value); err != nil {
				p.fail(line, "%v", err)
				return false
			}
		}
	}
	if !p.mark(":") {
		p.fail(p.line, "expected a colon behind the partition's name and flags, not %q", wording.Abridged(strings.TrimSpace(p.rest), 40))
		return false
	}
	return true
}

// property reads a member or a group, and the comma after it. It may also be defmember with a
// colon.
func (p *parser) property(rule *Partition, membership *Membership) bool {
	line, word := p.line, p.word("=,:")
	switch word {
	case "mgid":
		return p.group(rule)
	case "defmember":
		p.mark("=")
		text := p.word(",:")
		m, ok := membershipOf(text)
		if !ok || !p.mark(":") {
			p.fail(line, "expected defmember=full, limited or both and a colon, not %q", text)
			return false
		}
		*membership = m
		return true
	}
	member := Member{Membership: *membership}
	if !member.who(word) {
		p.fail(line, "expected a port's GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF or mgid=, not %q", wording.Abridged(strings.TrimSpace(word), 40))
		return false
	}
	if p.mark("=") {
		text := p.word(",:")
		m, ok := membershipOf(text)
		if !ok {
			p.fail(line, "expected full, limited or both behind %s, not %q (OpenSM takes any other word for limited)", word, wording.Abridged(strings.TrimSpace(text), 40))
			return false
		}
		member.Membership = m
	}
	rule.Members = append(rule.Members, member)
	p.space()
	if p.rest != "" && !p.mark(",") {
		p.fail(p.line, "expected a comma or a semicolon behind a member, not %q", wording.Abridged(strings.TrimSpace(p.rest), 40))
		return false
	}
	return true
}

// who takes the name of a member.
func (m *Member) who(word string) bool {
	for who, name := range whos {
		if name != "" && word == name {
			m.Who = Who(who)
			return true
		}
	}
	guid, err := strconv.ParseUint(word, 0, 64)
	m.Who, m.GUID = Port, units.GUID(guid)
	return err == nil && guid != 0
}

// group reads ff12:401b::16,sl=1 after mgid; it ends at a blank.
func (p *parser) group(rule *Partition) bool {
	line := p.line
	if !p.mark("=") {
		p.fail(line, "expected mgid= and an address")
		return false
	}
	text := p.word(", \t\n")
	if a, err := netip.ParseAddr(text); err != nil || !a.Is6() || a.As16()[0] != 0xff {
		p.fail(line, "expected a multicast GID such as ff12:401b::16, not %q", wording.Abridged(strings.TrimSpace(text), 40))
		return false
	}
	g := Group{MGID: text}
	for p.rest != "" && p.rest[0] == ',' {
		p.rest = p.rest[1:]
		flag := p.word("= \t\n,")
		value := ""
		if p.mark("=") {
			value = p.word(", \t\n")
		}
		if err := g.Properties.set(flag, value); err != nil {
			p.fail(line, "%v", err)
			return false
		}
	}
	rule.Groups = append(rule.Groups, g)
	return true
}

func membershipOf(text string) (Membership, bool) {
	for m, name := range memberships {
		if text == name {
			return Membership(m), true
		}
	}
	return Limited, false
}

// set takes one flag of a multicast group.
func (f *Properties) set(flag, value string) error {
	small := map[string]struct {
		to    **uint8
		limit uint64
	}{"rate": {&f.Rate, 63}, "mtu": {&f.MTU, 5}, "sl": {&f.SL, 15}, "TClass": {&f.TClass, 255}}
	large := map[string]struct {
		to    **uint32
		limit uint64
	}{"Q_Key": {&f.QKey, 1<<32 - 1}, "FlowLabel": {&f.FlowLabel, 1<<20 - 1}}
	limit := uint64(15) // of scope
	if s, ok := small[flag]; ok {
		limit = s.limit
	} else if l, ok := large[flag]; ok {
		limit = l.limit
	} else if flag != "scope" {
		return fmt.Errorf("expected indx0, ipoib, defmember=, rate=, mtu=, sl=, scope=, Q_Key=, TClass= or FlowLabel=, not %q", wording.Abridged(strings.TrimSpace(flag), 40))
	}
	n, err := strconv.ParseUint(value, 0, 64)
	if err != nil || n > limit {
		return fmt.Errorf("expected %s= a number from 0 to %d, not %q", flag, limit, wording.Abridged(strings.TrimSpace(value), 40))
	}
	switch {
	case flag == "scope":
		f.Scopes = append(f.Scopes, uint8(n))
	case small[flag].to != nil:
		v := uint8(n)
		*small[flag].to = &v
	default:
		v := uint32(n)
		*large[flag].to = &v
	}
	return nil
}
