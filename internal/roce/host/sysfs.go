package host

import (
	"math"
	"path"
	"strconv"
	"strings"

	"weft/units"
)

// attribute reports whether a file is a known attribute of sysfs. The file may be in a copy of the
// tree: only the end of its path counts, and attribute returns it.
func attribute(name string) (string, bool) {
	name = strings.ReplaceAll(name, "\\", "/")
	for _, mark := range []string{"ecn/roce_np/", "ecn/roce_rp/", "tc/1/traffic_class", "default_roce_tos", "default_roce_mode"} {
		if i := strings.Index(name, mark); i >= 0 {
			return name[i:], true
		}
	}
	return "", false
}

// listing reads the output of grep -r . or tail -n +1 on files of sysfs: a path, a colon and the
// value.
func (r *reader) listing() {
	for line := range r.rest() {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			r.fail("%q is no attribute: expected a path, a colon and its value, as grep -r . prints it", line)
			return
		}
		if _, below, ok := strings.Cut(name, "/class/net/"); ok {
			r.host.Iface, _, _ = strings.Cut(below, "/")
		}
		if at, known := attribute(name); known {
			r.set(at, strings.TrimSpace(value))
		} else if r.gidAttribute(name, strings.TrimSpace(value)) {
			continue
		} else if dir, counter := path.Split(name); strings.HasSuffix(dir, "/hw_counters/") {
			r.counter(counter, value)
		} else if path.Base(name) == "mtu" {
			if n, ok := r.whole("the MTU", value, 68, 65535); ok {
				say(r, &r.host.MTU, "the MTU", units.Bytes(n))
			}
		}
	}
}

// set takes the value of an attribute.
func (r *reader) set(at, value string) {
	dir, name := path.Split(at)
	switch {
	case name == "traffic_class":
		if n, ok := r.trafficClass(strings.TrimPrefix(value, "Global tclass="), 0); ok {
			say(r, &r.host.Forced, "the traffic class of all queue pairs", n)
		}
	case name == "default_roce_tos":
		r.tos(value)
	case name == "default_roce_mode":
		versions := map[string]string{"IB/RoCE v1": "v1", "RoCE v2": "v2"}
		if versions[value] == "" {
			r.fail("RDMA CM's version of RoCE is %q: valid are IB/RoCE v1 and RoCE v2", value)
			return
		}
		say(r, &r.host.CMVersion, "RDMA CM's version of RoCE", versions[value])
	case strings.HasSuffix(dir, "/enable/"):
		r.ecnEnable(dir, name, value)
	case name == "cnp_dscp":
		r.small(&r.host.CNPDSCP, "the DSCP of notifications", value, 63)
	case name == "cnp_802p_prio":
		r.small(&r.host.CNPPrio, "the priority of notifications", value, Priorities-1)
	case name == "min_time_between_cnps":
		if n, ok := r.whole("the time between notifications", value, 0, 1_000_000); ok {
			say(r, &r.host.CNPGap, "the time between notifications", units.Time(n)*units.Microsecond)
		}
	case strings.Contains(dir, "roce_rp"):
		if n, ok := r.whole(name, value, 0, math.MaxInt64); ok {
			r.host.Params[name] = Said[int64]{n, r.at}
		}
	}
}

func (r *reader) ecnEnable(dir, name, value string) {
	prio, err := strconv.Atoi(name)
	if err != nil || prio < 0 || prio >= Priorities {
		r.fail("ECN is enabled for priority %q: valid are 0 to 7", name)
		return
	}
	n, ok := r.whole("ECN of priority "+name, value, 0, 1)
	if !ok {
		return
	}
	list, what := &r.host.NP, "the notification point"
	if strings.Contains(dir, "roce_rp") {
		list, what = &r.host.RP, "the reaction point"
	}
	say(r, &list[prio], what+" of priority "+name, n == 1)
}

func (r *reader) small(to *Said[int], what, value string, most int64) {
	if n, ok := r.whole(what, value, 0, most); ok {
		say(r, to, what, int(n))
	}
}

// trafficClass reads a traffic class, decimal or hexadecimal, as NCCL does.
func (r *reader) trafficClass(text string, least int64) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	if err != nil || n < least || n > maxTC {
		r.fail("the traffic class is %q: valid is a whole number from 0 to %d, four times the DSCP and the bits of ECN", strings.TrimSpace(text), maxTC)
		return 0, false
	}
	return int(n), true
}

// tos reads RDMA CM's default, the number that cma_roce_tos prints.
func (r *reader) tos(text string) {
	if n, ok := r.trafficClass(text, 0); ok {
		say(r, &r.host.TOS, "RDMA CM's type of service", n)
	}
}
