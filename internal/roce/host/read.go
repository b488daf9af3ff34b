package host

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"weft/internal/base/cabling"
)

// Bounds of a host's files: the longest, ethtool -S of many queues, has some
// 10,000 lines.
const (
	maxBytes    = 8 << 20
	maxProblems = 50
)

// Error is a defect of a file, with its place.
type Error struct {
	Place
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Text
	}
	return e.Place.String() + ": " + e.Text
}

// Source is a file with its content. Name is its path, or its path below the host's folder.
type Source struct {
	Name, Text string
	Above      int // lines of the file above the text
	// Optional says that the file was found in a folder, not named by the user: without RoCE
	// settings it is skipped.
	Optional bool
}

// Read reads the files of one host. The error joins all defects, each an *Error. A file without
// RoCE settings is an error too unless it is Optional.
func Read(name string, files []Source) (*Host, error) {
	r := &reader{host: &Host{
		Name: name, Iface: "$IF", Params: map[string]Said[int64]{}, Counters: map[string]Said[int64]{},
		Env: map[string]Said[string]{}, First: map[string]Place{}, GIDs: map[int]GID{},
	}}
	for _, f := range files {
		r.file(f)
	}
	if len(files) == 0 {
		r.problems = append(r.problems, &Error{Place{File: name}, "there is no file: expected the output of mlnx_qos, ethtool, listings of sysfs, an environment of NCCL"})
	}
	return r.host, errors.Join(r.problems...)
}

// reader is at a line of a file.
type reader struct {
	host     *Host
	at       Place
	lines    []string
	above    int // lines of the file above them
	problems []error
	// over says that a value replaces the known one: of a fix. In a script a value replaces those of
	// its own file.
	over, scripted bool
}

func (r *reader) fail(format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, &Error{r.at, fmt.Sprintf(format, args...)})
	}
}

// rest yields the remaining lines that are not blank, without surrounding blanks.
func (r *reader) rest() iter.Seq[string] {
	return func(yield func(string) bool) {
		for r.at.Line-r.above < len(r.lines) {
			text := strings.TrimSpace(r.lines[r.at.Line-r.above])
			r.at.Line++
			if text != "" && !yield(text) {
				return
			}
		}
	}
}

// kinds are the known kinds of files, each with a text that only this kind contains.
var kinds = []struct {
	mark string
	read func(*reader)
}{
	{"PFC configuration:", (*reader).mlnxQoS},
	{"Priority trust state:", (*reader).mlnxQoS},
	{"DCBX mode:", (*reader).mlnxQoS},
	{"Pause parameters for ", (*reader).ethtoolPause},
	{"NIC statistics:", (*reader).ethtoolCounters},
	{"Settings for ", (*reader).ethtoolSettings},
	{"/ecn/roce_", (*reader).listing},
	{"/traffic_class:", (*reader).listing},
	{"/default_roce_tos:", (*reader).listing},
	{"/default_roce_mode:", (*reader).listing},
	{"/hw_counters/", (*reader).listing},
	{"/gid_attrs/types/", (*reader).listing},
	{"DEV PORT INDEX", (*reader).showGIDs},
	{linkMark, (*reader).ipLink},
}

// linkMark is the mark of ip link, so short that environments come before it.
const linkMark = ": <"

// blanks are what stands between two words of a line: programs write tabs, and terminals give back
// blanks.
var blanks = regexp.MustCompile(`[ \t]+`)

func (r *reader) file(f Source) {
	r.at, r.lines, r.above = Place{File: f.Name, Line: f.Above}, nil, f.Above
	if len(f.Text) > maxBytes {
		r.fail("more than %d MiB: no listing of a host is that long", maxBytes>>20)
		return
	}
	r.lines = strings.Split(f.Text, "\n")
	if path, ok := attribute(f.Name); ok {
		r.at.Line = 1
		r.set(path, strings.TrimSpace(f.Text))
		return
	}
	if strings.Contains(strings.ToLower(f.Name), "cma_roce_tos") {
		r.at.Line = 1
		r.tos(strings.TrimSpace(f.Text))
		return
	}
	if strings.HasPrefix(f.Text, "#!") {
		r.scripted = true
		r.script()
		r.scripted = false
		return
	}
	if r.outputs(f) || r.listed(f.Text) || r.environment() {
		return
	}
	r.at.Line = 0
	if f.Optional {
		r.host.Skipped = append(r.host.Skipped, f.Name)
		return
	}
	r.fail("no known RoCE setting in it: expected the output of mlnx_qos -i, ethtool (-a, -S), ip link, grep -r . /sys/class/net/…/ecn, cma_roce_tos, show_gids, a script of such commands, or an environment with NCCL_…, UCX_… or NVSHMEM_… (lines of NAME=value, mpirun -x NAME=value, or NCCL's log)")
}

// outputs reads a file that holds the outputs of several commands, or one behind a prompt. It is false if none is of a known kind,
// or if the one is the whole file.
func (r *reader) outputs(f Source) bool {
	all := cabling.Outputs(f.Text)
	known, prompted := 0, false
	for _, o := range all {
		prompted = prompted || o.Device != ""
		if kindOf(o.Text) != nil {
			known++
		}
	}
	if known == 0 || known == 1 && !prompted {
		return false
	}
	for _, o := range all {
		above := o.Line
		if _, _, prompt := cabling.Prompt(firstLine(o.Text)); prompt {
			o.Text = o.Text[min(len(o.Text), len(firstLine(o.Text))+1):]
			above++
		}
		r.above = f.Above + above
		r.at.Line, r.lines = r.above, strings.Split(o.Text, "\n")
		if !r.listed(o.Text) && !r.environment() && strings.TrimSpace(o.Text) != "" {
			r.host.Skipped = append(r.host.Skipped, Place{File: f.Name, Line: r.above}.String())
		}
	}
	return true
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// kindOf is the reader of a text; nil if no kind is known by its marks.
func kindOf(text string) func(*reader) {
	text = blanks.ReplaceAllString(text, " ")
	for _, k := range kinds {
		if strings.Contains(text, k.mark) && !(k.mark == linkMark && programIn(text)) {
			return k.read
		}
	}
	return nil
}

// listed reads the output of one command.
func (r *reader) listed(text string) bool {
	read := kindOf(text)
	if read != nil {
		read(r)
	}
	return read != nil
}

// say stores a value with its place. Two files with different values are an error: they describe
// different interfaces.
func say[T any](r *reader, to *Said[T], what string, v T) {
	same := r.scripted && to.At.File == r.at.File
	if !r.over && !same && to.Known() && fmt.Sprint(to.Value) != fmt.Sprint(v) {
		r.fail("%s is %v, and %s says %v: give each interface a folder of its own", what, v, to.At, to.Value)
		return
	}
	*to = Said[T]{v, r.at}
}
