package format

import (
	"strings"

	"weft/units"
)

// cursor is a position in one line. Each method takes its word or number from the front and reports
// whether it was there; if not, the cursor stays.
type cursor struct{ rest string }

// space takes all blanks and tabs.
func (c *cursor) space() { c.rest = strings.TrimLeft(c.rest, " \t") }

func (c *cursor) lit(text string) bool {
	rest, ok := strings.CutPrefix(c.rest, text)
	if ok {
		c.rest = rest
	}
	return ok
}

// word takes everything up to the next blank.
func (c *cursor) word() string {
	end := strings.IndexAny(c.rest, " \t")
	if end < 0 {
		end = len(c.rest)
	}
	word := c.rest[:end]
	c.rest = c.rest[end:]
	return word
}

// until takes everything up to and including text.
func (c *cursor) until(text string) (string, bool) {
	before, after, ok := strings.Cut(c.rest, text)
	if ok {
		c.rest = after
	}
	return before, ok
}

// number takes a decimal number of at most limit.
func (c *cursor) number(limit int) (int, bool) {
	n, i := 0, 0
	for i < len(c.rest) && c.rest[i] >= '0' && c.rest[i] <= '9' {
		n = n*10 + int(c.rest[i]-'0')
		if n > limit {
			return 0, false
		}
		i++
	}
	c.rest = c.rest[i:]
	return n, i > 0
}

// hex takes 1 to 16 hexadecimal digits, with or without 0x.
func (c *cursor) hex() (uint64, bool) {
	text := c.rest
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		text = text[2:]
	}
	n, i := uint64(0), 0
	for ; i < len(text); i++ {
		d, ok := hexDigit(text[i])
		if !ok {
			break
		}
		if i == 16 {
			return 0, false
		}
		n = n<<4 | uint64(d)
	}
	if i == 0 {
		return 0, false
	}
	c.rest = text[i:]
	return n, true
}

func (c *cursor) guid() (units.GUID, bool) {
	n, ok := c.hex()
	return units.GUID(n), ok
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case b >= '0' && b <= '9':
		return b - '0', true
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10, true
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}
