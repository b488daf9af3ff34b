package router

import (
	"fmt"
	"strconv"
	"strings"
)

// ReadSysctl reads a sysctl file, such as /etc/sysctl.conf, or the output of sysctl -a.
func ReadSysctl(name, text string) (*Router, []error) {
	return pairs(name, text, func(r *Router, at place, key, value string) error {
		key = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(key, "-"), "/proc/sys/"), "/", ".")
		family, what, ok := strings.Cut(strings.TrimPrefix(key, "net."), ".")
		if !ok || family != "ipv4" && family != "ipv6" {
			return nil
		}
		switch what {
		case "fib_multipath_hash_policy":
			n, err := strconv.Atoi(value)
			if err != nil || n < PolicyL3 || n > PolicyCustom {
				return fmt.Errorf("%s is %q: valid are 0 (addresses), 1 (addresses and ports), 2 (addresses, inner ones if there are any) and 3 (fib_multipath_hash_fields)", key, value)
			}
			say(&r.Policy, n, at, family)
		case "fib_multipath_hash_fields":
			n, err := strconv.ParseUint(value, 0, 32)
			if err != nil {
				return fmt.Errorf("%s is %q: want a mask such as 0x37", key, value)
			}
			say(&r.Fields, uint32(n), at, family)
		}
		return nil
	})
}

// say notes a value: the last line of IPv4 counts, and one of IPv6 if there is none of IPv4.
func say[T any](s *Said[T], value T, at place, family string) {
	if family == "ipv4" || !s.Known() {
		*s = Said[T]{value, at.file, at.line}
	}
}

// ReadTraffic reads traffic.conf of Cumulus Linux: the seed of the hash and its fields. A line that is commented out says nothing.
func ReadTraffic(name, text string) (*Router, []error) {
	custom, port := false, Said[bool]{}
	out, errs := pairs(name, text, func(r *Router, at place, key, value string) error {
		switch key {
		case "ecmp_hash_seed":
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				return fmt.Errorf("ecmp_hash_seed is %q: want a number from 0 to 4294967295", value)
			}
			r.Seed = Said[uint32]{uint32(n), at.file, at.line}
		case "hash_config.enable":
			custom = value == "true"
		case "hash_config.sport":
			port = Said[bool]{value == "true", at.file, at.line}
		}
		return nil
	})
	if custom {
		out.Ports = port
	}
	return out, errs
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// pairs reads lines of key = value. Comments begin with # or ;.
func pairs(name, text string, take func(r *Router, at place, key, value string) error) (*Router, []error) {
	out := &Router{}
	var errs []error
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(value, "#")
		if err := take(out, place{name, i + 1}, strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, i+1, err))
		}
	}
	return out, errs
}
