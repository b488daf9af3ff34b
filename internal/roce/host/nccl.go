package host

import (
	"strconv"
	"strings"
)

// nccl reads an environment: lines of NAME=value, as env prints them, a shell
// exports them or nccl.conf has them. Other names than NCCL's are passed over.
func (r *reader) nccl() {
	for {
		line, ok := r.next()
		if !ok {
			return
		}
		line = strings.TrimPrefix(line, "export ")
		name, value, ok := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "NCCL_") {
			continue
		}
		if !ok || strings.ContainsAny(name, " \t") {
			r.fail("%q is no setting: expected NAME=value", line)
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if r.host.NCCLFile.Line == 0 {
			r.host.NCCLFile = r.at
		}
		if name == "NCCL_IB_TC" {
			if _, ok := r.trafficClass(value); !ok {
				continue
			}
		}
		had := r.host.NCCL[name]
		say(r, &had, name, value)
		r.host.NCCL[name] = had
	}
}

// number is a setting of NCCL as a number; ok is false where it is not there
// or is none.
func (h *Host) number(name string) (v Said[int64], ok bool) {
	s, ok := h.NCCL[name]
	if !ok {
		return v, false
	}
	n, err := strconv.ParseInt(s.Value, 0, 64)
	return Said[int64]{n, s.At}, err == nil
}
