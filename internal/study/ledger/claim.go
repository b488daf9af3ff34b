package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"weft/internal/base/regular"
)

// mostName bounds a claim, which is the name of a process, and a beat, which is a number.
const mostName = 1 << 12

// Claim takes a piece for this process. It is false if a process that lives holds it.
func (l *Ledger) Claim(piece string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, held := l.mine[piece]; held {
		return false, nil // by this process
	}
	for g := 1; ; {
		path := filepath.Join(l.dir, claimsFolder, piece+"."+strconv.Itoa(g))
		switch err := create(path, l.me()); {
		case err == nil:
			l.mine[piece] = path
			return true, nil
		case !errors.Is(err, fs.ErrExist):
			return false, err
		}
		holder, err := regular.Read(path, mostName)
		switch {
		case errors.Is(err, fs.ErrNotExist): // given up just now
		case err != nil:
			return false, err
		case l.ended(string(holder), path):
			g++
		default:
			return false, nil
		}
	}
}

// create makes a file that does not exist, with a content.
func create(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Finished says that a claimed piece needs no holder any more: all of it has outcomes.
func (l *Ledger) Finished(piece string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.mine, piece)
}

// ended reports whether the holder of a claim has ended. The claim of a process that was killed between
// two steps names no holder.
func (l *Ledger) ended(holder, claim string) bool {
	worker, number, ok := cutLast(holder)
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return l.unchanged("claim "+claim, holder)
	}
	if worker == l.worker && n < l.number {
		return true
	}
	if _, err := os.Stat(l.rows(worker + "." + strconv.Itoa(n+1))); err == nil {
		return true
	}
	return l.silent(holder)
}

func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// silent reports whether the beat of a process has been the same, or missing, for too long.
func (l *Ledger) silent(process string) bool {
	text, err := regular.Read(filepath.Join(l.dir, beatsFolder, process), mostName)
	if err != nil {
		text = nil
	}
	return l.unchanged(process, string(text))
}

// unchanged reports whether this process has seen the same text for too long, by its own clock.
func (l *Ledger) unchanged(name, text string) bool {
	s, known := l.seen[name]
	if !known || s.beat != text {
		l.seen[name] = sight{text, time.Now()}
		return false
	}
	return time.Since(s.since) > Silence
}
