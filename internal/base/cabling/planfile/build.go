package planfile

import (
	"fmt"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
	"weft/units"
)

// builder makes a fabric from cables that are found one after the other.
type builder struct {
	f      *cabling.Fabric
	file   string
	byName map[string]int          // index of a device
	at     map[cabling.End]int     // index of the cable at a port
	twice  map[[2]cabling.End]bool // cables that were listed twice
	broken map[int]bool            // cables whose port has another cable, too
	notes  int
	spelt  map[string]bool // spellings that were told
	hint   map[int]roleHint
}

// roleHint is a role that a file suggests without saying it.
type roleHint struct {
	role cabling.Role
	from string // what suggests it: "their operating system"
}

func newBuilder(file, format string) *builder {
	return &builder{
		f: &cabling.Fabric{Format: format}, file: file, byName: map[string]int{}, at: map[cabling.End]int{},
		twice: map[[2]cabling.End]bool{}, broken: map[int]bool{}, hint: map[int]roleHint{}, spelt: map[string]bool{},
	}
}

func (b *builder) place(line int) cabling.Place { return cabling.Place{File: b.file, Line: line} }

// note is a remark on a line. Remarks beyond maxNotes are counted.
func (b *builder) note(at cabling.Place, format string, args ...any) {
	if b.notes++; b.notes <= maxNotes {
		b.f.Note("%s: %s", at, fmt.Sprintf(format, args...))
	}
}

// dispute leaves out what lines say that contradict each other about the cables of some ports.
func (b *builder) dispute(ends []cabling.End, at cabling.Place, format string, args ...any) {
	b.note(at, format, args...)
	if len(b.f.Contradictions) < maxNotes {
		b.f.Contradictions = append(b.f.Contradictions, fmt.Sprintf("%s: %s", at, fmt.Sprintf(format, args...)))
	}
	for _, e := range ends {
		b.f.Disputed = append(b.f.Disputed, bare(e))
	}
}

// device is the device of a name, a new one if the name is new.
func (b *builder) device(name string) int { return b.keyed(name, name) }

// keyed is the device of a key, in capitals or small letters. Devices with different keys may have one name.
func (b *builder) keyed(key, name string) int {
	key = strings.ToLower(key)
	if at, ok := b.byName[key]; ok {
		if d := b.f.Devices[at].Name; d != name && strings.EqualFold(d, name) && !b.spelt[name] && len(b.spelt) < maxNotes {
			b.spelt[name] = true
			b.f.Note("%s: %s and %s are taken for one device", b.file, quote(d), quote(name))
		}
		return at
	}
	b.byName[key] = len(b.f.Devices)
	b.f.Devices = append(b.f.Devices, cabling.Device{Name: name})
	return len(b.f.Devices) - 1
}

// role sets the role of a device if the file did not say one before.
func (b *builder) role(device int, r cabling.Role) {
	if d := &b.f.Devices[device]; d.Role == cabling.Unknown {
		d.Role = r
	}
}

// suggest keeps what suggests a role; the first counts.
func (b *builder) suggest(device int, r cabling.Role, from string) {
	if _, known := b.hint[device]; !known && r != cabling.Unknown {
		b.hint[device] = roleHint{r, from}
	}
}

// connect adds a cable, which may have been listed from its other end.
func (b *builder) connect(c cabling.Cable) {
	if c.A == c.B {
		b.dispute([]cabling.End{c.A}, c.Place, "a cable from %s to itself is left out", b.f.EndName(c.A))
		return
	}
	ends := [2]cabling.End{bare(c.A), bare(c.B)}
	for i, e := range ends {
		old, taken := b.at[e]
		if !taken || e.Port == "" {
			continue
		}
		o := &b.f.Cables[old]
		if other := ends[1-i]; bare(o.A) == e && bare(o.B) == other || bare(o.B) == e && bare(o.A) == other {
			b.again(o, &c)
			return
		}
		if !b.broken[old] {
			b.broken[old] = true
		}
		b.dispute([]cabling.End{c.A, c.B, o.A, o.B}, c.Place, "%s has two cables: to %s here, and to %s at %s; both are left out",
			b.f.EndName(e), b.f.EndName(ends[1-i]), b.f.EndName(otherEnd(o, e)), o.Place)
		return
	}
	for _, e := range ends {
		b.at[e] = len(b.f.Cables)
	}
	b.f.Cables = append(b.f.Cables, c)
}

// bare is an end without its label: one port.
func bare(e cabling.End) cabling.End { return cabling.End{Device: e.Device, Port: e.Port} }

// otherEnd is the end of a cable that is not e.
func otherEnd(c *cabling.Cable, e cabling.End) cabling.End {
	if bare(c.A) == e {
		return c.B
	}
	return c.A
}

// again takes over what the second listing of a cable says.
func (b *builder) again(c, second *cabling.Cable) {
	b.twice[[2]cabling.End{bare(c.A), bare(c.B)}] = true
	if c.Rate == 0 {
		c.Rate = second.Rate
	}
	if c.Length == 0 {
		c.Length = second.Length
	}
}

// full is an error if the fabric is larger than any.
func (b *builder) full(line int) error {
	if len(b.f.Cables) > maxCables || len(b.f.Devices) > maxDevices {
		return problem(b.file, line, "more than %d cables or %d devices", maxCables, maxDevices)
	}
	return nil
}

// finish is the fabric: without cables that contradict others, with the roles that can be concluded.
func (b *builder) finish() (*cabling.Fabric, error) {
	kept := b.f.Cables[:0]
	for i, c := range b.f.Cables {
		if !b.broken[i] {
			kept = append(kept, c)
		}
	}
	b.f.Cables = kept
	if b.notes > maxNotes {
		b.f.Note("%s: and %d more remarks", b.file, b.notes-maxNotes)
	}
	if n := len(b.twice); n > 0 {
		b.f.Note("%s: %s from both ends and counted once", b.file, wording.Counted(n, "cable is listed", "cables are listed"))
	}
	b.concludeRoles()
	if len(b.f.Cables) == 0 {
		if len(b.f.Notes) > 0 {
			return nil, problem(b.file, 0, "there is no cable in this %s; first: %s", b.f.Format, wording.Abridged(b.f.Notes[0], 300))
		}
		return nil, problem(b.file, 0, "there is no cable in this %s", b.f.Format)
	}
	return b.f, nil
}

// rateOf reads a speed: a rate with its unit, or a number of Mb/s, or of b/s if there is no port that slow. It is 0
// for another text.
func rateOf(text string) units.Rate {
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	if text == "" {
		return 0
	}
	if isNumber(text) {
		text += "Mbps"
	}
	r, err := units.ParseRate(strings.ReplaceAll(text, " ", ""))
	if err != nil || r < 0 || r > 100*units.Tbps {
		return 0
	}
	return r
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == ""
}

// lengthOf reads a length with its unit behind it or apart; metres if there is none. It is 0 for another text.
func lengthOf(text, unit string) units.Length {
	text = strings.TrimSpace(text)
	end := len(text)
	for end > 0 && !strings.ContainsRune("0123456789.", rune(text[end-1])) {
		end--
	}
	number, own := text[:end], strings.TrimSpace(text[end:])
	if own != "" {
		unit = own
	}
	if !isNumber(number) {
		return 0
	}
	var v float64
	if _, err := fmt.Sscanf(number, "%g", &v); err != nil || v < 0 || v > 1e6 {
		return 0
	}
	scale := map[string]float64{"": 1, "m": 1, "cm": 0.01, "mm": 0.001, "km": 1000, "ft": 0.3048, "in": 0.0254, "mi": 1609.344}[strings.ToLower(strings.TrimSpace(unit))]
	return units.Length(v * scale * float64(units.Metre))
}
