package checks

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/base/packed"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/formats/logfile"
)

// mostPiped bounds what is kept of an input that can be read once only, as the readers of logs do: NCCL_DEBUG=TRACE of a
// large job.
const mostPiped = 1 << 30

// inputs are the files that a diagnosis reads. Each may be read several times.
type inputs struct {
	e     *simulator.Simulator
	files []string
	piped map[string][]byte // the contents of standard input and of pipes
}

// inputsOf are the files of the arguments: folders are replaced by their files, and a file counts once.
func inputsOf(e *simulator.Simulator, paths []string) (*inputs, error) {
	in := &inputs{e: e, piped: map[string][]byte{}}
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "-" {
			in.files = append(in.files, path)
			continue
		}
		base := e.Path(path)
		files, err := logfile.Expand([]string{base})
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if file = filepath.Clean(file); seen[file] {
				continue
			}
			seen[file] = true
			name := file
			if within, err := filepath.Rel(base, file); err == nil {
				name = filepath.Join(path, within)
			}
			in.files = append(in.files, name)
		}
	}
	if first := slices.Index(in.files, "-"); first >= 0 {
		in.files = append(in.files[:first+1], slices.DeleteFunc(in.files[first+1:], func(name string) bool { return name == "-" })...)
	}
	if len(in.files) == 0 {
		return nil, fmt.Errorf("there is no file to read in %s: want a log, or a folder with files that are not hidden", strings.Join(paths, ", "))
	}
	return in, nil
}

// named are the names of the files; standard input has none on the command line.
func (in *inputs) named() (names []string) {
	for _, file := range in.files {
		if file == "-" {
			file = stdinName
		}
		names = append(names, file)
	}
	return names
}

const stdinName = "standard input"

// open opens a file by its name, decompressed.
func (in *inputs) open(name string) (io.ReadCloser, error) {
	file, err := in.raw(name)
	if err != nil {
		return nil, err
	}
	return packed.Undo(name, file)
}

func (in *inputs) raw(name string) (io.ReadCloser, error) {
	if text, ok := in.piped[name]; ok {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	if name == stdinName && slices.Contains(in.files, "-") {
		return in.keep(name, in.e.Stdin)
	}
	f, err := in.e.Open(name)
	if err != nil {
		return nil, process.CannotRead("the log "+name, err)
	}
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() {
		return f, nil // reading it says what is wrong
	}
	defer f.Close()
	return in.keep(name, f)
}

// keep reads an input that can be read once.
func (in *inputs) keep(name string, from io.Reader) (io.ReadCloser, error) {
	text, err := io.ReadAll(io.LimitReader(from, mostPiped+1)) // a longer one is refused by the reader of logs
	if err != nil {
		return nil, process.CannotRead("the log "+name, err)
	}
	in.piped[name] = text
	return io.NopCloser(bytes.NewReader(text)), nil
}
