package page

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"weft/examples"
	"weft/internal/base/regular"
	"weft/internal/sim/runstore"
	"weft/scenario"
)

// The bounds of the search for what the user wrote.
const (
	mostWritten = 1 << 20 // bytes of a file
	mostTries   = 3000    // of a shorter scenario
)

// written is the scenario of a run as its user wrote it: the file that the command named, or that stands beside the
// folder, if it still gives the run's scenario. Without such a file it is the run's scenario without the fields that
// follow from the others.
func (f *Folder) written() ([]byte, error) {
	resolved, err := f.meta.Read(f.dir, runstore.ScenarioFile)
	if err != nil {
		return nil, err
	}
	beside := filepath.Dir(f.dir)
	for _, text := range candidates(f, beside) {
		if same, ok := resolvedText(beside, text); ok && bytes.Equal(same, resolved) {
			return text, nil
		}
	}
	return shortened(f.dir, resolved), nil
}

// candidates are the texts of files that may be the scenario of a run.
func candidates(f *Folder, beside string) (texts [][]byte) {
	add := func(name string) {
		if text, err := regular.Read(name, mostWritten); err == nil {
			texts = append(texts, text)
		}
	}
	add(f.dir + ".yaml")
	for _, arg := range f.meta.Command[min(1, len(f.meta.Command)):] {
		if name, is := strings.CutPrefix(arg, examples.Prefix); is {
			if text, err := exampleText(name); err == nil {
				texts = append(texts, text)
			}
		}
		if ext := filepath.Ext(arg); ext != ".yaml" && ext != ".yml" {
			continue
		}
		add(arg)
		if !filepath.IsAbs(arg) {
			add(filepath.Join(beside, arg))
		}
	}
	return texts
}

func exampleText(name string) ([]byte, error) {
	f, err := examples.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// resolvedText is a scenario with every field, whose files are relative to a folder.
func resolvedText(dir string, text []byte) ([]byte, bool) {
	file, err := scenario.DecodeIn(dir, "scenario.yaml", text)
	if err != nil {
		return nil, false
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, false
	}
	out, err := r.MarshalYAML()
	return out, err == nil
}

// shortened is a scenario without the fields and sections that follow from the others. The text is that of
// MarshalYAML: a field a line, and sections by indentation.
func shortened(dir string, resolved []byte) []byte {
	s := shortener{dir: dir, want: resolved, lines: strings.SplitAfter(strings.TrimRight(string(resolved), "\n")+"\n", "\n")}
	s.lines = s.lines[:len(s.lines)-1]
	s.gone = make([]bool, len(s.lines))
	s.drop(0, len(s.lines))
	return []byte(s.text())
}

type shortener struct {
	dir   string
	want  []byte
	lines []string
	gone  []bool
	tries int
}

func (s *shortener) text() string {
	var b strings.Builder
	for i, line := range s.lines {
		if !s.gone[i] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// drop drops the fields of the lines from a to b that follow from the others: sections as a whole, or field by field.
func (s *shortener) drop(a, b int) {
	for end := b; end > a; {
		begin := end - 1
		for begin > a && indent(s.lines[begin]) > indent(s.lines[a]) {
			begin--
		}
		if !s.without(begin, end) && end > begin+1 {
			s.drop(begin+1, end)
		}
		end = begin
	}
}

// without drops the lines from a to b if the scenario stays the same.
func (s *shortener) without(a, b int) bool {
	if s.tries++; s.tries > mostTries || strings.HasPrefix(strings.TrimLeft(s.lines[a], " "), "- ") {
		return false
	}
	before := make([]bool, b-a)
	copy(before, s.gone[a:b])
	for i := a; i < b; i++ {
		s.gone[i] = true
	}
	if got, ok := resolvedText(s.dir, []byte(s.text())); ok && bytes.Equal(got, s.want) {
		return true
	}
	copy(s.gone[a:b], before)
	return false
}

// indent is the number of spaces before a field; an item of a list begins before its first field.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
