package host

import (
	"strconv"
	"strings"
)

// nccl reads an environment: lines of NAME=value, as printed by env, exported by a shell or written
// in nccl.conf. Other names than NCCL's are ignored.
func (r *reader) nccl() {
	for line := range r.rest() {
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
		if !r.inRange(name, value) {
			continue
		}
		had := r.host.NCCL[name]
		say(r, &had, name, value)
		r.host.NCCL[name] = had
	}
}

// number is a setting of NCCL as a number; ok is false if it is missing or not a number.
func (h *Host) number(name string) (v Said[int64], ok bool) {
	s, ok := h.NCCL[name]
	if !ok {
		return v, false
	}
	n, err := strconv.ParseInt(s.Value, 0, 64)
	return Said[int64]{n, s.At}, err == nil
}

// ncclRanges are the valid ranges of settings of NCCL's InfiniBand transport: the width of the
// verbs' fields (sl 4 bits, timeout 5, retry_cnt 3), and NCCL's documented ranges for the others.
var ncclRanges = map[string]struct{ least, most int64 }{
	"NCCL_IB_SL":                   {0, 15},
	"NCCL_IB_TIMEOUT":              {0, 31},
	"NCCL_IB_RETRY_CNT":            {0, 7},
	"NCCL_IB_QPS_PER_CONNECTION":   {1, 128},
	"NCCL_IB_SPLIT_DATA_ON_QPS":    {0, 1},
	"NCCL_IB_GID_INDEX":            {-1, 255},
	"NCCL_IB_ADAPTIVE_ROUTING":     {0, 1},
	"NCCL_IB_ROCE_VERSION_NUM":     {1, 2},
	"NCCL_IB_PCI_RELAXED_ORDERING": {0, 2},
}

// inRange reports whether a value is valid for a setting, and notes an error if it is not.
func (r *reader) inRange(name, value string) bool {
	if name == "NCCL_IB_TC" {
		_, ok := r.trafficClass(value)
		return ok
	}
	valid, known := ncclRanges[name]
	if !known {
		return true
	}
	n, err := strconv.ParseInt(value, 0, 64)
	if err != nil || n < valid.least || n > valid.most {
		r.fail("%s is %q: valid is a whole number from %d to %d", name, value, valid.least, valid.most)
		return false
	}
	return true
}
