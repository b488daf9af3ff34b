package router

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"weft/internal/base/cabling/planfile"
	"weft/internal/base/packed"
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
	case isFRR(file):
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

// isFRR reports whether a file is FRR's configuration, by its name.
func isFRR(file string) bool {
	base := strings.ToLower(path.Base(file))
	return strings.Contains(base, "frr") || strings.Contains(base, "bgpd") || strings.Contains(strings.NewReplacer("_", "-", " ", "-").Replace(base), "running-config")
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

// Site are the routers of a fabric's folder, by the name of the switch, as in Folder. configs are the switches by the paths of
// their config_db.json in the folder, known are the switches that the fabric has. A file belongs to the switch that it names, or else
// whose configuration lies beside it, or else that is named by the file or by a folder that has it. lost are the files of no
// switch.
func Site(fsys fs.FS, folder string, configs map[string]string, known func(name string) bool) (routers map[string]*Router, lost int, problems []error) {
	beside := map[string]string{} // by folder: the only switch with a configuration in it
	for file, name := range configs {
		at := path.Dir(file)
		if _, taken := beside[at]; taken {
			name = ""
		}
		beside[at] = name
	}
	routers, problems = Folder(packed.Folder(fsys), folder, func(file, hostname string) string {
		names := []string{hostname}
		for at := file; at != "." && at != "/"; at = path.Dir(at) {
			if name, ok := beside[path.Dir(at)]; ok && path.Dir(at) != "." {
				names = append(names, name)
			}
			names = append(names, planfile.OwnerOf(path.Base(at)))
		}
		for _, name := range names {
			if name != "" && known(name) {
				return name
			}
		}
		lost++
		return ""
	})
	return routers, lost, problems
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
