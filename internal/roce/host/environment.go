package host

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Program is a library that sends RDMA traffic and takes its settings from the environment.
type Program struct {
	Name, prefix string
	// TC, GID and Version are the variables of its traffic class, of its index in the table of GIDs
	// and of its version of RoCE; "": it has none.
	TC, GID, Version string
	// Control is the variable of the traffic class of the messages that only announce data; "": they
	// have the class of the data.
	Control string
	// unset is the traffic class that it takes if TC is not set.
	unset int
}

// programs are the known ones. NCCL and NVSHMEM leave the traffic class 0; UCX takes 106 with RoCE
// v2 (ucx, uct_ib_iface.c, UCT_IB_DEFAULT_ROCEV2_DSCP). NCCL may
// have a class of its own for the clear-to-send messages of its receivers (nccl,
// transport/net_ib/connect.cc, IbFifoTc).
var programs = []Program{
	{"NCCL", "NCCL_", "NCCL_IB_TC", "NCCL_IB_GID_INDEX", "NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_FIFO_TC", 0},
	{"UCX", "UCX_", "UCX_IB_TRAFFIC_CLASS", "UCX_IB_GID_INDEX", "", "", 106},
	{"NVSHMEM", "NVSHMEM_", "NVSHMEM_IB_TRAFFIC_CLASS", "NVSHMEM_IB_GID_INDEX", "", "", 0},
}

// programOf is the program that a variable belongs to, nil for none.
func programOf(name string) *Program {
	for i := range programs {
		if strings.HasPrefix(name, programs[i].prefix) {
			return &programs[i]
		}
	}
	return nil
}

// mentioned is a variable of a program.
var mentioned = regexp.MustCompile(`\b(?:NCCL|UCX|NVSHMEM)_\w+`)

// logged is the line in which NCCL says what it takes from the environment, of numbers with a full
// stop (nccl, misc/param.cc).
var logged = regexp.MustCompile(`\b(NCCL_\w+) set by environment to (.*?)\.?$`)

// programIn reports whether a text has a variable of a program.
func programIn(text string) bool { return mentioned.MatchString(text) }

// environment reads lines of NAME=value, as printed by env, exported by a shell or written in
// nccl.conf; the variables of a command line, such as mpirun -x NAME=value; and NCCL's log. Other
// names than those of Programs are ignored. It reports false if no line is of such a form. Lines of
// another form that have a variable of Programs are listed in Skipped.
func (r *reader) environment() (taken bool) {
	vars := shell{}
	var unread []Place
	for line := range r.rest() {
		took := r.environmentLine(vars, strings.TrimPrefix(line, "export "))
		taken = taken || took
		if name := mentioned.FindString(line); !took && chooses(name) && !strings.HasPrefix(line, "#") {
			unread = append(unread, r.at)
		}
	}
	if taken {
		for _, r.at = range unread {
			r.skip()
		}
	}
	return taken
}

// environmentLine takes the variables of a line; it reports false if there are none.
func (r *reader) environmentLine(vars shell, line string) bool {
	if m := logged.FindStringSubmatch(line); m != nil {
		r.variable(m[1], m[2])
		return true
	}
	name, value, ok := strings.Cut(line, "=")
	switch {
	case programOf(name) == nil:
	case !ok || !wholeName.MatchString(name):
		r.fail("%q is no setting: expected NAME=value", line)
		return true
	case !strings.ContainsAny(value, " \t"):
		r.variable(name, value)
		return true
	}
	took := false
	for _, words := range commands(line) {
		_, known := r.assigned(vars, words)
		took = took || known
	}
	return took
}

// chooses reports whether a variable chooses the class or the GID of a program's traffic.
func chooses(name string) bool {
	return name != "" && slices.ContainsFunc(programs, func(p Program) bool {
		return slices.Contains([]string{p.TC, p.Control, p.GID, p.Version}, name)
	})
}

// variable takes a setting of a program.
func (r *reader) variable(name, value string) {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	if r.host.First[programOf(name).Name].Line == 0 {
		r.host.First[programOf(name).Name] = r.at
	}
	had := r.host.Env[name]
	if unknown(value) {
		r.skip()
		if !had.Known() && name == programOf(name).TC {
			r.host.Env[name] = Said[string]{value, r.at} // it is set, and to what is not known
		}
		return
	}
	if !r.inRange(name, value) {
		return
	}
	if unknown(had.Value) {
		had = Said[string]{}
	}
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
	for _, p := range programs {
		if (name == p.TC || name == p.Control) && value != "auto" {
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
