package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"weft/internal/sim/known"
)

// The names of files beside results, which are named by their keys.
const (
	versionFile = "version"
	partial     = ".part-" // and something random: a result that is not complete
)

// fileOf is the file of a result in the folder of its program.
func fileOf(own string, key known.Key) string {
	return filepath.Join(own, hex.EncodeToString(key[:]))
}

// keyFrom is the key of a file's name; it is not ok if the file is no result.
func keyFrom(name string) (key known.Key, ok bool) {
	text, err := hex.DecodeString(name)
	if err != nil || len(text) != len(key) {
		return key, false
	}
	return known.Key(text), true
}

// header is the first line of a result's file. The recipe and the value follow.
type header struct {
	Kind   string `json:"kind"`
	What   string `json:"what"`
	Recipe int    `json:"recipe_bytes"`
	Sum    string `json:"sha256"` // of the key, the recipe and the value
}

// encode makes the text of a result's file.
func encode(key known.Key, e *known.Entry) []byte {
	h := header{e.Kind, e.What, len(e.Recipe), sumOf(key, e.Recipe, e.Value)}
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers have a text
	}
	return bytes.Join([][]byte{append(text, '\n'), e.Recipe, e.Value}, nil)
}

var errDamaged = errors.New("a result in it is damaged: its sum is wrong")

// decode reads the text of a result's file.
func decode(key known.Key, text []byte) (e known.Entry, err error) {
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	var h header
	if json.Unmarshal(first, &h) != nil || h.Recipe < 0 || h.Recipe > len(rest) {
		return e, errDamaged
	}
	e = known.Entry{Kind: h.Kind, What: h.What, Recipe: rest[:h.Recipe], Value: rest[h.Recipe:]}
	if sumOf(key, e.Recipe, e.Value) != h.Sum {
		return e, errDamaged
	}
	return e, nil
}

// sumOf is the sum by which a damaged result is found.
func sumOf(key known.Key, recipe, value []byte) string {
	h := sha256.New()
	h.Write(key[:])
	h.Write(recipe)
	h.Write(value)
	return hex.EncodeToString(h.Sum(nil))
}

// lastUse is when a result was used, to the hour.
func lastUse(name string) time.Time {
	at, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return at.ModTime()
}

// file is a file of a program's folder.
type file struct {
	program string // folder
	name    string
	bytes   int64 // that it takes of the disk
	used    time.Time
}

func (f *file) path(root string) string { return filepath.Join(root, f.program, f.name) }

// block is the unit in which most file systems give room to files.
const block = 4 << 10

// filesOf lists the results of all programs, and what killed processes have left.
func filesOf(root string) (out []file, err error) {
	programs, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, p := range programs {
		if _, is := keyFrom(p.Name()); !is { // a program's digest is as long as a key
			continue
		}
		files, _ := os.ReadDir(filepath.Join(root, p.Name()))
		for _, f := range files {
			at, err := f.Info()
			if err != nil || f.Name() == versionFile {
				continue // it has left just now
			}
			size := (at.Size() + block - 1) / block * block
			out = append(out, file{p.Name(), f.Name(), size, at.ModTime()})
		}
	}
	return out, err
}
