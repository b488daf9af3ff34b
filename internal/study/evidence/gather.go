package evidence

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/internal/base/portstate"
	"weft/internal/formats/flight"
	"weft/internal/formats/logfile"
	"weft/internal/formats/pairs"
	"weft/internal/formats/source"
	"weft/internal/study/cablehealth"
)

// Evidence is what the files beside a log say.
type Evidence struct {
	// Changes compare two logs; nil if there are not two of the same operation.
	Changes *logfile.Changes `json:"before_and_after,omitempty"`
	// Bandwidth and Latency are the pairs of nodes; nil if there are none.
	Bandwidth *pairs.Judged `json:"pairs_by_bandwidth,omitempty"`
	Latency   *pairs.Judged `json:"pairs_by_latency,omitempty"`
	// Ranks are the ranks by how late they come; nil if no collective is recorded by two ranks. Records is the number of
	// files with records.
	Ranks   *flight.Stragglers `json:"ranks,omitempty"`
	Records int                `json:"files_of_ranks,omitempty"`
	// Ports are counters and states of ports; nil if there are none.
	Ports *cablehealth.Report `json:"ports,omitempty"`
	// Aside are the tables that [Evidence.Compared] leaves out.
	Aside []Aside `json:"tables_set_aside,omitempty"`
	// Signs are what messages say, if there is no log beside them.
	Signs []logfile.Sign `json:"signs,omitempty"`
	// Notes are places of pairs and dumps that are left out, and Unlisted the number of further ones.
	Notes    []logfile.Note `json:"left_out,omitempty"`
	Unlisted int            `json:"more_left_out,omitempty"`
	// Unread are the files that nothing reads.
	Unread []Unread `json:"not_read,omitempty"`

	slow []logfile.Note // places of the log's tables between slow nodes, without a text
}

// Unread is a file that nothing reads.
type Unread struct {
	File string `json:"file"`
	Why  string `json:"why,omitempty"` // "" if it is of no known kind
	// Pickle says that it must be converted first, as Why says.
	Pickle bool `json:"pickle,omitempty"`
}

// Gather reads files that [logfile.ReadAll] has read. Each is opened up to three times.
func Gather(all *logfile.Logs, open func(name string) (io.ReadCloser, error)) *Evidence {
	g := &gathering{Evidence: &Evidence{Changes: all.Changes()}, open: open, why: map[string]string{}, known: map[string]bool{}, pickles: map[string]bool{}}
	if len(all.Logs) == 0 {
		g.Signs = all.Log.Said.Signs
	}
	others := slices.Concat(all.Others, all.Messages)
	g.pairs(all, others)
	others = slices.DeleteFunc(others, func(name string) bool { return g.known[name] })
	g.ranks(others)
	others = slices.DeleteFunc(others, func(name string) bool { return g.known[name] })
	g.ports(others)
	for _, name := range all.Others {
		if !g.known[name] {
			g.Unread = append(g.Unread, Unread{name, g.why[name], g.pickles[name]})
		}
	}
	return g.Evidence
}

// gathering is evidence in the making.
type gathering struct {
	*Evidence
	open  func(name string) (io.ReadCloser, error)
	why   map[string]string // a file is not read
	known map[string]bool   // by a reader
	// pickles must be converted first.
	pickles map[string]bool
}

// read offers a file to a reader.
func (g *gathering) read(name string, by func(io.Reader) error) bool {
	in, err := g.open(name)
	if err == nil {
		err = by(in)
		in.Close()
	}
	if why := reason(err); why != "" && g.why[name] == "" {
		g.why[name] = why
	}
	g.pickles[name] = g.pickles[name] || errors.Is(err, flight.ErrPickle)
	return err == nil
}

// reason is why a file is not read, "" if it is of another kind.
func reason(err error) string {
	var at *source.FileError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &at) && at.Line > 0:
		text, _, _ := strings.Cut(at.Err.Error(), "; so ")
		return fmt.Sprintf("line %d: %s", at.Line, text)
	case errors.Is(err, pairs.ErrNone), errors.Is(err, flight.ErrNone):
		return ""
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// pairs reads the pairs of all files, and those of the log's tables.
func (g *gathering) pairs(all *logfile.Logs, others []string) {
	set := pairs.FromLog(all.Log)
	own := slices.Clone(set.Pairs)
	files := 0
	for _, name := range slices.Concat(all.Logs, others) {
		ok := g.read(name, func(in io.Reader) error {
			s, err := pairs.Read(name, in)
			if err == nil {
				set.Join(s)
			}
			return err
		})
		if ok {
			files++
			g.known[name] = true
		}
	}
	for _, n := range set.Notes {
		g.Notes = append(g.Notes, logfile.Note{File: n.File, Line: n.Line, Text: n.Text})
	}
	g.Unlisted += set.Unlisted
	g.Bandwidth, g.Latency = set.Judge()
	g.slow = slowOf(own, g.Bandwidth, g.Latency)
	if files == 0 { // a log between two nodes is no comparison of nodes
		g.Bandwidth, g.Latency = judgeable(g.Bandwidth), judgeable(g.Latency)
	}
}

// judgeable is a judgement of some node, nil otherwise.
func judgeable(j *pairs.Judged) *pairs.Judged {
	if j == nil || j.Enough() == 0 {
		return nil
	}
	return j
}

// ranks reads the dumps of ranks.
func (g *gathering) ranks(files []string) {
	f := &flight.Fleet{}
	for _, name := range files {
		if g.read(name, func(in io.Reader) error { return f.Read(name, in) }) {
			g.known[name] = true
		}
	}
	for _, n := range f.Notes {
		g.Notes = append(g.Notes, logfile.Note{File: n.File, Line: n.Line, Text: n.Text})
	}
	g.Unlisted += f.Unlisted
	if g.Records = f.Files; f.Files > 0 {
		g.Ranks = f.Stragglers()
	}
}

// ports reads the outputs of tools about ports.
func (g *gathering) ports(files []string) {
	var sources []cablehealth.Source
	for _, name := range files {
		g.read(name, func(in io.Reader) error {
			var text strings.Builder
			_, err := io.Copy(&text, io.LimitReader(in, portstate.MaxFile+1)) // a longer file is refused by its length
			if err == nil {
				sources = append(sources, cablehealth.Source{Name: name, Text: text.String()})
			}
			return err
		})
	}
	set, known, _ := cablehealth.ReadKnown(sources, cablehealth.Options{})
	if len(known) == 0 {
		return
	}
	for _, f := range known {
		g.known[f.Name] = true
	}
	g.Ports = cablehealth.Judge(set, known, cablehealth.Options{})
}
