package router

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Reader reads one kind of file.
type Reader func(name, text string) (*Router, []error)

// ReaderOf is the reader of a file by its name: frr.conf, bgpd.conf, running-config, sysctl.conf, traffic.conf, or a copy of
// /proc/sys/net/ipv4/fib_multipath_hash_policy; nil for other files.
func ReaderOf(file string) Reader {
	base := strings.ToLower(path.Base(file))
	switch {
	case strings.HasSuffix(base, ".json"), strings.HasSuffix(base, ".xml"):
		return nil
	case strings.Contains(base, "frr"), strings.Contains(base, "bgpd"), strings.Contains(strings.NewReplacer("_", "-", " ", "-").Replace(base), "running-config"):
		return ReadFRR
	case strings.Contains(base, "sysctl"), strings.Contains(path.Dir(strings.ToLower(file))+"/", "sysctl.d/"):
		return ReadSysctl
	case strings.Contains(base, "traffic.conf"):
		return ReadTraffic
	case strings.HasPrefix(base, "fib_multipath_hash_"):
		return func(name, text string) (*Router, []error) {
			return ReadSysctl(name, "net.ipv4."+strings.TrimSuffix(base, ".txt")+" = "+text)
		}
	}
	return nil
}

// Folder reads the files of a folder and of the folders in it. owner names the switch of a file, by its path in the folder and the
// host name in it; files of nobody are left out. name is the folder's name in messages, which are one for each file that cannot
// be read, and one for each value that is not valid.
func Folder(fsys fs.FS, name string, owner func(file, hostname string) string) (routers map[string]*Router, problems []error) {
	routers = map[string]*Router{}
	files := 0
	err := fs.WalkDir(fsys, ".", func(file string, about fs.DirEntry, err error) error {
		if err != nil || about.IsDir() || !about.Type().IsRegular() {
			return err
		}
		read := ReaderOf(file)
		if read == nil {
			return nil
		}
		full := path.Join(name, file)
		if files++; files > maxFiles {
			return fmt.Errorf("%s: only %d files with routers' settings are read", name, maxFiles)
		}
		text, err := whole(fsys, file)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s cannot be read: %w", full, err))
			return nil
		}
		r, errs := read(full, text)
		problems = append(problems, errs...)
		if of := owner(file, r.Hostname); of != "" && !r.Empty() {
			if routers[of] == nil {
				routers[of] = &Router{}
			}
			routers[of].take(r)
		}
		return nil
	})
	if err != nil {
		problems = append(problems, err)
	}
	return routers, problems
}

// whole is the text of a file.
func whole(fsys fs.FS, file string) (string, error) {
	in, err := fsys.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	return string(text), err
}
