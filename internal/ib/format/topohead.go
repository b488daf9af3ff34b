package format

import (
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// attributes is the lines that set attributes of the nodes or ports after them. Each
// function takes the text behind the word; if it cannot, it returns the expected text.
var attributes = map[string]func(t *topoReader, rest string) (expected string, ok bool){
	"vendid": func(t *topoReader, rest string) (string, bool) {
		v, ok := value(rest, 1<<24-1)
		t.next.vendor = uint32(v)
		return "vendid=0x… of at most 24 bits", ok
	},
	"devid": func(t *topoReader, rest string) (string, bool) {
		v, ok := value(rest, 1<<16-1)
		t.next.device = uint16(v)
		return "devid=0x… of at most 16 bits", ok
	},
	"sysimgguid": func(t *topoReader, rest string) (string, bool) {
		v, ok := value(rest, 1<<64-1)
		t.next.system = units.GUID(v)
		return "sysimgguid=0x… of at most 64 bits", ok
	},
	"switchguid":  guidLine(subnet.Switch),
	"switchguids": guidLine(subnet.Switch),
	"caguid":      guidLine(subnet.Adapter),
	"hcaguids":    guidLine(subnet.Adapter),
	"hcaguid":     guidLine(subnet.Adapter),
	"rtguid":      guidLine(subnet.Router),
	"width": func(t *topoReader, rest string) (string, bool) {
		v, ok := value(rest, 31)
		t.enabled.width = uint8(v)
		return "width= a mask of enabled widths from 1 to 31", ok && v > 0
	},
	"speed": func(t *topoReader, rest string) (string, bool) {
		v, ok := value(rest, 7)
		t.enabled.speed = uint8(v)
		return "speed= a mask of enabled speeds from 1 to 7", ok && v > 0
	},
	"extspeed": func(t *topoReader, rest string) (string, bool) {
		v, ok := value(rest, 15)
		t.enabled.extended = uint8(v)
		return "extspeed= a mask of enabled speeds from 0 to 15", ok
	},
	"module": func(t *topoReader, rest string) (string, bool) {
		c := cursor{rest}
		if _, ok := c.until(`"`); !ok {
			return `module= a name in quotes`, false
		}
		name, ok := c.until(`"`)
		t.module = ""
		if name != "" {
			t.module = name + "#"
		}
		return `module= a name in quotes without # and @`, ok && !strings.ContainsAny(name, "#@")
	},
}

// guidLine sets the next GUID of a kind: =GUID or, counted from the last such GUID, +N.
// A switch's port GUID follows in brackets.
func guidLine(kind subnet.Kind) func(*topoReader, string) (string, bool) {
	return func(t *topoReader, rest string) (string, bool) {
		const expected = "= or + and a GUID, as in switchguid=0x2c90200400020(2c90200400020)"
		c := cursor{rest}
		relative := c.lit("+")
		if !relative && !c.lit("=") {
			return expected, false
		}
		c.space()
		guid, ok := c.guid()
		if !ok {
			return expected, false
		}
		if relative {
			guid += t.base[kind]
		} else {
			t.base[kind] = guid
		}
		t.auto[kind], t.next.hasGUID = guid, true
		if c.lit("(") {
			port, ok := c.guid()
			if !ok || !c.lit(")") {
				return expected, false
			}
			t.next.portGUID = port
		}
		return "", true
	}
}

// value reads = and a number, hexadecimal after 0x, decimal otherwise; text after a blank is
// ignored (ibnetdiscover -g has comments there).
func value(rest string, limit uint64) (uint64, bool) {
	c := cursor{rest}
	if !c.lit("=") {
		return 0, false
	}
	c.space()
	word := cursor{c.word()}
	if strings.HasPrefix(word.rest, "0x") || strings.HasPrefix(word.rest, "0X") {
		v, ok := word.hex()
		return v, ok && word.rest == "" && v <= limit
	}
	v, ok := word.number(1 << 24)
	return uint64(v), ok && word.rest == "" && uint64(v) <= limit
}

// headComment reads ibnetdiscover's comment of a head:
// "name" and, of a switch, base or enhanced port 0 lid N lmc N. Free text is the name, as in ibsim.
func headComment(text string, n *subnet.Node) (lid units.LID, lmc uint8) {
	text = strings.TrimSpace(text)
	tail := ""
	// The last mark counts: a name may contain the same text.
	const mark = " port 0 "
	if i := strings.LastIndex(text, mark); i >= 0 && n.Kind == subnet.Switch {
		text, tail = text[:i], text[i+len(mark):]
		text, n.Enhanced = strings.CutSuffix(text, " enhanced")
		text = strings.TrimSpace(strings.TrimSuffix(text, " base"))
	}
	if rest, ok := strings.CutPrefix(text, `"`); ok {
		if i := strings.LastIndexByte(rest, '"'); i >= 0 {
			n.Name = rest[:i]
		}
	} else if text != "" {
		n.Name = text
	}
	c := cursor{tail}
	if c.lit("lid ") {
		if v, ok := c.number(1<<16 - 1); ok {
			lid = units.LID(v)
		}
	}
	if c.lit(" lmc ") {
		if v, ok := c.number(7); ok {
			lmc = uint8(v)
		}
	}
	return lid, lmc
}

// include reads the file of a line include "FILE".
func (t *topoReader) include(in *lines, line string) {
	c := cursor{line}
	_, ok := c.until(`"`)
	name := ""
	if ok {
		name, ok = c.until(`"`)
	}
	if !ok || name == "" {
		in.fail(`expected include "FILE", not %s`, found(line))
		return
	}
	if t.opt.Open == nil {
		in.fail("the file includes %q, and may not include files here: put that file's text in its place", name)
		return
	}
	if t.includes++; t.includes > maxIncludes {
		in.fail("more than %d included files: does %q include itself?", maxIncludes, name)
		return
	}
	f, err := t.opt.Open(name)
	if err != nil {
		in.fail("cannot include %q: %v", name, err)
		return
	}
	t.file(name, f)
	if err := f.Close(); err != nil {
		in.fail("cannot read %q to its end: %v", name, err)
	}
}
