package formats

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/internal/formats/astra"
	"weft/internal/formats/chakra"
	"weft/internal/formats/goal"
	"weft/internal/formats/hpcctopo"
	"weft/internal/formats/ncclxml"
	"weft/internal/formats/requests"
	"weft/internal/formats/simai"
	"weft/internal/formats/source"
)

// headBytes is the length of the part of a file that tells its format.
const headBytes = 4096

// format is a format that weft reads.
type format struct {
	name      string
	recognise func(head []byte) bool
	// read takes the files of a job; many says that a job may have more than one.
	read func(files []source.File) *source.Workload
	many bool
}

var formats = []format{
	{"a Chakra trace (NAME.RANK.et or NAME.RANK.json, one file for each rank, and a JSON file of process groups)", chakra.Recognise, chakra.Read, true},
	{"a GOAL schedule", goal.Recognise, one(goal.Read), false},
	{"a binary GOAL schedule", goal.RecogniseBinary, one(goal.ReadBinary), false},
	{"a SimAI workload", simai.Recognise, one(simai.Read), false},
}

// one adapts the reader of a format whose jobs are one file.
func one(read func(string, io.Reader) *source.Workload) func([]source.File) *source.Workload {
	return func(files []source.File) *source.Workload { return read(files[0].Name, files[0]) }
}

// topology is a topology format that weft reads.
type topology struct {
	name      string
	recognise func(head []byte) bool
	read      func(string, io.Reader) (*source.Cluster, *source.Problem)
}

var topologies = []topology{
	{"a network configuration of ASTRA-sim", astra.Recognise, astra.Read},
	{"a topology of the HPCC simulator", hpcctopo.Recognise, hpcctopo.Read},
	{"a topology of NCCL or RCCL", ncclxml.Recognise, ncclxml.Read},
	{"a SimAI topology", simai.RecogniseTopology, simai.ReadTopology},
}

// Read recognises the formats of the files and reads them: the files of one workload, and at most
// one topology. Either result may be nil, not both.
func Read(files []source.File) (*source.Workload, *source.Cluster, error) {
	var first *format
	var job []source.File
	var cluster *source.Cluster
	for _, file := range files {
		r, head, err := open(file)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read %s: %w", file.Name, err)
		}
		file.Reader = r
		if t := recogniseTopology(head); t != nil {
			if cluster != nil {
				return nil, nil, fmt.Errorf("%s and %s are topologies: one at a time", cluster.File, file.Name)
			}
			var p *source.Problem
			if cluster, p = t.read(file.Name, file); p != nil {
				return nil, nil, p
			}
			continue
		}
		f := recognise(head)
		switch {
		case f == nil:
			return nil, nil, fmt.Errorf("%s has no format that weft knows: valid are %s; and, as the cluster, %s\n(of the HPCC simulator, weft replay takes the whole folder with config.txt)", file.Name, Names(), TopologyNames())
		case first != nil && f != first:
			return nil, nil, fmt.Errorf("%s is %s and %s is %s: one job at a time", job[0].Name, first.name, file.Name, f.name)
		}
		first = f
		job = append(job, file)
	}
	if first == nil {
		return nil, cluster, nil
	}
	if len(job) > 1 && !first.many {
		return nil, nil, fmt.Errorf("%d workloads are given, and %s is a complete job: give one", len(job), first.name)
	}
	w := first.read(job)
	for _, file := range job {
		w.Files = append(w.Files, file.Name)
	}
	return w, cluster, nil
}

// ReadRequests reads at most a number of requests of a trace of requests to language models, also gzipped.
func ReadRequests(file source.File, most int) (*requests.Trace, error) {
	r, _, err := open(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file.Name, err)
	}
	trace, p := requests.Read(file.Name, r, most)
	if p != nil {
		return nil, p
	}
	return trace, nil
}

// open returns a file's reader and the first bytes. It unpacks gzip; the limits of the readers
// bound the unpacked size.
func open(file io.Reader) (*bufio.Reader, []byte, error) {
	r := bufio.NewReaderSize(file, headBytes)
	if magic, err := r.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, err
		}
		r = bufio.NewReaderSize(unpacked, headBytes)
	}
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	return r, head, nil
}

func recogniseTopology(head []byte) *topology {
	for i := range topologies {
		if topologies[i].recognise(head) {
			return &topologies[i]
		}
	}
	return nil
}

func recognise(head []byte) *format {
	for i := range formats {
		if formats[i].recognise(head) {
			return &formats[i]
		}
	}
	return nil
}

// Names lists the formats as text.
func Names() string {
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].name
	}
	return strings.Join(names, ", ")
}

// TopologyNames lists the formats of topologies as text.
func TopologyNames() string {
	names := make([]string, len(topologies))
	for i := range topologies {
		names[i] = topologies[i].name
	}
	return strings.Join(names, ", ")
}
