package portstate

import (
	"math"
	"strconv"
	"strings"

	"weft/units"
)

// notSupported is what ibdiagnet writes for a counter that the device does not have.
const notSupported = 0xfffffffffffffffe

// ParseCount reads a counter: decimal with or without separators of thousands, or hexadecimal.
// ok is false if the text says that there is no value ("N/A", empty, 0xfffffffffffffffe) or is no
// count; valid is false for the latter alone.
func ParseCount(text string) (n uint64, ok, valid bool) {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	switch strings.ToUpper(text) {
	case "", "N/A", "NA", "-", "NULL", "ERR":
		return 0, false, true
	}
	if strings.Contains(text, ",") {
		text = strings.ReplaceAll(text, ",", "")
	}
	var err error
	if hex, is := cutHex(text); is {
		n, err = strconv.ParseUint(hex, 16, 64)
	} else {
		n, err = strconv.ParseUint(text, 10, 64)
	}
	if err != nil {
		f, errFloat := strconv.ParseFloat(text, 64) // JSON of telemetry has 0.0
		if errFloat != nil || f < 0 || f >= 1<<63 || f != math.Trunc(f) {
			return 0, false, false
		}
		return uint64(f), true, true
	}
	return n, n != notSupported, true
}

func cutHex(text string) (string, bool) {
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		return text[2:], true
	}
	return text, false
}

// ParseGUID reads a GUID with or without 0x, of any number of digits up to 16.
func ParseGUID(text string) (units.GUID, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	text, _ = cutHex(text)
	if text == "" || len(text) > 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 16, 64)
	return units.GUID(n), err == nil
}

// ParseFloat reads a number with an optional unit behind it: "-0.4871dBm", "42C", "1.5e-254". ok is
// false if there is no number in front.
func ParseFloat(text string) (f float64, unit string, ok bool) {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	end := 0
	for end < len(text) && strings.ContainsRune("+-.0123456789", rune(text[end])) {
		end++
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exp := end + 1
		if exp < len(text) && (text[exp] == '-' || text[exp] == '+') {
			exp++
		}
		digits := exp
		for exp < len(text) && text[exp] >= '0' && text[exp] <= '9' {
			exp++
		}
		if exp > digits {
			end = exp
		}
	}
	f, err := strconv.ParseFloat(text[:end], 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, "", false
	}
	return f, strings.TrimSpace(text[end:]), true
}
