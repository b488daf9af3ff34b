package logfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ncclSaid collects NCCL's messages under NCCL_DEBUG=INFO, and error messages of the programs
// around it: facts that a table does not have.
type ncclSaid struct {
	b               *builder
	sends, receives via
}

var (
	ncclVersion = regexp.MustCompile(`\bNCCL version:? (\d+\.\d+[^\s,;]*)`)
	listVersion = regexp.MustCompile(`\bnccl ?[=:] ?v?\(?(\d+)[., ]+(\d+)(?:[., ]+(\d+))?`) // all_reduce_bench.py, torch.cuda.nccl.version()
	testVersion = regexp.MustCompile(`nccl-library=(\d{1,9})\b`)
	ncclRanks   = regexp.MustCompile(`n[rR]anks (\d{1,9})\b`)
	ncclDevices = regexp.MustCompile(`NET/\w+ ?: Using (\[\d+\].*)`)
	ncclDevice  = regexp.MustCompile(`\[\d+\]([^\s:;]+:\d+)/(IB|RoCE)`)
	// ncclInterface matches an interface of NET/Socket's list: [0]eth0:10.0.0.1<0>, [1]eth1:10.0.1.1<0>.
	ncclInterface = regexp.MustCompile(`\[\d+\]([^\s:;\[\]]+):[^\s\[]*<\d+>`)
	ncclVia       = regexp.MustCompile(`\[(send|receive)\] via NET/(\w+)/\S*`)
	ncclForced    = regexp.MustCompile(`(NCCL_\w+) (?:set by environment|set|was set) to (.*)`) // NCCL_IB_HCA set to: src/transport/net_ib/init.cc
)

// endings are the messages of a failed run.
var endings = []string{"NCCL WARN ", "Test NCCL failure", "CANCELLED AT ", "DUE TO TIME LIMIT", "Segmentation fault", "out of memory"}

// warning is the message of a failure in a line, "" if there is none.
func warning(text string) string {
	for _, e := range endings {
		if i := strings.Index(text, e); i >= 0 {
			return abridged(strings.TrimPrefix(text[i:], "NCCL WARN "))
		}
	}
	return ""
}

// abridged is a text shortened for an error.
func abridged(text string) string {
	const most = 120
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strings.TrimSpace(text)
}

func (r *ncclSaid) line(n int, text string) {
	s := &r.b.Said
	if w := warning(text); w != "" && len(s.Warnings) < maxNotes {
		s.Warnings = append(s.Warnings, Note{Line: n, Text: w})
	}
	if strings.Contains(text, "nccl") {
		if m := testVersion.FindStringSubmatch(text); m != nil {
			code, _ := strconv.Atoi(m[1]) // NCCL_VERSION_CODE, nccl.h
			r.b.library = fmt.Sprintf("%d.%d.%d", code/10000, code/100%100, code%100)
			r.version(n, r.b.library)
		} else if m := listVersion.FindStringSubmatch(text); m != nil {
			r.version(n, strings.TrimSuffix(m[1]+"."+m[2]+"."+m[3], "."))
		}
	}
	if !strings.Contains(text, "NCCL") {
		return
	}
	find := func(word string, in *regexp.Regexp) []string { // most lines of a large log have none of the words
		if !strings.Contains(text, word) {
			return nil
		}
		return in.FindStringSubmatch(text)
	}
	if m := find("version", ncclVersion); m != nil {
		r.version(n, m[1])
	}
	if m := find("anks ", ncclRanks); m != nil {
		ranks, _ := strconv.Atoi(m[1])
		s.Ranks = max(s.Ranks, ranks)
	}
	if m := find("Using [", ncclDevices); m != nil {
		r.devices(m[1])
		if strings.Contains(m[0], "NET/Socket") {
			r.interfaces(m[1])
		}
	}
	if m := find("via NET/", ncclVia); m != nil {
		r.connected(m[1] == "send", m[2], strings.Contains(m[0], "GDRDMA"))
	}
	if m := find("set", ncclForced); len(m) == 3 {
		r.b.setting(n, m[1], strings.Trim(abridged(m[2]), " ."), m[0])
	}
}

// via counts connections between nodes, at one of their ends.
type via struct{ direct, bounced, sockets int }

// connected counts a connection. Each is printed at both ends, if both are in the log; so the end with more counts.
func (r *ncclSaid) connected(sends bool, transport string, direct bool) {
	end := &r.receives
	if sends {
		end = &r.sends
	}
	switch {
	case transport == "Socket":
		end.sockets++
	case direct:
		end.direct++
	default:
		end.bounced++
	}
	s := &r.b.Said
	s.Direct, s.Bounced, s.Sockets = max(r.sends.direct, r.receives.direct), max(r.sends.bounced, r.receives.bounced), max(r.sends.sockets, r.receives.sockets)
}

// version keeps the first version, and notes another one: nodes or runs differ.
func (r *ncclSaid) version(n int, version string) {
	s := &r.b.Said
	if s.Version == "" {
		s.Version = version
	}
	if first, other := release(s.Version), release(version); first != other {
		r.b.note(n, "NCCL is %s here, and %s above: the runs or the nodes differ", other, first)
	}
}

// release is a version without its build: 2.28.3 of 2.28.3+cuda12.9.
func release(version string) string {
	of, _, _ := strings.Cut(version, "+")
	of, _, _ = strings.Cut(of, "-")
	return of
}

// devices keeps the longest list of network devices found by any process.
func (r *ncclSaid) devices(text string) {
	var names []string
	for _, m := range ncclDevice.FindAllStringSubmatch(text, maxNames) {
		names = append(names, m[1])
		r.b.Said.Link = m[2]
	}
	if len(names) > len(r.b.Said.Devices) {
		r.b.Said.Devices = names
	}
}

// interfaces keeps the longest list of interfaces of sockets found by any process.
func (r *ncclSaid) interfaces(text string) {
	var names []string
	for _, m := range ncclInterface.FindAllStringSubmatch(text, maxNames) {
		names = append(names, m[1])
	}
	if len(names) > len(r.b.Said.Interfaces) {
		r.b.Said.Interfaces = names
	}
}

func (r *ncclSaid) end(bool) {}
