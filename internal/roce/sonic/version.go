package sonic

import (
	"slices"
	"strconv"
	"strings"
)

// newestBranch is the branch of the newest known format of the tables (sonic-utilities,
// scripts/db_migrator.py, version_202605_01).
const newestBranch = 202605

// version reads the version of the tables' format, as written by db_migrator: version_4_0_0, and
// since 2023 version_202305_01. Tables are read by their content, whatever the version, except for
// removed tables.
func (r *resolver) version() {
	row := r.config.Table("VERSIONS").Row("DATABASE")
	if row == nil {
		row = &Row{}
	}
	if v, ok := row.Get("VERSION"); ok {
		branch, known := versionOf(v.Text)
		if !known {
			r.problem(v.Line, "VERSION of VERSIONS|DATABASE is %q: valid are versions such as version_4_0_0, version_202305_01 and version_master_01", v.Text)
		}
		r.sw.Version, r.sw.Newer = v.Text, branch > newestBranch
	}
	if old := r.config.Table("PFC_WD_TABLE"); old != nil {
		r.problem(old.Line, "PFC_WD_TABLE is from before version_1_0_1 and has no effect now: move its entries to PFC_WD")
	}
}

// versionOf is the branch of a version, 0 if it has none or an older form.
func versionOf(text string) (branch int, ok bool) {
	words := strings.Split(text, "_")
	if len(words) < 3 || len(words) > 4 || words[0] != "version" {
		return 0, false
	}
	if words[1] == "master" {
		words[1] = "0"
	}
	numbers := make([]int, len(words)-1)
	for i, w := range words[1:] {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			return 0, false
		}
		numbers[i] = n
	}
	if len(numbers) == 2 {
		return numbers[0], true
	}
	return 0, true
}

// sinceWatched reports whether a version is one whose tables have pfcwd_sw_enable. db_migrator fills
// it in from pfc_enable on the way to version_3_0_5 and never again, and without it the switch
// watches no priority (sonic-swss, qosorch).
func sinceWatched(text string) bool {
	branch, ok := versionOf(text)
	switch {
	case !ok:
		return false
	case branch > 0 || strings.HasPrefix(text, "version_master_"):
		return true
	}
	var numbers [3]int
	for i, w := range strings.Split(text, "_")[1:] {
		numbers[i], _ = strconv.Atoi(w)
	}
	return slices.Compare(numbers[:], []int{3, 0, 5}) >= 0
}
