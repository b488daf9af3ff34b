package ledger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"weft/internal/base/regular"
)

const (
	rowsFolder   = "rows"
	claimsFolder = "claims"
	beatsFolder  = "beats"
	rowsSuffix   = ".jsonl"
)

// Beat is the period of a process's sign of life, and Silence the time without one after which it counts
// as ended. Attributes of files on NFS may be a minute old.
const (
	Beat    = 10 * time.Second
	Silence = 6 * Beat
)

// syncEvery is the longest time that outcomes wait for the disk: a node that fails loses no more.
const syncEvery = time.Second

// Ledger is a process's view of the folder.
type Ledger struct {
	dir    string
	worker string // name of the place
	number int    // of this process at the place
	out    *os.File
	synced time.Time

	mu     sync.Mutex
	size   int64            // of the process's own file
	known  map[string]ref   // outcomes by piece
	read   map[string]int64 // length of the read lines, by file
	mine   map[string]string
	seen   map[string]sight // beats of others
	cached *os.File         // the file of the last Get

	stop, stopped chan struct{}
}

// ref is the place of a line.
type ref struct {
	file       string
	start, len int64
}

// sight is a beat, and since when it has been the same.
type sight struct {
	beat  string
	since time.Time
}

// line is an outcome.
type line struct {
	Piece string          `json:"piece"`
	Value json.RawMessage `json:"value"`
}

// Open joins a folder as a worker, and reads what others have done. Close leaves it.
func Open(dir, worker string) (*Ledger, error) {
	l, err := View(dir)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{rowsFolder, claimsFolder, beatsFolder} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, err
		}
	}
	l.worker = worker
	for l.out == nil {
		l.number++
		l.out, err = os.OpenFile(l.rows(l.me()), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	l.read[l.me()+rowsSuffix] = 0
	if err := l.beat(1); err != nil {
		return nil, errors.Join(err, l.out.Close())
	}
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	go l.live()
	return l, nil
}

// View reads a folder without joining it.
func View(dir string) (*Ledger, error) {
	l := &Ledger{dir: dir, known: map[string]ref{}, read: map[string]int64{}, mine: map[string]string{}, seen: map[string]sight{}}
	err := l.Refresh()
	return l, err
}

// me is the name of this process.
func (l *Ledger) me() string { return l.worker + "." + strconv.Itoa(l.number) }

func (l *Ledger) rows(process string) string {
	return filepath.Join(l.dir, rowsFolder, process+rowsSuffix)
}

// live shows that the process lives, and looks at the others.
func (l *Ledger) live() {
	defer close(l.stopped)
	t := time.NewTicker(Beat)
	defer t.Stop()
	for n := 2; ; n++ {
		select {
		case <-l.stop:
			return
		case <-t.C:
			_ = l.beat(n) // if the disk is full, the next outcome says so
			entries, _ := os.ReadDir(filepath.Join(l.dir, beatsFolder))
			l.mu.Lock()
			for _, e := range entries {
				l.silent(e.Name())
			}
			l.mu.Unlock()
		}
	}
}

func (l *Ledger) beat(n int) error {
	return os.WriteFile(filepath.Join(l.dir, beatsFolder, l.me()), []byte(strconv.Itoa(n)), 0o666)
}

// Refresh reads the outcomes that others have added.
func (l *Ledger) Refresh() error {
	entries, err := os.ReadDir(filepath.Join(l.dir, rowsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, rowsSuffix) && (l.out == nil || name != l.me()+rowsSuffix) {
			if err := l.take(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// take reads the new lines of a file.
func (l *Ledger) take(name string) error {
	f, err := regular.Open(filepath.Join(l.dir, rowsFolder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its process has left without an outcome
	}
	if err != nil {
		return err
	}
	defer f.Close()
	at := l.read[name]
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(f, 1<<16)
	for {
		text, err := lineOf(in)
		if errors.Is(err, io.EOF) {
			l.read[name] = at
			return nil // the rest is being written, or was cut short
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(l.dir, rowsFolder, name), err)
		}
		var row line
		if err := json.Unmarshal(text, &row); err != nil || row.Piece == "" {
			return fmt.Errorf("%s has a line at byte %d that weft has not written: name another folder", filepath.Join(l.dir, rowsFolder, name), at)
		}
		if _, done := l.known[row.Piece]; !done {
			l.known[row.Piece] = ref{name, at, int64(len(text))}
		}
		at += int64(len(text))
	}
}

// mostLine bounds an outcome: a row of a table has some KB.
const mostLine = 16 << 20

// lineOf reads a line with its end.
func lineOf(in *bufio.Reader) (text []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > mostLine:
			return nil, fmt.Errorf("a line has more than %d bytes: weft has not written it", mostLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return text, err
		}
	}
}

// Done reports whether a piece has an outcome.
func (l *Ledger) Done(piece string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, done := l.known[piece]
	return done
}

// Len is the number of pieces with an outcome.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.known)
}

// Get decodes the outcome of a piece; ok is false if it has none.
func (l *Ledger) Get(piece string, into any) (ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.known[piece]
	if !ok {
		return false, nil
	}
	path := filepath.Join(l.dir, rowsFolder, at.file)
	if l.cached == nil || l.cached.Name() != path {
		if l.cached != nil {
			_ = l.cached.Close()
		}
		if l.cached, err = regular.Open(path); err != nil {
			l.cached = nil
			return false, err
		}
	}
	text := make([]byte, at.len)
	if _, err := l.cached.ReadAt(text, at.start); err != nil {
		return false, err
	}
	var row line
	if err := json.Unmarshal(text, &row); err != nil {
		return false, err
	}
	return true, json.Unmarshal(row.Value, into)
}

// Add keeps the outcome of a piece.
func (l *Ledger) Add(piece string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if text, err = json.Marshal(line{piece, text}); err != nil {
		return err
	}
	text = append(text, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.out.Write(text)
	if err != nil {
		if n > 0 { // a part of a line would spoil the next
			_ = l.out.Truncate(l.size)
		}
		return err
	}
	l.known[piece] = ref{l.me() + rowsSuffix, l.size, int64(n)}
	l.size += int64(n)
	if now := time.Now(); now.Sub(l.synced) > syncEvery {
		l.synced = now
		return l.out.Sync()
	}
	return nil
}

// Close leaves the folder. Pieces that are held and not done are free for others.
func (l *Ledger) Close() error {
	if l.cached != nil {
		_ = l.cached.Close()
	}
	if l.out == nil {
		return nil
	}
	close(l.stop)
	<-l.stopped
	var errs []error
	for _, path := range l.mine {
		errs = append(errs, os.Remove(path))
	}
	errs = append(errs, l.out.Sync(), l.out.Close(), os.Remove(filepath.Join(l.dir, beatsFolder, l.me())))
	if l.size == 0 { // an empty file would only count processes
		errs = append(errs, os.Remove(l.out.Name()))
	}
	return errors.Join(errs...)
}
