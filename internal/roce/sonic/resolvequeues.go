package sonic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/units"
)

// buffers reads BUFFER_PG and BUFFER_QUEUE.
func (r *resolver) buffers() {
	r.eachQueue("BUFFER_PG", func(p *Port, n int, row *Row) {
		if n < Priorities {
			p.Groups[n], p.GroupAt[n], p.GroupKey[n] = r.profile("BUFFER_PG", row), row.Line, row.Key
			if made := p.Groups[n]; made != nil && made.Computed {
				p.Groups[n], p.Made[n] = nil, made
			}
		}
	})
	r.eachQueue("BUFFER_QUEUE", func(p *Port, n int, row *Row) {
		if n < Priorities {
			q := &p.Queues[n]
			q.Profile, q.ProfileAt, q.ProfileKey = r.profile("BUFFER_QUEUE", row), row.Line, row.Key
		}
	})
}

// profile is the profile that a row names; "NULL" is a group that dynamic
// buffers will fill in.
func (r *resolver) profile(table string, row *Row) *Profile {
	v, ok := row.Get("profile")
	name := reference(v)
	if !ok || name == "NULL" || name == "" {
		return nil
	}
	i := slices.IndexFunc(r.sw.Profiles, func(p *Profile) bool { return p.Name == name })
	if i < 0 {
		r.problem(v.Line, "%s|%s has profile %q, which BUFFER_PROFILE does not have", table, row.Key, name)
		return nil
	}
	return r.sw.Profiles[i]
}

// queues reads QUEUE.
func (r *resolver) queues() {
	r.eachQueue("QUEUE", func(p *Port, n int, row *Row) {
		if n >= Priorities {
			return // queues for multicast
		}
		q := &p.Queues[n]
		q.Line, q.Key, p.hasQueue = row.Line, row.Key, true
		if v, ok := row.Get("scheduler"); ok {
			if q.Scheduler = r.scheduler[reference(v)]; q.Scheduler == nil {
				r.problem(v.Line, "QUEUE|%s has scheduler %q, which SCHEDULER does not have", row.Key, reference(v))
			}
		}
		if v, ok := row.Get("wred_profile"); ok && reference(v) != "" {
			i := slices.IndexFunc(r.sw.WRED, func(w *WRED) bool { return w.Name == reference(v) })
			if i < 0 {
				r.problem(v.Line, "QUEUE|%s has WRED profile %q, which WRED_PROFILE does not have", row.Key, reference(v))
				return
			}
			q.WRED = r.sw.WRED[i]
		}
	})
}

// eachQueue calls f for every port and number that the keys of a table name:
// "Ethernet0|3-4", or "Ethernet0,Ethernet4|3".
func (r *resolver) eachQueue(table string, f func(p *Port, n int, row *Row)) {
	rows := r.rows(table)
	for i := range rows {
		row := &rows[i]
		cut := strings.LastIndexByte(row.Key, '|') // a chassis has host|asic0|Ethernet0|3
		ports, numbers, ok := row.Key[:max(cut, 0)], row.Key[cut+1:], cut > 0
		from, to, okRange := numberRange(numbers)
		if !ok || !okRange {
			r.problem(row.Line, "%s|%s: valid is a port and a number or a range, such as Ethernet0|3-4", table, row.Key)
			continue
		}
		for name := range strings.SplitSeq(ports, ",") {
			if name == "CPU" {
				continue // an internal port of the switch without a cable (sonic-queue.yang)
			}
			p := r.port(name, row.Line)
			for n := from; n <= to; n++ {
				f(p, n, row)
			}
		}
	}
}

// numberRange reads "3" or "3-4"; no queue's number is above 31.
func numberRange(text string) (from, to int, ok bool) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	return from, to, errFrom == nil && errTo == nil && from >= 0 && from <= to && to <= 31
}

// The detection and restoration times of the watchdog, in ms (sonic-pfcwd.yang), and the default
// (sonic-utilities, pfcwd).
const (
	leastWatch   = 100
	mostPoll     = 1000
	mostDetect   = 5000
	mostRestore  = 60_000
	defaultWatch = 200 * units.Millisecond
)

func (r *resolver) watchdog() {
	rows := r.rows("PFC_WD")
	for i := range rows {
		row := &rows[i]
		ms := func(name string, most int64) units.Time {
			missing := int64(defaultWatch / units.Millisecond)
			return units.Time(r.number("PFC_WD", row, name, missing, leastWatch, most)) * units.Millisecond
		}
		if row.Key == "GLOBAL" {
			r.sw.Watchdog = Watchdog{Poll: ms("POLL_INTERVAL", mostPoll), Line: row.Line, Red: r.redSwitch(row)}
			continue
		}
		p := r.port(row.Key, row.Line)
		p.WDLine = row.Line
		p.Detect, p.Restore = ms("detection_time", mostDetect), ms("restoration_time", mostRestore)
		p.Action = r.word("PFC_WD", row, "action", "drop", "drop", "forward", "alert")
		if _, ok := row.Get("detection_time"); !ok {
			p.Detect = 0 // the switch refuses the entry (sonic-swss, pfcwdorch, createEntry)
		}
	}
	for _, p := range r.sw.Ports {
		if p.WDLine > 0 && p.Detect == 0 {
			r.mendable(p.WDLine, Patch("PFC_WD", p.Name, "detection_time", fmt.Sprint(int64(max(defaultWatch, r.sw.Watchdog.Poll)/units.Millisecond))),
				"PFC_WD|%s has no detection_time: the switch refuses the entry, and no watchdog looks at the port; valid is a time from %d to %d ms", p.Name, leastWatch, mostDetect)
		}
		if p.WDLine > 0 && p.Detect > 0 && (p.Detect < r.sw.Watchdog.Poll || p.Restore < r.sw.Watchdog.Poll) {
			r.mendable(p.WDLine, Patch("PFC_WD", "GLOBAL", "POLL_INTERVAL", fmt.Sprint(max(leastWatch, int64(min(p.Detect, p.Restore)/units.Millisecond)))),
				"PFC_WD|%s detects within %v and restores after %v, and the watchdog polls every %v: valid is at least this interval", p.Name, p.Detect, p.Restore, r.sw.Watchdog.Poll)
		}
	}
}

// redSwitch is the line that turns BIG_RED_SWITCH on, 0 if it is off. The switch compares the value
// exactly (sonic-swss, pfcwdorch, setBigRedSwitchMode).
func (r *resolver) redSwitch(row *Row) int {
	v, ok := row.Get("BIG_RED_SWITCH")
	switch {
	case !ok || v.Text == "disable":
	case v.Text == "enable":
		return v.Line
	default:
		r.mendable(v.Line, Patch("PFC_WD", row.Key, "BIG_RED_SWITCH", "disable"),
			"BIG_RED_SWITCH of PFC_WD|%s is %q: valid are enable and disable", row.Key, v.Text)
	}
	return 0
}
