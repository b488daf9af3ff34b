package live

import (
	"encoding/json"
	"fmt"
	"io"

	"weft/internal/live/sniff"
)

// sniffJSON prints the beginning of an object, with its packets one by one.
type sniffJSON struct {
	w    io.Writer
	some bool
}

func (s *sniffJSON) packet(n int64, e *sniff.Event) error {
	open := ",\n  "
	if !s.some {
		open, s.some = "{\n \"version\": 1,\n \"packets\": [\n  ", true
	}
	text, err := json.Marshal(e.Record(n))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.w, "%s%s", open, text)
	return err
}

func (s *sniffJSON) finish(t *sniff.Tracker, cut error) ([]byte, error) {
	end := "\n ],\n"
	if !s.some {
		end = "{\n \"version\": 1,\n \"packets\": [],\n"
	}
	flows, err := json.Marshal(t.Flows())
	if err != nil {
		return nil, err
	}
	all, err := json.Marshal(t.Counts)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(s.w, end); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\n \"flows\": %s,\n \"found\": %s,\n \"roce_packets\": %d,\n \"cut_packets\": %d,\n \"other_packets\": %d,\n \"infiniband_packets\": %d,\n \"roce_v1_packets\": %d,\n \"complete\": %v\n}\n",
		flows, all, t.Packets, t.Cut, t.Other, t.Foreign[sniff.InfiniBand], t.Foreign[sniff.RoCEv1], cut == nil), nil
}
