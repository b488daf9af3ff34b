package flight

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"weft/internal/formats/source"
)

// record is an object that NCCL Inspector writes for each collective of a communicator. Verbose ones have times of the kernels.
type record struct {
	Header *struct {
		ID   string `json:"id"`
		Rank *int   `json:"rank"`
	} `json:"header"`
	Metadata struct {
		Host string `json:"hostname"`
		PID  int    `json:"pid"`
	} `json:"metadata"`
	Coll *struct {
		Op     string  `json:"coll"`
		Seq    *int64  `json:"coll_sn"`
		Bytes  int64   `json:"coll_msg_size_bytes"`
		Micros float64 `json:"coll_exec_time_us"`
		Source string  `json:"coll_timing_source"` // kernel_gpu, kernel_cpu or collective_cpu; "" before 2.29
		Trace  struct {
			Start float64 `json:"coll_start_ts"` // us
		} `json:"event_trace_ts"`
	} `json:"coll_perf"`
}

// onHost is the source of a time that is not the kernel's: the call's, which does not wait for other ranks.
const onHost = "collective_cpu"

// inspector reads a file of NCCL Inspector: an object after the other.
func (f *Fleet) inspector(name string, text []byte) error {
	in := json.NewDecoder(bytes.NewReader(text))
	before := len(f.Events)
	line, counted, inside := 1, 0, 0
	for {
		var r record
		err := in.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			place := lineOf(text, in, err)
			if len(f.Events) == before {
				return &source.FileError{Name: name, Line: place, Err: fmt.Errorf("this file of NCCL Inspector is cut or no valid JSON: %w", err)}
			}
			f.note(name, place, "the file cannot be read beyond this line: %v", err)
			break
		}
		// where the object begins
		start := counted + len(text[counted:]) - len(bytes.TrimLeft(text[counted:], " \t\r\n"))
		line += bytes.Count(text[counted:start], []byte{'\n'}) + inside
		counted = int(in.InputOffset())
		inside = bytes.Count(text[start:counted], []byte{'\n'})
		if r.Coll == nil { // p2p_perf
			continue
		}
		switch h := r.Header; {
		case h == nil || h.ID == "" || h.Rank == nil || *h.Rank < 0 || *h.Rank > maxRank || r.Coll.Seq == nil:
			f.note(name, line, "this record is left out: it has no id or rank in its header, or no coll_sn")
			continue
		case r.Coll.Source == onHost:
			f.note(name, line, "this record is left out: its time is that of the call on the host (coll_timing_source %s)", onHost)
			continue
		}
		e := Event{
			Who:   Member{Rank: *r.Header.Rank, Host: cut(r.Metadata.Host), PID: r.Metadata.PID},
			Call:  Call{Group: cut(r.Header.ID), Seq: *r.Coll.Seq, Op: cut(r.Coll.Op)},
			Bytes: max(0, r.Coll.Bytes), Created: int64(min(max(r.Coll.Trace.Start, 0), 1<<62)), Micros: max(0, r.Coll.Micros), Done: true,
		}
		if !f.add(&e) {
			break
		}
	}
	if len(f.Events) == before {
		f.note(name, 0, "this file of NCCL Inspector has no collective that can be used")
	}
	return nil
}
