package metrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/base/wording"
)

// maxFile bounds a file: a day of a thousand hosts has some 100 MB.
const maxFile = 1 << 30

// maxLine bounds a line of text; NCCL Inspector's verbose objects have some kilobytes.
const maxLine = 1 << 20

// Read adds a file: an answer of Prometheus's HTTP API, NCCL Inspector's JSON, or a text dump in Prometheus's
// or OpenMetrics' format. The beginning of the file tells which. A file that is cut is read up to its end, and
// Notes says so.
func (d *Data) Read(name string, from io.Reader) error {
	limited := &io.LimitedReader{R: from, N: maxFile + 1}
	in := bufio.NewReaderSize(limited, 1<<16)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	c, err := in.ReadByte()
	for ; err == nil && strings.IndexByte(" \t\r\n", c) >= 0; c, err = in.ReadByte() {
	}
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: the file is empty", name)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	_ = in.UnreadByte()
	before := len(d.Series)
	head, _ := in.Peek(4096)
	switch {
	case head[0] != '{':
		err = d.readText(name, in)
	case bytes.Contains(head, []byte(`"header"`)) || bytes.Contains(head, []byte(`"coll_perf"`)):
		err = d.readInspector(name, in)
	default:
		err = d.ReadAnswer(name, in)
	}
	d.sorted()
	switch {
	case err != nil:
		return err
	case limited.N == 0:
		return fmt.Errorf("%s: the file is longer than %d bytes: choose a shorter range", name, maxFile)
	case len(d.Series) == before && d.Invalid == 0:
		return fmt.Errorf("%s: no metric of the table of docs/METRICS.md is in it (%d values of others%s): want node_infiniband_*, node_ethtool_*, infiniband_switch_port_*, DCGM_FI_*, nccl_*, or NCCL Inspector's JSON", name, d.Others, suchAs(d.Unknown))
	}
	return nil
}

func suchAs(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", such as " + names[0]
}

// readText reads a text dump. In OpenMetrics, whose dump ends with # EOF, times are seconds; in Prometheus's
// format milliseconds. Both are told apart by their size: milliseconds since 1970 have 13 digits.
func (d *Data) readText(name string, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	number, bad, ended := 0, "", false
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if bad != "" {
			return errors.New(bad) // not the last line
		}
		switch {
		case line == "# EOF":
			ended = true
			continue
		case line == "" || line[0] == '#':
			continue
		case line[0] == '{': // a name in quotes, with other signs than a name of the table has
			d.Others++
			continue
		case ended:
			ended = false // several dumps in a row
		}
		metric, labels, at, value, err := parseSample(line)
		if err != nil {
			bad = fmt.Sprintf("%s:%d: %v: want name{label=\"value\"} value [time]", name, number, err)
			continue
		}
		if err := d.add(metric, labels, at, value); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	if bad != "" {
		if number == 1 {
			return errors.New(bad)
		}
		d.Notes = append(d.Notes, bad+"; the file is cut, and its last line is left out")
	}
	return nil
}

// parseSample parses a line of a sample; an exemplar behind it is left out.
func parseSample(line string) (name string, labels map[string]string, at, value float64, err error) {
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 {
		return "", nil, 0, 0, fmt.Errorf("%q is no sample", wording.Abridged(line, 40))
	}
	name, line = line[:end], line[end:]
	if line[0] == '{' {
		if labels, line, err = parseLabels(line[1:]); err != nil {
			return "", nil, 0, 0, err
		}
	}
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return "", nil, 0, 0, errors.New("there is no value")
	}
	if value, err = strconv.ParseFloat(fields[0], 64); err != nil {
		return "", nil, 0, 0, fmt.Errorf("%q is no number", wording.Abridged(fields[0], 40))
	}
	if len(fields) > 1 && fields[1] != "#" {
		if at, err = strconv.ParseFloat(fields[1], 64); err != nil || !(at >= 0 && at < 1e15) {
			return "", nil, 0, 0, fmt.Errorf("%q is no time", wording.Abridged(fields[1], 40))
		}
		if at > 1e11 {
			at /= 1000
		}
	}
	return name, labels, at, value, nil
}

// parseLabels parses labels behind their brace, and returns the rest of the line.
func parseLabels(s string) (labels map[string]string, rest string, err error) {
	labels = make(map[string]string)
	for {
		s = strings.TrimLeft(s, " \t,")
		if s != "" && s[0] == '}' {
			return labels, s[1:], nil
		}
		name, after, found := strings.Cut(s, "=")
		after = strings.TrimLeft(after, " \t")
		if !found || after == "" || after[0] != '"' {
			return nil, "", fmt.Errorf("labels end at %q", wording.Abridged(s, 40))
		}
		var value strings.Builder
		i := 1
		for ; i < len(after) && after[i] != '"'; i++ {
			c := after[i]
			if c == '\\' && i+1 < len(after) {
				i++
				if c = after[i]; c == 'n' {
					c = '\n'
				}
			}
			value.WriteByte(c)
		}
		if i >= len(after) {
			return nil, "", fmt.Errorf("the value of label %q has no end", wording.Abridged(name, 40))
		}
		labels[strings.TrimSpace(name)], s = value.String(), after[i+1:]
	}
}
