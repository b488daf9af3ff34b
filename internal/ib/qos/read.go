package qos

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/ib/format"
	"weft/units"
)

const (
	maxLine     = 64 << 10 // bytes; the longest key has 64 entries of at most 7
	maxLines    = 4096     // keys; OpenSM has 160
	maxProblems = 50
)

// Read reads the QoS keys of an opensm.conf. Other keys are ignored; unknown keys that begin with
// qos are errors. The last of two equal keys counts, as with OpenSM. All errors come as one
// *Errors.
func Read(name string, r io.Reader) (*Config, error) {
	c := &Config{}
	var errs Errors
	fail := func(line int, text string) {
		if len(errs.List) == maxProblems {
			errs.More++
			return
		}
		errs.List = append(errs.List, format.Problem{File: name, Line: line, Text: text})
	}
	lines, err := ReadLines(name, r)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if !strings.HasPrefix(l.Key, "qos") || l.Key == "qos_policy_file" {
			continue
		}
		if err := c.set(l.Key, l.Value); err != nil {
			fail(l.Number, err.Error())
		}
	}
	if len(errs.List) > 0 {
		return nil, &errs
	}
	return c, nil
}

// set takes one key. The value (null) or an empty value leaves it unset.
func (c *Config) set(key, value string) error {
	if key == "qos" {
		switch strings.ToUpper(value) {
		case "TRUE", "1", "YES":
			c.Enabled = true
		case "FALSE", "0", "NO":
			c.Enabled = false
		default:
			return fmt.Errorf("expected qos TRUE or FALSE, not %q", value)
		}
		return nil
	}
	class, what := Any, strings.TrimPrefix(key, prefixes[Any])
	for i := Adapters; i < classes; i++ {
		if rest, ok := strings.CutPrefix(key, prefixes[i]); ok {
			class, what = i, rest
		}
	}
	set, ok := keys[what]
	if !ok || !strings.HasPrefix(key, prefixes[Any]) {
		return fmt.Errorf("unknown QoS key %q: expected max_vls, high_limit, vlarb_high, vlarb_low or sl2vl behind qos_, qos_ca_, qos_sw0_, qos_swe_ or qos_rtr_", key)
	}
	if value == "" || value == "(null)" {
		return nil
	}
	if err := set(&c.Sets[class], strings.Trim(value, `"`)); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// keys sets the value of a key, by key without prefix.
var keys = map[string]func(*Set, string) error{
	"max_vls":    func(s *Set, v string) error { return number(&s.MaxVLs, v, 1, 15) },
	"high_limit": func(s *Set, v string) error { return number(&s.HighLimit, v, 0, 255) },
	"vlarb_high": func(s *Set, v string) error { return weights(&s.High, v) },
	"vlarb_low":  func(s *Set, v string) error { return weights(&s.Low, v) },
	"sl2vl":      func(s *Set, v string) error { return lanes(&s.SL2VL, v) },
}

// number reads a number. OpenSM writes 0 lanes and a limit of -1 for "unset".
func number(to **uint8, text string, least, most int) error {
	n, err := strconv.Atoi(text)
	if err == nil && (n == -1 || n == 0 && least > 0) {
		*to = nil
		return nil
	}
	if err != nil || n < least || n > most {
		return fmt.Errorf("expected a number from %d to %d, not %q", least, most, text)
	}
	v := uint8(n)
	*to = &v
	return nil
}

// weights reads a list such as 0:64,1:32.
func weights(to *[]Weight, text string) error {
	fields := strings.Split(text, ",")
	if len(fields) > maxEntries {
		return fmt.Errorf("expected at most %d entries, the size of an arbitration table, not %d", maxEntries, len(fields))
	}
	list := make([]Weight, 0, len(fields))
	for _, f := range fields {
		lane, blocks, ok := strings.Cut(strings.TrimSpace(f), ":")
		vl, err1 := strconv.ParseUint(lane, 0, 8)
		n, err2 := strconv.ParseUint(blocks, 0, 8)
		if !ok || err1 != nil || err2 != nil || vl > 14 {
			return fmt.Errorf("expected lanes from 0 to 14 with weights from 0 to 255, as in 0:64,1:32, not %q", f)
		}
		list = append(list, Weight{units.VL(vl), uint8(n)})
	}
	*to = list
	return nil
}

// lanes reads 16 lanes, one for each service level.
func lanes(to **[16]units.VL, text string) error {
	fields := strings.Split(text, ",")
	if len(fields) != 16 {
		return fmt.Errorf("expected 16 lanes, one for each service level, not %d", len(fields))
	}
	var m [16]units.VL
	for i, f := range fields {
		vl, err := strconv.ParseUint(strings.TrimSpace(f), 0, 8)
		if err != nil || vl > 15 {
			return fmt.Errorf("expected lanes from 0 to 15, not %q", f)
		}
		m[i] = units.VL(vl)
	}
	*to = &m
	return nil
}
