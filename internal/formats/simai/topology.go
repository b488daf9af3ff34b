package simai

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/formats/source"
	"weft/units"
)

// topology is a topology file: a first line
//
//	nodes GPUs-per-server NVSwitches switches links GPU
//
// then the numbers of all switches, NVSwitches first, then a line for each link: its
// ends, rate, latency and loss. GPUs have the numbers from 0 on
// (gen_Topo_Template.py writes them).
type topology struct {
	lines                                          *source.Lines
	nodes, perServer, nvswitches, switches, expect int
	gpu                                            string
	links                                          []link
	lossy                                          int     // links with a loss
	loss                                           float64 // the largest
}

// link is one line.
type link struct {
	a, b    int
	rate    units.Rate
	latency units.Time
}

// gpus is the number of GPUs.
func (t *topology) gpus() int { return t.nodes - t.nvswitches - t.switches }

// servers is the number of servers.
func (t *topology) servers() int { return t.gpus() / t.perServer }

// firstSwitch is the number of the first switch that is not an NVSwitch.
func (t *topology) firstSwitch() int { return t.nodes - t.switches }

// RecogniseTopology reports whether a text begins as a topology does: with five
// numbers and a name.
func RecogniseTopology(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) != 6 {
		return false
	}
	for _, w := range words[:5] {
		if _, err := strconv.Atoi(w); err != nil {
			return false
		}
	}
	_, err := strconv.Atoi(words[5])
	return err != nil
}

// ReadTopology reads a topology; file is its display name.
func ReadTopology(file string, in io.Reader) (*source.Cluster, *source.Problem) {
	t := &topology{lines: source.NewLines(file, in)}
	if p := t.read(); p != nil {
		return nil, p
	}
	return t.cluster()
}

// words takes the next line with words; nil at the end.
func (t *topology) words() ([]string, *source.Problem) {
	for {
		ok, p := t.lines.Next()
		if !ok || p != nil {
			return nil, p
		}
		if words := strings.Fields(t.lines.Text); len(words) > 0 {
			return words, nil
		}
	}
}

func (t *topology) read() *source.Problem {
	words, p := t.words()
	if p != nil {
		return p
	}
	if len(words) != 6 {
		return t.lines.Problem(t.lines.Text, "the numbers of nodes, of GPUs in a server, of NVSwitches, of other switches and of links, and the GPU")
	}
	for i, to := range []*int{&t.nodes, &t.perServer, &t.nvswitches, &t.switches, &t.expect} {
		n, err := strconv.Atoi(words[i])
		if err != nil || n < 0 || n > maxRanks {
			return t.lines.Problem(words[i], fmt.Sprintf("a number from 0 to %d", maxRanks))
		}
		*to = n
	}
	t.gpu = words[5]
	if t.perServer < 1 || t.gpus() < 1 || t.gpus()%t.perServer != 0 || t.nvswitches < 1 || t.switches < 1 {
		return t.lines.Problem(t.lines.Text, "GPUs (nodes without NVSwitches and switches) that fill servers, and both kinds of switches")
	}
	if words, p = t.words(); p != nil {
		return p
	}
	if len(words) != t.nvswitches+t.switches {
		return t.lines.Problem("", fmt.Sprintf("the numbers of the %d switches on one line, not %d", t.nvswitches+t.switches, len(words)))
	}
	for {
		words, p := t.words()
		switch {
		case p != nil:
			return p
		case words == nil && len(t.links) < t.expect:
			return t.lines.Problem("", fmt.Sprintf("%d links as the first line announces, but the file ends after %d", t.expect, len(t.links)))
		case words == nil:
			return nil
		case len(t.links) == t.expect:
			return t.lines.Problem(t.lines.Text, fmt.Sprintf("the end of the file after %d links", t.expect))
		}
		if p := t.link(words); p != nil {
			return p
		}
	}
}

// link reads a line such as 0 16 900Gbps 0.000025ms 0.
func (t *topology) link(words []string) *source.Problem {
	if len(words) != 5 {
		return t.lines.Problem(t.lines.Text, "a link: two nodes, a rate, a latency and a loss")
	}
	var l link
	for i, to := range []*int{&l.a, &l.b} {
		n, err := strconv.Atoi(words[i])
		if err != nil || n < 0 || n >= t.nodes {
			return t.lines.Problem(words[i], fmt.Sprintf("a node from 0 to %d", t.nodes-1))
		}
		*to = n
	}
	var err error
	if l.rate, err = units.ParseRate(words[2]); err != nil || l.rate <= 0 {
		return t.lines.Problem(words[2], "a rate such as 200Gbps")
	}
	if l.latency, err = units.ParseTime(words[3]); err != nil || l.latency <= 0 || l.latency > units.Millisecond {
		return t.lines.Problem(words[3], "a latency of at most 1 ms, such as 0.001ms")
	}
	loss, err := strconv.ParseFloat(words[4], 64)
	if err != nil || !(loss >= 0 && loss <= 1) {
		return t.lines.Problem(words[4], "a loss from 0 to 1, the share of packets")
	}
	if loss > 0 {
		t.lossy++
		t.loss = max(t.loss, loss)
	}
	t.links = append(t.links, l)
	return nil
}
