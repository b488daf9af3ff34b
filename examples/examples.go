package examples

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.yaml plan sonic
var files embed.FS

// Prefix begins the name of an example where a command takes the name of a file.
const Prefix = "example:"

// extension is that of the examples with a question.
const extension = ".yaml"

// An Example is a file that a command takes.
type Example struct {
	Name     string   `json:"name"`     // without Prefix and extension
	Question string   `json:"question"` // the first sentences of its comment
	Keys     []string `json:"-"`        // of its top level, in the order of the file
	Text     []byte   `json:"-"`
}

// All are the examples, by name.
func All() []Example {
	var all []Example
	for _, name := range Names() {
		text, _ := files.ReadFile(name + extension)
		all = append(all, Example{Name: name, Question: question(text), Keys: keys(text), Text: text})
	}
	return all
}

// Names are the names of all examples.
func Names() []string {
	var names []string
	_ = fs.WalkDir(files, ".", func(p string, _ fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(p, extension); ok {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names
}

// Files are all files of the folder, the switch's and the host's configurations too.
func Files() fs.FS { return files }

// Open opens an example by its name, with or without the extension. The beginning of a name is enough if one example
// alone has it.
func Open(name string) (fs.File, error) {
	name = strings.TrimSuffix(name, extension)
	names := Names()
	if !slices.Contains(names, name) {
		begins := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return name == "" || !strings.HasPrefix(n, name) })
		if len(begins) != 1 {
			return nil, &fs.PathError{Op: "open", Path: Prefix + name, Err: fs.ErrNotExist}
		}
		name = begins[0]
	}
	return files.Open(name + extension)
}

// question is the comment at the beginning of a file, up to a line of "#" alone.
func question(text []byte) string {
	var words []string
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok || strings.TrimSpace(comment) == "" {
			break
		}
		words = append(words, strings.Fields(comment)...)
	}
	return strings.Join(words, " ")
}

// keys are the keys at the beginning of a line.
func keys(text []byte) []string {
	var all []string
	for line := range strings.Lines(string(text)) {
		if key, _, ok := strings.Cut(line, ":"); ok && key != "" && !strings.ContainsAny(key[:1], " \t#-") {
			all = append(all, key)
		}
	}
	return all
}
