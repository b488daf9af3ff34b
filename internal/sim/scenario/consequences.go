package scenario

import (
	"slices"
	"strings"
)

// consequences are errors without those that may only follow from others: misread is
// how many were found while the file was read, before anything was derived from it. A
// field that could not be read has its default then, which is not what its writer meant.
func consequences(errs Errors, misread int) Errors {
	out := slices.Clone(errs[:misread])
	for _, e := range errs[misread:] {
		if !slices.ContainsFunc(errs[:misread], func(cause Error) bool { return follows(e.Path, cause.Path) }) {
			out = append(out, e)
		}
	}
	return out
}

// follows says that what is derived at a path rests on what another path says.
func follows(path, cause string) bool {
	section, of := sectionOf(path), sectionOf(cause)
	inFabric := strings.HasPrefix(section, "fabric")
	switch {
	case section == of:
		return true
	case strings.HasPrefix(of, "fabrics["): // each stands alone; what is said of all rests on them
		return section == "fabrics" || section == "faults" || section == "isolation" || section == "tune"
	case of == "run", of == "control", of == "faults", of == "nccl", of == "isolation", of == "tune", of == "name":
		return false
	case of == "training":
		return section == "workload"
	case of == "workload":
		return inFabric || section == "training" || section == "tune"
	}
	return true // of the cluster, the topology, or no section that there is
}

// sectionOf is the part of the file that a path lies in: cluster, or one of the fabrics.
func sectionOf(path string) string {
	section, _, _ := strings.Cut(path, ".")
	if i := strings.IndexByte(section, '['); i >= 0 && !strings.HasPrefix(section, "fabrics[") {
		section = section[:i]
	}
	return section
}
