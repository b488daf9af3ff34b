// Package formats recognises other people's workload files by what stands in them and
// reads them with the reader of their format.
package formats

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/internal/workload/chakra"
	"weft/internal/workload/goal"
	"weft/internal/workload/htsim"
	"weft/internal/workload/simai"
	"weft/internal/workload/source"
)

// headBytes is how much of a file tells its format.
const headBytes = 4096

// format is one that weft reads.
type format struct {
	name      string
	recognise func(head []byte) bool
	// read takes the files of a job; many is whether that may be more than one.
	read func(files []source.File) *source.Workload
	many bool
}

var formats = []format{
	{"a Chakra trace (NAME.RANK.et, one file for each rank)", chakra.Recognise, chakra.Read, true},
	{"a GOAL schedule", goal.Recognise, one(goal.Read), false},
	{"an htsim connection matrix", htsim.Recognise, one(htsim.Read), false},
	{"a SimAI workload", simai.Recognise, one(simai.Read), false},
}

// one is the reader of a format whose jobs are one file.
func one(read func(string, io.Reader) *source.Workload) func([]source.File) *source.Workload {
	return func(files []source.File) *source.Workload { return read(files[0].Name, files[0]) }
}

// Read recognises the format of the files and reads them.
func Read(files []source.File) (*source.Workload, error) {
	var first *format
	for i := range files {
		r := bufio.NewReaderSize(files[i], headBytes)
		head, err := r.Peek(headBytes)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s cannot be read: %w", files[i].Name, err)
		}
		files[i].Reader = r
		f := recognise(head)
		switch {
		case f == nil:
			return nil, fmt.Errorf("%s is of no format that weft knows: it reads %s", files[i].Name, Names())
		case first != nil && f != first:
			return nil, fmt.Errorf("%s is %s and %s is %s: one job at a time", files[0].Name, first.name, files[i].Name, f.name)
		}
		first = f
	}
	if len(files) > 1 && !first.many {
		return nil, fmt.Errorf("%d files are given: %s is a job by itself", len(files), first.name)
	}
	return first.read(files), nil
}

func recognise(head []byte) *format {
	for i := range formats {
		if formats[i].recognise(head) {
			return &formats[i]
		}
	}
	return nil
}

// Names lists the formats for people.
func Names() string {
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].name
	}
	return strings.Join(names, ", ")
}
