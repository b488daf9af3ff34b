package hpcctopo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/formats/hpcc"
	"weft/internal/formats/source"
)

// Recognise reports whether a text begins as a topology does: a line of three numbers,
// and then links of five words whose third is a rate.
func Recognise(head []byte) bool {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(first))
	if len(words) != 3 {
		return false
	}
	for _, w := range words {
		if _, err := strconv.Atoi(w); err != nil {
			return false
		}
	}
	for line := range bytes.Lines(rest) {
		if words := strings.Fields(string(line)); len(words) == 5 && strings.HasSuffix(words[2], "bps") {
			return true
		}
	}
	return false
}

// Read reads a topology; file is its display name.
func Read(file string, in io.Reader) (*source.Cluster, *source.Problem) {
	t, ignored, err := hpcc.ReadTopology(file, in)
	if err != nil {
		return nil, first(file, err)
	}
	links := make([]source.Link, len(t.Links))
	lossy := 0
	for i, l := range t.Links {
		links[i] = source.Link{A: l.A, B: l.B, Rate: l.Rate, Latency: l.Delay}
		if l.Loss.Num > 0 {
			lossy++
		}
	}
	hosts := t.Hosts()
	regular, notRegular := source.FindLeafSpine(hosts, 1, links)
	listed, err := source.ListLinks(hosts, 1, links)
	if err != nil {
		return nil, &source.Problem{File: file, Want: fmt.Sprintf("hosts with links to switches: %v", err)}
	}
	c := &source.Cluster{Format: "topology of the HPCC simulator", File: file, Nodes: len(hosts), Units: []string{"rates and delays have theirs in the file"}}
	c.Field("cluster:")
	c.Field("  nodes: %d", len(hosts))
	if notRegular != nil {
		c.Field("  node: {gpus: 1, nics: %d, nic: {rate: %s}}", listed.NICs, listed.Rate.Exact())
		c.Assume("the fabric is taken cable by cable, since it is no regular one: %v", notRegular)
		listed.Scenario(c)
	} else {
		c.Field("  node: {gpus: 1, nics: 1, nic: {rate: %s%s}}", regular.NIC.Rate.Exact(), regular.Ports())
		regular.Scenario(c)
	}
	c.Assume("a host has one GPU and one NIC; the rest of it is the default's. What config.txt says of buffers, congestion control and loss is not in this file: weft replay FOLDER takes it")
	if lossy > 0 {
		c.Assume("the loss of %d links is left out", lossy)
	}
	for _, x := range ignored {
		c.Assume("%s:%d: %s, is ignored by that simulator and counts here", x.File, x.Line, x.What)
	}
	return c, nil
}

// first is the first problem of a file, in the form of the workload readers.
func first(file string, err error) *source.Problem {
	var all *hpcc.Problems
	if errors.As(err, &all) && len(all.List) > 0 {
		p := all.List[0]
		return &source.Problem{File: p.File, Line: p.Line, Value: p.Value, Want: p.Want}
	}
	return &source.Problem{File: file, Want: err.Error()}
}
