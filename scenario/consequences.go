package scenario

import (
	"slices"
	"strings"
)

// consequences removes errors that may only follow from others: misread is the number of errors
// found while the file was read, before anything was derived from it. A field that could not be
// read has its default, which is not the user's intention.
func consequences(errs Errors, misread int) Errors {
	out := slices.Clone(errs[:misread])
	for _, e := range errs[misread:] {
		if !slices.ContainsFunc(errs[:misread], func(cause Error) bool { return follows(e.Path, cause.Path) }) {
			out = append(out, e)
		}
	}
	return out
}

// follows reports whether the value at a path depends on the value at another path.
func follows(path, cause string) bool {
	section, of := sectionOf(path), sectionOf(cause)
	inFabric := strings.HasPrefix(section, "fabric")
	switch {
	case section == of:
		return true
	case strings.HasPrefix(of, "fabrics["): // each is independent; fields of all fabrics depend on them
		return section == "fabrics" || section == "faults" || section == "isolation" || section == "tune"
	case of == "run", of == "control", of == "faults", of == "nccl", of == "isolation", of == "tune", of == "name":
		return false
	case of == "training", of == "serving":
		return section == "workload"
	case of == "workload":
		return inFabric || section == "training" || section == "serving" || section == "tune"
	}
	return true // in the cluster, the topology, or no existing section
}

// sectionOf is the section of the file for a path: cluster, or one of the fabrics.
func sectionOf(path string) string {
	section, _, _ := strings.Cut(path, ".")
	if i := strings.IndexByte(section, '['); i >= 0 && !strings.HasPrefix(section, "fabrics[") {
		section = section[:i]
	}
	return section
}
