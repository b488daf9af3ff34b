package logfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Logs is what several files say together.
type Logs struct {
	// Log has the tables of all files, in the order of the files, and what all of them say. Each table, note, setting and
	// sign has its file, if there are several.
	Log *Log
	// Logs are the files with a table, and Messages those with messages of NCCL, UCX or MPI, or with settings, and without a
	// table.
	Logs, Messages []string
	// Others are the files that are neither: perhaps counters, topologies or dumps of other programs.
	Others []string
}

// ReadAll reads several files as one log. An error names each file that cannot be opened; or, if no file has a table, each
// file with the reason: then the messages and the others are returned, too.
func ReadAll(names []string, open func(name string) (io.ReadCloser, error)) (*Logs, error) {
	if len(names) > maxFiles {
		return nil, fmt.Errorf("%d files: want at most %d", len(names), maxFiles)
	}
	all := &Logs{Log: &Log{}}
	var unopened, without []error
	for _, name := range names {
		from, err := open(name)
		if err != nil {
			unopened = append(unopened, err)
			continue
		}
		b, err := build(name, from)
		from.Close()
		all.add(b, err, len(names) > 1)
		if err != nil {
			without = append(without, err)
		}
	}
	switch {
	case len(unopened) > 0:
		return nil, errors.Join(bounded(unopened)...)
	case len(all.Logs) == 0 && len(without) == 1:
		return all, without[0]
	case len(all.Logs) == 0:
		return all, fmt.Errorf("none of %d files has a table of measurements:\n%w", len(names), errors.Join(bounded(shortened(without))...))
	}
	all.share()
	all.Log.Name = all.Logs[0]
	if len(all.Logs) > 1 {
		all.Log.Name = fmt.Sprintf("%d logs (%s …)", len(all.Logs), all.Logs[0])
	}
	return all, nil
}

// mostErrors bounds the files that an error lists.
const mostErrors = 32

// bounded are the errors that are listed.
func bounded(all []error) []error {
	if more := len(all) - mostErrors; more > 0 {
		return append(all[:mostErrors:mostErrors], fmt.Errorf("and %d more files", more))
	}
	return all
}

// shortened are the errors without what every one of them says.
func shortened(all []error) (out []error) {
	for i, err := range all {
		if e := (*Error)(nil); i > 0 && errors.As(err, &e) && strings.Contains(e.Text, noTable) {
			err = &Error{e.Name, e.Line, strings.ReplaceAll(e.Text, noTable, "there is no table of measurements in it")}
		}
		out = append(out, err)
	}
	return out
}

// add adds a file.
func (a *Logs) add(b *builder, err error, several bool) {
	name := ""
	if several {
		name = b.Name
	}
	switch {
	case err == nil:
		a.Logs = append(a.Logs, b.Name)
	case b.Said.empty():
		a.Others = append(a.Others, b.Name)
		return
	default:
		a.Messages = append(a.Messages, b.Name)
	}
	for _, t := range b.Tables {
		t.File = name
		named(t.Settings, name)
		if len(a.Log.Tables) < maxTables {
			a.Log.Tables = append(a.Log.Tables, t)
		}
	}
	for _, n := range b.Notes {
		n.File = name
		if len(a.Log.Notes) == maxNotes {
			a.Log.Unlisted++
			continue
		}
		a.Log.Notes = append(a.Log.Notes, n)
	}
	a.Log.Unlisted += b.Unlisted
	a.Log.Said.join(&b.Said, name)
}

// named gives settings their file.
func named(all []Setting, file string) {
	for i := range all {
		all[i].File = file
	}
}

// empty reports whether nothing was said.
func (s *Said) empty() bool {
	return s.Version == "" && s.Ranks == 0 && len(s.Devices)+len(s.Interfaces) == 0 && s.Direct+s.Bounced+s.Sockets == 0 && len(s.Settings) == 0 && len(s.Signs) == 0 && len(s.Warnings) == 0
}

// join adds what another file says.
func (s *Said) join(of *Said, file string) {
	s.Version = cmp.Or(s.Version, of.Version)
	s.Ranks = max(s.Ranks, of.Ranks)
	if len(of.Interfaces) > len(s.Interfaces) {
		s.Interfaces = of.Interfaces
	}
	if len(of.Devices) > len(s.Devices) {
		s.Devices, s.Link = of.Devices, of.Link
	}
	s.Direct, s.Bounced, s.Sockets = s.Direct+of.Direct, s.Bounced+of.Bounced, s.Sockets+of.Sockets
	named(of.Settings, file)
	s.Settings = append(s.Settings, of.Settings[:min(len(of.Settings), maxSettings-len(s.Settings))]...)
	for _, sign := range of.Signs {
		before := len(s.Signs)
		if s.sign(sign.Line, sign.Kind, sign.Text); len(s.Signs) > before {
			s.Signs[before].File = file
		}
	}
	for _, w := range of.Warnings[:min(len(of.Warnings), maxNotes-len(s.Warnings))] {
		w.File = file
		s.Warnings = append(s.Warnings, w)
	}
}

// share gives the tables of the one log what the messages beside it set: they are of its run.
func (a *Logs) share() {
	if len(a.Logs) != 1 || len(a.Messages) == 0 {
		return
	}
	for _, t := range a.Log.Tables {
		for _, s := range a.Log.Said.Settings {
			if slices.Contains(a.Messages, s.File) && len(t.Settings) < 2*maxSettings {
				t.Settings = append(t.Settings, s)
			}
		}
	}
}

// Expand replaces folders by their files, in the order of their names, without hidden ones. What is neither a file nor a
// folder is kept as it is.
func Expand(paths []string) (files []string, err error) {
	for _, p := range paths {
		if files, err = expand(files, p, 0); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func expand(files []string, p string, depth int) ([]string, error) {
	if len(files) >= maxFiles {
		return nil, fmt.Errorf("there are more than %d files: name the logs", maxFiles)
	}
	if info, err := os.Stat(p); err != nil || !info.IsDir() {
		return append(files, p), nil //nolint:nilerr // opening it will say what is wrong
	}
	if depth == maxDepth {
		return files, nil
	}
	entries, err := os.ReadDir(p)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		if files, err = expand(files, filepath.Join(p, e.Name()), depth+1); err != nil {
			return nil, err
		}
	}
	return files, nil
}
