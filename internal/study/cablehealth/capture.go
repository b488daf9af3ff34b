package cablehealth

import (
	"slices"
	"sort"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	roce "weft/internal/roce/counters"
)

// part is what one command printed: a file, or a part of one that holds several outputs.
type part struct {
	Source
	file    int // of the sources
	above   int // lines of the file above it
	end     int // its last line
	device  string
	command string
	dated   bool              // the file has a date
	reader  *portstate.Reader // nil if no reader knows it
}

// ethernet reports whether the reader is one of Ethernet's, whose outputs do not name their device.
func (p *part) ethernet() bool {
	return p.reader != nil && slices.ContainsFunc(roce.Readers, func(r portstate.Reader) bool { return r.Name == p.reader.Name })
}

// partsOf cuts a file at its prompts, and where the output of another tool begins. A file of one kind stays whole.
func partsOf(file int, s Source) []part {
	whole := part{Source: s, file: file, reader: readerOf(s.Text)}
	if len(s.Text) > portstate.MaxFile {
		return []part{whole}
	}
	whole.dated = portstate.HasDate(s.Text)
	var all []part
	kinds := map[string]bool{}
	for _, o := range cabling.Outputs(s.Text) {
		p := part{Source{s.Name, o.Text}, file, o.Line, 0, o.Device, o.Command, whole.dated, readerOf(o.Text)}
		if whole.device == "" {
			whole.device = o.Device
		}
		texts := []string{o.Text}
		if p.ethernet() {
			texts = divide(o.Text)
		}
		for _, p.Text = range texts {
			if p.reader = readerOf(p.Text); p.reader != nil {
				kinds[p.reader.Name+" of "+p.device] = true
			}
			p.end = p.above + strings.Count(p.Text, "\n")
			all = append(all, p)
			p.above = p.end
		}
	}
	left := slices.ContainsFunc(all, func(p part) bool { return p.reader == nil })
	if len(kinds) > 1 || len(kinds) == 1 && whole.device != "" && left {
		return all
	}
	return []part{whole}
}

// readerOf is the first reader that knows a text.
func readerOf(text string) *portstate.Reader {
	if len(text) > portstate.MaxFile {
		return nil
	}
	if i := slices.IndexFunc(readers, func(r portstate.Reader) bool { return r.Is(text) }); i >= 0 {
		return &readers[i]
	}
	return nil
}

// window is how much of a text is looked at to find the begin of another tool's output.
const window = 64 << 10

// divide cuts a text without prompts where the output of another tool of Ethernet begins, as in files put one behind the
// other.
func divide(text string) (parts []string) {
	if t := strings.TrimLeft(text, " \t\r\n\ufeff"); t == "" || t[0] == '{' || t[0] == '[' {
		return []string{text}
	}
	kind, begin := "", 0
	for at := 0; at < len(text); {
		end := min(at+window, len(text))
		if line := strings.LastIndexByte(text[at:end], '\n'); end < len(text) && line > window/2 {
			end = at + line + 1
		}
		next, found := nextKind(text[at:end], kind)
		switch {
		case found == "":
			at = end
			continue
		case kind != "":
			parts = append(parts, text[begin:at+next])
			begin = at + next
		}
		kind, at = found, at+next
	}
	return append(parts, text[begin:])
}

// nextKind is where the first output of another kind begins in a text, and its kind; "" without.
func nextKind(text, kind string) (at int, found string) {
	at = len(text)
	for _, r := range roce.Readers {
		if r.Name == kind || !r.Is(text) {
			continue
		}
		lines := strings.SplitAfter(text, "\n")
		ends := make([]int, len(lines))
		for i, n := 0, 0; i < len(lines); i++ {
			n += len(lines[i])
			ends[i] = n
		}
		i := sort.Search(len(ends), func(i int) bool { return r.Is(text[:ends[i]]) })
		if i > 0 && i < len(lines) && strings.Trim(lines[i], "- \r\n") == "" {
			i-- // the heading is above its dashes
		}
		if i < len(lines) && ends[i]-len(lines[i]) < at {
			at, found = ends[i]-len(lines[i]), r.Name
		}
	}
	return at, found
}
