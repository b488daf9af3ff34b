package flight

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"weft/internal/formats/source"
)

// dump is a dump of PyTorch's flight recorder, from 1.1 on.
type dump struct {
	Rank    *int                       `json:"rank"` // of later tools; a dump itself has none
	Groups  map[string]json.RawMessage `json:"pg_config"`
	Entries []entry                    `json:"entries"`
}

// entry is a collective.
type entry struct {
	Seq      *int64    `json:"collective_seq_id"`
	OldSeq   *int64    `json:"seq_id"` // until 2.4
	Name     string    `json:"profiling_name"`
	State    string    `json:"state"`
	Peer     bool      `json:"is_p2p"`
	Created  float64   `json:"time_created_ns"`
	Duration *float64  `json:"duration_ms"`
	Group    []string  `json:"process_group"` // its name and description
	OldGroup *int64    `json:"pg_id"`
	Inputs   [][]int64 `json:"input_sizes"`
	Types    []string  `json:"input_dtypes"`
}

// typeBytes are the sizes of PyTorch's scalar types.
var typeBytes = map[string]int64{
	"Byte": 1, "Char": 1, "Bool": 1, "Short": 2, "Half": 2, "BFloat16": 2, "Int": 4, "Float": 4, "Long": 8, "Double": 8,
	"Float8_e4m3fn": 1, "Float8_e5m2": 1,
}

// rankName matches the rank at the end of a file's name: the recorder adds it to the name that it is told.
var rankName = regexp.MustCompile(`(\d{1,7})$`)

// torch reads a dump.
func (f *Fleet) torch(name string, text []byte) error {
	var d dump
	in := json.NewDecoder(bytes.NewReader(text))
	if err := in.Decode(&d); err != nil {
		return &source.FileError{Name: name, Line: lineOf(text, in, err), Err: fmt.Errorf("this dump of the flight recorder is cut or no valid JSON: %w", err)}
	}
	base := path.Base(name)
	for _, end := range []string{".json", ".txt", ".log"} {
		base = strings.TrimSuffix(base, end)
	}
	m := rankName.FindString(base)
	rank, err := strconv.Atoi(m)
	switch {
	case d.Rank != nil && *d.Rank >= 0 && *d.Rank <= maxRank:
		rank = *d.Rank
	case err != nil:
		return &source.FileError{Name: name, Line: 0, Err: errors.New("whose dump this is, its name does not say: want the rank at its end, as the recorder writes it, such as nccl_trace_rank_3.json")}
	}
	groups := d.groups()
	parts := map[Call]int{}
	for i := range d.Entries {
		if !f.entry(name, i, &d.Entries[i], Member{Rank: rank}, groups, parts) {
			return nil
		}
	}
	if len(d.Entries) == 0 {
		f.note(name, 0, "this dump has no entry: want one with its collectives (includeCollectives, TORCH_NCCL_TRACE_BUFFER_SIZE above 0)")
	}
	return nil
}

// lineOf is the line of an error of the decoder.
func lineOf(text []byte, in *json.Decoder, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return lineAt(text, int64(len(text)))
	case errors.As(err, &syntax):
		return lineAt(text, syntax.Offset)
	case errors.As(err, &kind):
		return lineAt(text, kind.Offset)
	}
	return lineAt(text, in.InputOffset())
}

// groups are the ranks of each group, which tell groups of one name apart. A list of ranks is text in JSON.
func (d *dump) groups() map[string]string {
	out := map[string]string{}
	for name, raw := range d.Groups {
		var with struct {
			Ranks json.RawMessage `json:"ranks"`
		}
		if json.Unmarshal(raw, &with) == nil && with.Ranks != nil {
			raw = with.Ranks
		}
		out[name] = cut(strings.NewReplacer(`"`, "", " ", "", "\n", "").Replace(string(raw)))
	}
	return out
}

// entry keeps an entry, and reports whether there is room for more.
func (f *Fleet) entry(name string, at int, e *entry, who Member, groups map[string]string, parts map[Call]int) bool {
	seq := e.Seq
	if seq == nil {
		seq = e.OldSeq
	}
	op := cut(strings.TrimPrefix(strings.TrimPrefix(e.Name, "nccl:"), "xccl:"))
	if e.Peer || strings.HasPrefix(op, "send ") || strings.HasPrefix(op, "recv ") {
		return true
	}
	if seq == nil || e.Name == "" {
		f.note(name, 0, "entry %d is left out: it has no collective_seq_id or no profiling_name", at)
		return true
	}
	group := ""
	switch {
	case len(e.Group) > 0:
		group = e.Group[0] + " " + groups[e.Group[0]]
	case e.OldGroup != nil:
		id := strconv.FormatInt(*e.OldGroup, 10)
		group = id + " " + groups[id]
	}
	call := Call{Group: cut(strings.TrimSpace(group)), Seq: *seq, Op: op}
	call.Part = parts[call]
	parts[Call{call.Group, call.Seq, call.Op, 0}]++
	event := Event{Who: who, Call: call, Bytes: e.bytes(), Created: int64(min(max(e.Created, 0)/1e3, 1<<62)), Done: e.State == "completed"}
	if e.Duration != nil && *e.Duration > 0 {
		event.Micros = *e.Duration * 1e3
	}
	return f.add(&event)
}

// bytes is the size of the inputs, 0 if a type is not known.
func (e *entry) bytes() (total int64) {
	for i, sizes := range e.Inputs {
		if i >= len(e.Types) || typeBytes[e.Types[i]] == 0 {
			return 0
		}
		n := typeBytes[e.Types[i]]
		for _, s := range sizes {
			if s < 0 || s > 0 && n > 1<<50/s {
				return 0
			}
			n *= s
		}
		if total += n; total > 1<<52 {
			return 0
		}
	}
	return total
}
