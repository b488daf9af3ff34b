package sonic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/units"
)

// maxProblems bounds how many defects of a configuration are listed.
const maxProblems = 50

// Resolve makes a Switch of a configuration. Defects that leave a meaning open
// are errors, all of them together: values that are no numbers or out of range,
// references to what is not there, Kmin above Kmax, XON above XOFF, headroom
// that does not fit the pool. What is configured soundly and works badly is for
// the lint.
func Resolve(c *Config) (*Switch, error) {
	r := &resolver{config: c, sw: &Switch{File: c.File}}
	r.device()
	r.pools()
	r.profiles()
	r.wred()
	r.schedulers()
	r.ports()
	r.portMaps()
	r.buffers()
	r.queues()
	r.watchdog()
	r.headroomFits()
	if len(r.problems) > 0 {
		return nil, errors.Join(r.problems...)
	}
	return r.sw, nil
}

type resolver struct {
	config     *Config
	sw         *Switch
	scheduler  map[string]*Scheduler
	maps       map[string]*Map
	byPort     map[string]*Port
	problems   []error
	unreported int
}

func (r *resolver) problem(line int, format string, args ...any) {
	if len(r.problems) == maxProblems {
		r.unreported++
		return
	}
	r.problems = append(r.problems, &Error{File: r.config.File, Line: line, Text: fmt.Sprintf(format, args...)})
}

// rows are the rows of a table, none where there is no such table.
func (r *resolver) rows(table string) []Row {
	if t := r.config.Table(table); t != nil {
		return t.Rows
	}
	return nil
}

// number reads a whole number from least to most; missing is its value where
// the field is not there.
func (r *resolver) number(table string, row *Row, name string, missing, least, most int64) int64 {
	v, ok := row.Get(name)
	if !ok {
		return missing
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil || v.List != nil || n < least || n > most {
		r.problem(v.Line, "%s of %s|%s is %q: valid is a whole number from %d to %d", name, table, row.Key, v.Text, least, most)
		return missing
	}
	return n
}

// word reads one of some words, in any case.
func (r *resolver) word(table string, row *Row, name, missing string, valid ...string) string {
	v, ok := row.Get(name)
	if !ok {
		return missing
	}
	text := strings.ToLower(v.Text)
	if v.List != nil || !slices.Contains(valid, text) {
		r.problem(v.Line, "%s of %s|%s is %q: valid are %s", name, table, row.Key, v.Text, strings.Join(valid, ", "))
		return missing
	}
	return text
}

// reference is the name that a value refers to, in today's form or as
// [TABLE|name].
func reference(v Value) string {
	text := v.Text
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
		if _, name, ok := strings.Cut(text, "|"); ok {
			return name
		}
	}
	return text
}

func (r *resolver) device() {
	row := r.config.Table("DEVICE_METADATA").Row("localhost")
	if row == nil {
		return
	}
	name, _ := row.Get("hostname")
	sku, _ := row.Get("hwsku")
	r.sw.Hostname, r.sw.HwSKU = name.Text, sku.Text
}

// maxBuffer is above every switch's packet buffer, some 200 MB today.
const maxBuffer = 16 << 30

func (r *resolver) pools() {
	rows := r.rows("BUFFER_POOL")
	for i := range rows {
		row := &rows[i]
		const table = "BUFFER_POOL"
		r.sw.Pools = append(r.sw.Pools, &Pool{
			Name: row.Key, Line: row.Line,
			Ingress: r.word(table, row, "type", "ingress", "ingress", "egress", "both") != "egress",
			Dynamic: r.word(table, row, "mode", "dynamic", "dynamic", "static") == "dynamic",
			Size:    units.Bytes(r.number(table, row, "size", 0, 0, maxBuffer)),
			Xoff:    units.Bytes(r.number(table, row, "xoff", 0, 0, maxBuffer)),
		})
	}
}

func (r *resolver) profiles() {
	rows := r.rows("BUFFER_PROFILE")
	for i := range rows {
		row := &rows[i]
		const table = "BUFFER_PROFILE"
		bytes := func(name string) units.Bytes { return units.Bytes(r.number(table, row, name, 0, 0, maxBuffer)) }
		p := &Profile{
			Name: row.Key, Line: row.Line,
			Size: bytes("size"), Xon: bytes("xon"), XonOffset: bytes("xon_offset"), Xoff: bytes("xoff"), StaticTh: bytes("static_th"),
			DynamicTh: int(r.number(table, row, "dynamic_th", 0, -8, 8)),
		}
		if v, ok := row.Get("pool"); ok {
			i := slices.IndexFunc(r.sw.Pools, func(p *Pool) bool { return p.Name == reference(v) })
			if i < 0 {
				r.problem(v.Line, "BUFFER_PROFILE|%s is of pool %q, which BUFFER_POOL does not have", row.Key, reference(v))
			} else {
				p.Pool = r.sw.Pools[i]
			}
		}
		if xoff, ok := row.Get("xoff"); ok && p.Xon > p.Xoff && p.Size > p.Xoff {
			// XON counts from the start of the group's own buffer; XOFF lies behind it.
			if p.Xon > p.Size {
				r.problem(xoff.Line, "BUFFER_PROFILE|%s has XON at %d bytes, above its own %d: valid is XON at most size", row.Key, p.Xon, p.Size)
			}
		}
		r.sw.Profiles = append(r.sw.Profiles, p)
	}
}

func (r *resolver) wred() {
	rows := r.rows("WRED_PROFILE")
	for i := range rows {
		row := &rows[i]
		const table = "WRED_PROFILE"
		ecn := r.word(table, row, "ecn", "ecn_none", "ecn_none", "ecn_green", "ecn_yellow", "ecn_red",
			"ecn_green_yellow", "ecn_green_red", "ecn_yellow_red", "ecn_all")
		w := &WRED{
			Name: row.Key, Line: row.Line,
			Min:     units.Bytes(r.number(table, row, "green_min_threshold", 0, 0, maxBuffer)),
			Max:     units.Bytes(r.number(table, row, "green_max_threshold", 0, 0, maxBuffer)),
			Percent: int(r.number(table, row, "green_drop_probability", 100, 0, 100)),
			ECN:     ecn == "ecn_all" || strings.Contains(ecn, "green"),
		}
		if w.Min > w.Max {
			v, _ := row.Get("green_min_threshold")
			r.problem(v.Line, "WRED_PROFILE|%s begins to mark at %d bytes (Kmin), above %d (Kmax): valid is Kmin at most Kmax", row.Key, w.Min, w.Max)
		}
		r.sw.WRED = append(r.sw.WRED, w)
	}
}

func (r *resolver) schedulers() {
	r.scheduler = map[string]*Scheduler{}
	rows := r.rows("SCHEDULER")
	for i := range rows {
		row := &rows[i]
		kind := r.word("SCHEDULER", row, "type", "dwrr", "dwrr", "wrr", "strict")
		r.scheduler[row.Key] = &Scheduler{
			Strict: kind == "strict", Line: row.Line,
			Weight: int(r.number("SCHEDULER", row, "weight", 1, 1, 100)),
		}
	}
}

// headroomFits checks that what is set aside fits the pools whose sizes are
// said.
func (r *resolver) headroomFits() {
	need := map[*Pool]units.Bytes{}
	for _, p := range r.sw.Ports {
		for _, g := range p.Groups {
			if g == nil || g.Pool == nil {
				continue
			}
			need[g.Pool] += g.Size
			if g.Pool.Xoff == 0 {
				need[g.Pool] += max(0, g.Xoff-g.Size) // size has XOFF in it where headroom is not shared
			}
		}
	}
	for _, pool := range r.sw.Pools {
		if pool.Size > 0 && need[pool] > pool.Size {
			r.problem(pool.Line, "BUFFER_POOL|%s has %d bytes, and its priority groups are promised %d: the headroom does not fit the buffer", pool.Name, pool.Size, need[pool])
		}
	}
}
