package sonic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
	"weft/units"
)

// maxProblems is the maximum number of listed defects of a configuration.
const maxProblems = 50

// Resolve makes a Switch of a configuration without defects. The error joins all defects that
// Examine finds.
func Resolve(c *Config) (*Switch, error) {
	sw, problems := Examine(c)
	if len(problems) == 0 {
		return sw, nil
	}
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return nil, errors.Join(errs...)
}

// Examine makes a Switch of a configuration as far as it is valid, and lists the defects: values
// that are not numbers or out of range, references to missing entries, Kmin above Kmax, XON above
// the threshold, headroom that does not fit its pool. Valid configuration that works badly is left
// to package lint. The Switch leaves out defective values.
func Examine(c *Config) (*Switch, []*Error) {
	r := &resolver{config: c, sw: &Switch{File: c.File, parts: c.parts, config: c, Watchdog: Watchdog{Poll: defaultWatch}}}
	r.version()
	r.device()
	r.paths()
	r.pools()
	r.profiles()
	r.wred()
	r.schedulers()
	r.ports()
	r.layers()
	r.portMaps()
	r.buffers()
	r.queues()
	r.watchdog()
	r.headroomFits()
	sorting.Func(r.sw.Ports, func(a, b *Port) int { return comparePorts(a.Name, b.Name) })
	if r.unlisted > 0 {
		r.problems = append(r.problems, &Error{File: c.File, Text: fmt.Sprintf("%d more defects are not listed", r.unlisted)})
	}
	return r.sw, r.problems
}

type resolver struct {
	config    *Config
	sw        *Switch
	scheduler map[string]*Scheduler
	maps      map[string]*Map
	byPort    map[string]*Port
	problems  []*Error
	unlisted  int
}

func (r *resolver) problem(line int, format string, args ...any) {
	r.mendable(line, "", format, args...)
}

// mendable notes a defect with the patch that fixes it. A row may be read once for each of its
// queues; its defect is noted once.
func (r *resolver) mendable(line int, patch, format string, args ...any) {
	file, line := r.sw.Place(line)
	e := &Error{File: file, Line: line, Text: fmt.Sprintf(format, args...)}
	if slices.ContainsFunc(r.problems, func(p *Error) bool { return p.File == e.File && p.Line == e.Line && p.Text == e.Text }) {
		return
	}
	if len(r.problems) == maxProblems {
		r.unlisted++
		return
	}
	if patch != "" {
		e.Fix = []string{patch}
	}
	r.problems = append(r.problems, e)
}

// rows are the rows of a table; none if the table is missing.
func (r *resolver) rows(table string) []Row {
	if t := r.config.Table(table); t != nil {
		return t.Rows
	}
	return nil
}

// number reads a whole number from least to most; missing is the value if the field is not there.
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

// word reads one of the given words, in any case.
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

// reference is the name that a value refers to, in the present form or as [TABLE|name].
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
	r.sw.Whole = r.config.Table("PORT") != nil || r.config.Table("DEVICE_METADATA") != nil
	if row := r.config.Table("DEVICE_METADATA").Row("localhost"); row != nil {
		name, _ := row.Get("hostname")
		sku, _ := row.Get("hwsku")
		role, _ := row.Get("type")
		r.sw.Hostname, r.sw.HwSKU, r.sw.Role = name.Text, sku.Text, role.Text
		r.sw.Dynamic = r.word("DEVICE_METADATA", row, "buffer_model", "traditional", "dynamic", "traditional") == "dynamic"
	}
	for i, row := range r.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER") {
		const table = "DEFAULT_LOSSLESS_BUFFER_PARAMETER"
		if i == 0 {
			r.sw.DefaultTh = int(r.number(table, &row, "default_dynamic_th", 0, leastAlpha, mostAlpha))
			r.sw.Oversubscribed = int(r.number(table, &row, "over_subscribe_ratio", 0, 0, 65535))
		}
	}
	for i, row := range r.rows("LOSSLESS_TRAFFIC_PATTERN") {
		const table = "LOSSLESS_TRAFFIC_PATTERN"
		if i == 0 {
			r.sw.SmallPercent = int(r.number(table, &row, "small_packet_percentage", 100, 0, 100))
			r.sw.LosslessMTU = units.Bytes(r.number(table, &row, "mtu", 1024, 1, 9216))
		}
	}
}

// maxBuffer is above every switch's packet buffer, some 200 MB today.
const maxBuffer = 16 << 30

func (r *resolver) pools() {
	rows := r.rows("BUFFER_POOL")
	for i := range rows {
		row := &rows[i]
		const table = "BUFFER_POOL"
		kind := r.word(table, row, "type", "both", "ingress", "egress", "both")
		mode := r.word(table, row, "mode", "dynamic", "dynamic", "static")
		r.sw.Pools = append(r.sw.Pools, &Pool{
			Name: row.Key, Line: row.Line, Ingress: kind == "ingress", Static: mode == "static",
			Size: units.Bytes(r.number(table, row, "size", 0, 0, maxBuffer)),
			Xoff: units.Bytes(r.number(table, row, "xoff", 0, 0, maxBuffer)),
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
			DynamicTh: int(r.number(table, row, "dynamic_th", int64(r.sw.DefaultTh), leastAlpha, mostAlpha)),
			Computed:  r.word(table, row, "headroom_type", "static", "static", "dynamic") == "dynamic",
		}
		if v, ok := row.Get("pool"); ok {
			i := slices.IndexFunc(r.sw.Pools, func(p *Pool) bool { return p.Name == reference(v) })
			if i < 0 {
				r.problem(v.Line, "BUFFER_PROFILE|%s names pool %q, which BUFFER_POOL does not have", row.Key, reference(v))
			} else {
				p.Pool = r.sw.Pools[i]
			}
		}
		r.xonBelow(row, p)
		r.sw.Profiles = append(r.sw.Profiles, p)
	}
}

// The exponents of a dynamic threshold (sonic-buffer-profile.yang).
const (
	leastAlpha = -8
	mostAlpha  = 7
)

// xonBelow checks that XON lies below XOFF. XON must lie below the maximum fill of the group before
// it pauses, and below its fill at the pause with an exhausted pool, which is its reserved size. On
// some chips SONiC's size includes the headroom. On others, shipped profiles have an XON a little
// above the size, so XON is an error only if it lies above the headroom too.
func (r *resolver) xonBelow(row *Row, p *Profile) {
	if !p.Lossless() {
		return
	}
	own := p.Size
	if own >= p.Xoff {
		own -= p.Xoff
	}
	v, _ := row.Get("xon")
	if most, known := p.Threshold(); known && p.Xon > most {
		r.mendable(v.Line, Patch("BUFFER_PROFILE", row.Key, "xon", fmt.Sprint(int64(min(own, most)))),
			"BUFFER_PROFILE|%s has XON at %d bytes, above the %d at which it pauses with an empty pool: valid is XON below XOFF's threshold", row.Key, p.Xon, most)
	} else if p.Xon > max(own, p.Xoff) {
		r.mendable(v.Line, Patch("BUFFER_PROFILE", row.Key, "xon", fmt.Sprint(int64(own))),
			"BUFFER_PROFILE|%s has XON at %d bytes, above its headroom of %d and the %d at which it pauses when the pool is used up: the peer is told to go on while it must stop; valid is XON below XOFF's threshold", row.Key, p.Xon, p.Xoff, own)
	}
}

func (r *resolver) schedulers() {
	r.scheduler = map[string]*Scheduler{}
	rows := r.rows("SCHEDULER")
	for i := range rows {
		row := &rows[i]
		kind := r.word("SCHEDULER", row, "type", "wrr", "dwrr", "wrr", "strict")
		made := &Scheduler{
			Name: row.Key, Strict: kind == "strict",
			Weight: int(r.number("SCHEDULER", row, "weight", 1, 1, 100)),
		}
		r.scheduler[row.Key] = made
		r.sw.Schedulers = append(r.sw.Schedulers, made)
	}
}

// HeadroomPool is the patch that gives a pool of headroom room for all priority groups at once, at
// the expense of the part that ports share.
func (s *Switch) HeadroomPool(pool *Pool) string {
	var all units.Bytes
	for _, p := range s.Ports {
		for _, g := range p.Groups {
			if p.Up && g.Lossless() && g.Pool == pool {
				all += g.Xoff
			}
		}
	}
	for _, p := range s.Profiles {
		if p.Pool == pool {
			all = max(all, p.Xoff)
		}
	}
	values := []string{"xoff", fmt.Sprint(int64(all))}
	if left := pool.Size + pool.Xoff - all; pool.Size > 0 && left > 0 {
		values = append(values, "size", fmt.Sprint(int64(left)))
	}
	return Patch("BUFFER_POOL", pool.Name, values...)
}

// headroomFits checks that the headroom of a single group fits the pool that ports share. Package
// lint checks the sum of all groups: a pool's size is the rest after the headroom was set aside.
func (r *resolver) headroomFits() {
	for _, p := range r.sw.Profiles {
		if !p.Lossless() || p.Pool == nil {
			continue
		}
		has := p.Pool.Xoff
		if has == 0 { // no headroom is shared: the headroom of one group must still be smaller than the pool
			has = p.Pool.Size
		}
		if has > 0 && p.Xoff > has {
			patch := ""
			if p.Pool.Xoff > 0 {
				patch = r.sw.HeadroomPool(p.Pool)
			}
			r.mendable(p.Line, patch, "BUFFER_PROFILE|%s has headroom of %d bytes, and its whole pool %s has %d: the headroom does not fit the buffer", p.Name, p.Xoff, p.Pool.Name, has)
		}
	}
}
