package host

import (
	"strconv"
	"strings"
)

// Program is a library that sends RDMA traffic and takes its settings from the environment.
type Program struct {
	Name, prefix string
	// TC, GID and Version are the variables of its traffic class, of its index in the table of GIDs
	// and of its version of RoCE; "": it has none.
	TC, GID, Version string
	// unset is the traffic class that it takes if TC is not set.
	unset int
}

// Programs are the known ones. NCCL and NVSHMEM leave the traffic class 0; UCX takes 106 with RoCE
// v2 (ucx, uct_ib_iface.c, UCT_IB_DEFAULT_ROCEV2_DSCP).
var Programs = []Program{
	{"NCCL", "NCCL_", "NCCL_IB_TC", "NCCL_IB_GID_INDEX", "NCCL_IB_ROCE_VERSION_NUM", 0},
	{"UCX", "UCX_", "UCX_IB_TRAFFIC_CLASS", "UCX_IB_GID_INDEX", "", 106},
	{"NVSHMEM", "NVSHMEM_", "NVSHMEM_IB_TRAFFIC_CLASS", "NVSHMEM_IB_GID_INDEX", "", 0},
}

// programOf is the program that a variable belongs to, nil for none.
func programOf(name string) *Program {
	for i := range Programs {
		if strings.HasPrefix(name, Programs[i].prefix) {
			return &Programs[i]
		}
	}
	return nil
}

// environment reads lines of NAME=value, as printed by env, exported by a shell or written in
// nccl.conf. Other names than those of Programs are ignored.
func (r *reader) environment() {
	for line := range r.rest() {
		line = strings.TrimPrefix(line, "export ")
		name, value, ok := strings.Cut(line, "=")
		if programOf(name) == nil {
			continue
		}
		if !ok || strings.ContainsAny(name, " \t") {
			r.fail("%q is no setting: expected NAME=value", line)
			continue
		}
		r.variable(name, value)
	}
}

// variable takes a setting of a program.
func (r *reader) variable(name, value string) {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	if r.host.First[programOf(name).Name].Line == 0 {
		r.host.First[programOf(name).Name] = r.at
	}
	if unknown(value) {
		r.skip()
		return
	}
	if !r.inRange(name, value) {
		return
	}
	had := r.host.Env[name]
	say(r, &had, name, value)
	r.host.Env[name] = had
}

// Number is a variable as a number; ok is false if it is missing or not a number, such as auto.
func (h *Host) Number(name string) (v Said[int64], ok bool) {
	s, ok := h.Env[name]
	if !ok {
		return v, false
	}
	n, err := strconv.ParseInt(s.Value, 0, 64)
	return Said[int64]{n, s.At}, err == nil
}

// ranges are the valid ranges of settings: the width of the verbs' fields (sl 4 bits, timeout 5,
// retry_cnt 3), and NCCL's documented ranges for the others.
var ranges = map[string]struct{ least, most int64 }{
	"NCCL_IB_SL":                   {0, 15},
	"NCCL_IB_TIMEOUT":              {0, 31},
	"NCCL_IB_RETRY_CNT":            {0, 7},
	"NCCL_IB_QPS_PER_CONNECTION":   {1, 128},
	"NCCL_IB_SPLIT_DATA_ON_QPS":    {0, 1},
	"NCCL_IB_GID_INDEX":            {-1, 255},
	"NCCL_IB_ADAPTIVE_ROUTING":     {0, 1},
	"NCCL_IB_ROCE_VERSION_NUM":     {1, 2},
	"NCCL_IB_PCI_RELAXED_ORDERING": {0, 2},
	"NVSHMEM_IB_GID_INDEX":         {-1, 255},
}

// inRange reports whether a value is valid for a setting, and notes an error if it is not.
func (r *reader) inRange(name, value string) bool {
	for _, p := range Programs {
		if name == p.TC && value != "auto" {
			// Without a class of its own NCCL leaves the field as it is (-1).
			_, ok := r.trafficClass(value, -1)
			return ok
		}
	}
	valid, known := ranges[name]
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
