package units

import (
	"fmt"
	"math/big"
	"strings"
)

// maxText is the maximum length of the text of a quantity. The longest exact text of an int64 has a
// few dozen characters; a longer text is a mistake.
const maxText = 64

// unit is one way to write a quantity: a name, and its size in base units (picoseconds, bytes, bits
// per second, millimetres).
type unit struct {
	name  string
	scale int64
}

// quantity is the notation of one kind of value.
type quantity struct {
	noun    string // as in an error: "a time"
	example string
	base    string // the name of the unit that an integer counts
	valid   string // the names to suggest, a subset of those understood
	parsed  []unit // every spelling that is understood
	printed []unit // the units of String, largest first
	exact   []unit // the units of Exact, largest first
}

// ParseError is the error for a text that is not a quantity. Its message is a sentence with the
// value and the valid form.
type ParseError struct {
	Value  string // the text as it was given
	Reason string // what is wrong with it, after the value: "has no unit"
	Valid  string // the valid form: "a time is written like 1.2us, in ps, ns, us, ms or s"
}

// Error is the message.
func (e *ParseError) Error() string {
	return fmt.Sprintf("%q %s: %s", e.Value, e.Reason, e.Valid)
}

// parse reads a non-negative decimal number with a unit, exactly.
func (q *quantity) parse(text string) (int64, error) {
	fail := func(reason string, args ...any) (int64, error) {
		return 0, &ParseError{
			Value:  abridged(text),
			Reason: fmt.Sprintf(reason, args...),
			Valid:  fmt.Sprintf("%s is written like %s, in %s", q.noun, q.example, q.valid),
		}
	}
	switch {
	case text == "":
		return fail("is empty")
	case len(text) > maxText:
		return fail("is longer than %d characters", maxText)
	case text[0] == '-':
		return fail("is negative")
	}
	number, name := splitUnit(text)
	whole, fraction, point := strings.Cut(number, ".")
	if whole == "" || (point && fraction == "") || strings.Contains(fraction, ".") {
		return fail("does not start with a decimal number")
	}
	scale, known := q.scaleOf(name)
	switch {
	case !known && name == "":
		return fail("has no unit")
	case !known:
		if near := q.near(name); near != "" {
			return fail("has the unknown unit %q (did you mean %s?)", name, near)
		}
		return fail("has the unknown unit %q", name)
	}
	value, rest := scaled(whole, fraction, scale)
	switch {
	case rest:
		return fail("is not a whole number of %s", q.base)
	case !value.IsInt64():
		return fail("is too large")
	}
	return value.Int64(), nil
}

// scaleOf is the size of the unit with this name, in base units.
func (q *quantity) scaleOf(name string) (scale int64, known bool) {
	for _, u := range q.parsed {
		if u.name == name {
			return u.scale, true
		}
	}
	return 0, false
}

// near is the unit that a name may mean: the same letters in other case, or the first that begins so; empty if none.
func (q *quantity) near(name string) string {
	for _, u := range q.parsed {
		if u.name != "" && strings.EqualFold(u.name, name) {
			return u.name
		}
	}
	for _, u := range q.parsed {
		if strings.HasPrefix(u.name, name) {
			return u.name
		}
	}
	return ""
}

// splitUnit cuts text behind its leading digits and points; one space may
// stand before the unit, as String prints it.
func splitUnit(text string) (number, name string) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimPrefix(text[end:], " ")
}

// scaled is whole.fraction × scale; rest is true if this is not an integer.
func scaled(whole, fraction string, scale int64) (value *big.Int, rest bool) {
	value, _ = new(big.Int).SetString(whole+fraction, 10)
	value.Mul(value, big.NewInt(scale))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	remainder := new(big.Int)
	value.QuoRem(value, power, remainder)
	return value, remainder.Sign() != 0
}

// abridged shortens a text for an error message.
func abridged(text string) string {
	if r := []rune(text); len(r) > maxText {
		return string(r[:maxText-3]) + "..."
	}
	return text
}
