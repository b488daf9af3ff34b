package requests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"weft/internal/formats/source"
	"weft/units"
)

// Trace is the requests of a file, in the order of their times.
type Trace struct {
	Format   string // for people
	Requests []Request
	// Gap is the longest time without a request, and GapAfter the number of the request before it, from 1.
	Gap      units.Time
	GapAfter int
	More     bool // the file has further requests, which were not read
}

// Request is a request of a trace.
type Request struct {
	At     units.Time // since the first
	Prompt int        // tokens
	Output int        // tokens
	// Blocks name the blocks of BlockTokens of the prompt; nil if the trace has none.
	Blocks []int64
}

// BlockTokens is the number of tokens of a block in Mooncake's traces.
const BlockTokens = 512

// Read reads the first requests of a trace in one of the formats, at most a number of them; file is its
// display name.
func Read(file string, in io.Reader, most int) (*Trace, *source.Problem) {
	r := &reader{lines: source.NewLines(file, in), trace: &Trace{}}
	ok, p := r.lines.Next()
	if p != nil {
		return nil, p
	}
	first := strings.TrimSpace(strings.TrimPrefix(r.lines.Text, "\ufeff"))
	switch {
	case ok && strings.HasPrefix(first, "{"):
		r.trace.Format, r.line = "Mooncake's trace", r.mooncake
		p = r.line(first)
	case ok && strings.EqualFold(first, azureNames):
		r.trace.Format, r.line = "Azure's trace", r.azure
	default:
		return nil, r.lines.Problem(first, "a trace of Azure, which begins with "+azureNames+", or of Mooncake, with an object on each line")
	}
	for p == nil {
		if ok, p = r.lines.Next(); !ok || p != nil {
			break
		}
		text := strings.TrimSpace(r.lines.Text)
		if text == "" {
			continue
		}
		if r.trace.More = len(r.trace.Requests) >= most; r.trace.More {
			break
		}
		p = r.line(text)
	}
	if p == nil && len(r.trace.Requests) < 2 {
		p = &source.Problem{File: file, Want: "two or more requests"}
	}
	if p != nil {
		return nil, p
	}
	return r.trace, nil
}

// reader is the state of Read.
type reader struct {
	lines *source.Lines
	trace *Trace
	line  func(text string) *source.Problem
	start time.Time  // of Azure's first request
	first units.Time // of Mooncake's first request
}

// add adds a request to the trace. text is its time as the file has it.
func (r *reader) add(q Request, text string) *source.Problem {
	n := len(r.trace.Requests)
	switch {
	case q.Prompt < 1 || q.Prompt > maxTokens:
		return r.lines.Problem(strconv.Itoa(q.Prompt), fmt.Sprintf("a prompt of 1 to %d tokens", maxTokens))
	case q.Output < 1 || q.Output > maxTokens:
		return r.lines.Problem(strconv.Itoa(q.Output), fmt.Sprintf("an answer of 1 to %d tokens", maxTokens))
	case q.At < 0 || n > 0 && q.At < r.trace.Requests[n-1].At:
		return r.lines.Problem(text, "a time no earlier than the request's before")
	}
	if n > 0 {
		if gap := q.At - r.trace.Requests[n-1].At; gap > r.trace.Gap {
			r.trace.Gap, r.trace.GapAfter = gap, n
		}
	}
	r.trace.Requests = append(r.trace.Requests, q)
	return nil
}

// azureNames is the first line of Azure's traces.
const azureNames = "TIMESTAMP,ContextTokens,GeneratedTokens"

// azureTimes are the forms of Azure's times; Go reads digits of a second after each of them.
var azureTimes = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z07:00"}

func (r *reader) azure(text string) *source.Problem {
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return r.lines.Problem(text, "three fields: "+azureNames)
	}
	var at time.Time
	err := fmt.Errorf("no form fits")
	for _, form := range azureTimes {
		if err != nil {
			at, err = time.Parse(form, strings.TrimSpace(fields[0]))
		}
	}
	if err != nil {
		return r.lines.Problem(fields[0], "a time such as 2023-11-16 18:17:03.9799600")
	}
	if len(r.trace.Requests) == 0 {
		r.start = at
	}
	since := at.Sub(r.start) // saturates far beyond maxSpan
	if since.Seconds() > maxSpan {
		return r.lines.Problem(fields[0], fmt.Sprintf("a time at most %d days after the first", maxSpan/86400))
	}
	q := Request{At: units.Time(max(since, -1)) * units.Nanosecond}
	for i, to := range []*int{&q.Prompt, &q.Output} {
		if *to, err = strconv.Atoi(strings.TrimSpace(fields[i+1])); err != nil {
			return r.lines.Problem(fields[i+1], "a number of tokens")
		}
	}
	return r.add(q, fields[0])
}

// mooncakeLine is a line of Mooncake's traces. Other fields are ignored, as its readers do.
type mooncakeLine struct {
	Timestamp *json.Number `json:"timestamp"`
	Input     *int         `json:"input_length"`
	Output    *int         `json:"output_length"`
	Hashes    []int64      `json:"hash_ids"`
}

func (r *reader) mooncake(text string) *source.Problem {
	var l mooncakeLine
	err := json.Unmarshal([]byte(text), &l)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return r.lines.Problem(text, fmt.Sprintf("whole numbers in timestamp, input_length and output_length, and a list of them in hash_ids: %s is a %s", wrong.Field, wrong.Value))
	}
	if err != nil {
		return r.lines.Problem(text, "an object of JSON with timestamp, input_length and output_length: "+err.Error())
	}
	if l.Timestamp == nil || l.Input == nil || l.Output == nil {
		return r.lines.Problem(text, "the fields timestamp, input_length and output_length")
	}
	ms, err := l.Timestamp.Float64()
	if err != nil || ms < 0 || ms > maxSpan*1000 {
		return r.lines.Problem(l.Timestamp.String(), fmt.Sprintf("a time of 0 to %d milliseconds", maxSpan*1000))
	}
	at := units.Time(ms * float64(units.Millisecond))
	if len(r.trace.Requests) == 0 {
		r.first = at
	}
	if most := (int64(*l.Input) + BlockTokens - 1) / BlockTokens; *l.Input > 0 && int64(len(l.Hashes)) > most {
		return r.lines.Problem(strconv.Itoa(len(l.Hashes)), fmt.Sprintf("at most %d hash_ids, of blocks of %d tokens", most, BlockTokens))
	}
	return r.add(Request{At: at - r.first, Prompt: *l.Input, Output: *l.Output, Blocks: l.Hashes}, l.Timestamp.String())
}

// Hits are the tokens of each request's prompt that an earlier request had: the blocks from its beginning
// that occurred before, in a memory without bound that all share. A request without blocks has none.
func (t *Trace) Hits() []int {
	seen := make(map[int64]bool)
	out := make([]int, len(t.Requests))
	for i, q := range t.Requests {
		begins := true
		for _, b := range q.Blocks {
			if begins = begins && seen[b]; begins {
				out[i] = min(out[i]+BlockTokens, q.Prompt-1)
			}
		}
		for _, b := range q.Blocks {
			seen[b] = true
		}
	}
	return out
}
