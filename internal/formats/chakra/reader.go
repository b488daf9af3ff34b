package chakra

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protowire"

	"weft/internal/base/sorting"
	"weft/internal/formats/source"
	"weft/internal/sim/workload"
)

// trace is a file, as read.
type trace struct {
	name    string
	rank    int
	version string
	nodes   []node
	listed  map[string][]int32 // the ranks of process groups by their names, from its metadata
	// calls says that control dependencies are calls: the trace is from PyTorch.
	calls bool
}

// observed is an attribute that only nodes of PyTorch's execution observer have.
const observed = "rf_id"

// Recognise reports whether a file begins as a trace does, with GlobalMetadata and then a
// Node with a type, or is the list of a job's process groups.
func Recognise(head []byte) bool {
	if recogniseGroups(head) || recogniseJSON(head) {
		return true
	}
	n, size := binary.Uvarint(head)
	if size <= 0 || n > maxMessage {
		return false
	}
	if n > uint64(len(head)-size) { // longer than the head: some converters embed their input
		return beginsMetadata(head[size:])
	}
	version, err := metadata(head[size : size+int(n)])
	if err != nil || !printable(version) {
		return false
	}
	rest := head[size+int(n):]
	n, size = binary.Uvarint(rest)
	if size <= 0 || n == 0 {
		return false
	}
	if n > uint64(len(rest)-size) { // longer than the head: it begins with its id or its name
		return len(rest) > size && (rest[size] == 1<<3 || rest[size] == 2<<3|2)
	}
	x, err := decodeNode(rest[size : size+int(n)])
	return err == nil && x.kind > 0
}

// beginsMetadata reports whether the message begins as GlobalMetadata does: with a version, or an
// attribute that begins with its name.
func beginsMetadata(head []byte) bool {
	number, kind, size := protowire.ConsumeTag(head)
	if size < 0 || kind != protowire.BytesType || number > 2 {
		return false
	}
	head = head[size:]
	n, size := binary.Uvarint(head)
	if size <= 0 || n == 0 {
		return false
	}
	head = head[size:]
	if number == 1 {
		return printable(string(head[:min(n, uint64(len(head)))]))
	}
	number, kind, size = protowire.ConsumeTag(head)
	if size < 0 || number != 1 || kind != protowire.BytesType {
		return false
	}
	name, size := protowire.ConsumeBytes(head[size:])
	return size > 0 && len(name) > 0 && printable(string(name))
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Read reads the traces of a job's ranks, whose file names end in .RANK.et, and at most one list of
// its process groups.
func Read(files []source.File) *source.Workload {
	w := &source.Workload{Format: "Chakra execution trace"}
	b := &builder{w: w}
	files, p := b.takeGroups(files)
	var ranks []int
	if p == nil {
		ranks, p = ranksOf(files)
	}
	if p != nil {
		w.Stopped = p
		return w
	}
	for i, f := range files {
		t, p := readEither(f)
		t.rank = ranks[i]
		b.traces = append(b.traces, t)
		w.Ranks = max(w.Ranks, ranks[i]+1)
		if p != nil && w.Stopped == nil {
			w.Stopped = p
		}
	}
	sorting.Func(b.traces, func(a, b *trace) int { return a.rank - b.rank })
	w.Ranks = b.ranks()
	p = b.build()
	if w.Stopped == nil {
		w.Stopped = p
	}
	if w.Stopped == nil {
		w.Stopped = b.missing()
	}
	b.describe()
	return w
}

var rankInName = regexp.MustCompile(`\.([0-9]{1,6})\.(et|json)(\.gz)?$`)

// ranksOf are the ranks in the names of the files.
func ranksOf(files []source.File) ([]int, *source.Problem) {
	seen := make(map[int]string)
	out := make([]int, len(files))
	for i, f := range files {
		m := rankInName.FindStringSubmatch(f.Name)
		if m == nil {
			return nil, &source.Problem{File: f.Name, Want: "a name that ends in .RANK.et or .RANK.json, such as allreduce.0.et: the trace itself does not say whose it is"}
		}
		rank, _ := strconv.Atoi(m[1])
		if other, twice := seen[rank]; twice {
			return nil, &source.Problem{File: f.Name, Want: fmt.Sprintf("a rank for itself: %s is of rank %d too", other, rank)}
		}
		seen[rank], out[i] = f.Name, rank
	}
	return out, nil
}

// missing is the problem of ranks without a file.
func (b *builder) missing() *source.Problem {
	next := 0
	for _, t := range b.traces {
		if t.rank > next {
			break
		}
		next = t.rank + 1
	}
	if next == b.w.Ranks {
		return nil
	}
	return &source.Problem{File: b.traces[0].name, Want: fmt.Sprintf("a file for each rank from 0 to %d: the file of rank %d is missing", b.w.Ranks-1, next)}
}

// add adds a node.
func (t *trace) add(x node) {
	t.nodes = append(t.nodes, x)
	if _, has := x.attrs[observed]; has {
		t.calls = true
	}
	if x.kind == metadataNode {
		t.processGroups(&x)
	}
}

// readEither reads a trace in protobuf or JSON.
func readEither(f source.File) (*trace, *source.Problem) {
	r := bufio.NewReader(f.Reader)
	if head, _ := r.Peek(4096); recogniseJSON(head) {
		return readJSON(source.File{Name: f.Name, Reader: r})
	}
	return readTrace(source.File{Name: f.Name, Reader: r})
}

// readTrace reads a file; it keeps the part before a problem.
func readTrace(f source.File) (*trace, *source.Problem) {
	t := &trace{name: f.Name, listed: make(map[string][]int32)}
	r := &messages{r: bufio.NewReader(f.Reader)}
	first, err := r.next()
	if err == nil {
		t.version, err = metadata(first)
	}
	for err == nil && len(t.nodes) <= workload.MaxOps {
		var message []byte
		if message, err = r.next(); err != nil {
			break
		}
		var x node
		if x, err = decodeNode(message); err == nil {
			x.offset = r.began
			t.add(x)
		}
	}
	p := &source.Problem{File: f.Name, Offset: r.began, Binary: true}
	switch {
	case errors.Is(err, io.EOF):
		return t, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.Want = "a whole message, but the file ends in it"
	case err == nil:
		p.Want = fmt.Sprintf("at most %d nodes", workload.MaxOps)
	default:
		p.Want = "a Node of et_def.proto after its length: " + err.Error()
	}
	return t, p
}

// messages are the messages of a file, each after its length.
type messages struct {
	r     *bufio.Reader
	at    int64 // bytes read
	began int64 // start of the last message, with its length
	buf   []byte
}

// next is the next message, valid until the following call; io.EOF at the end.
func (m *messages) next() ([]byte, error) {
	m.began = m.at
	n, err := binary.ReadUvarint(m.r)
	if err != nil {
		return nil, err
	}
	if n > maxMessage {
		return nil, fmt.Errorf("a length of %d bytes: valid are 0 to %d", n, maxMessage)
	}
	m.at += int64(len(binary.AppendUvarint(nil, n))) + int64(n)
	m.buf = m.buf[:0]
	for len(m.buf) < int(n) { // in parts: a wrong length allocates no memory
		part := min(int(n)-len(m.buf), 1<<16)
		from := len(m.buf)
		m.buf = slices.Grow(m.buf, part)[:from+part]
		if _, err := io.ReadFull(m.r, m.buf[from:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return m.buf, nil
}
