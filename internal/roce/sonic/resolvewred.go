package sonic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/units"
)

// wredField are the fields of a WRED profile: of qosorch, and the thresholds of marking alone, which
// some vendors' releases have.
var wredField = func() *regexp.Regexp {
	const colour = `(?:green|yellow|red)`
	return regexp.MustCompile(`^(?:ecn|NULL|wred_` + colour + `_enable|(?:ecn_)?` + colour + `_(?:min|max)_threshold|` +
		colour + `_drop_probability|ecn_` + colour + `_mark_probability)$`)
}()

func (r *resolver) wred() {
	rows := r.rows("WRED_PROFILE")
	for i := range rows {
		row := &rows[i]
		const table = "WRED_PROFILE"
		before := len(r.problems) + r.unlisted
		ecn := r.word(table, row, "ecn", "ecn_none", "ecn_none", "ecn_green", "ecn_yellow", "ecn_red",
			"ecn_green_yellow", "ecn_green_red", "ecn_yellow_red", "ecn_all")
		w := &WRED{Name: row.Key, Line: row.Line, ECN: ecn == "ecn_all" || strings.Contains(ecn, "green")}
		w.Enabled = r.word(table, row, "wred_green_enable", "false", "true", "false") == "true"
		first, last, chance := "green_min_threshold", "green_max_threshold", "green_drop_probability"
		if v, ok := row.Get("ecn_green_min_threshold"); ok && v.Text != "" {
			first, last, chance = "ecn_green_min_threshold", "ecn_green_max_threshold", "ecn_green_mark_probability"
		}
		w.MinField, w.MaxField, w.ChanceField = first, last, chance
		w.Min = units.Bytes(r.number(table, row, first, 0, 0, maxBuffer))
		w.Max = units.Bytes(r.number(table, row, last, 0, 0, maxBuffer))
		w.Percent = int(r.number(table, row, chance, 100, 0, 100))
		w.Broken = len(r.problems)+r.unlisted > before
		_, hasMin := row.Get(first)
		_, hasMax := row.Get(last)
		w.Unset = !hasMin || !hasMax
		if w.Min > w.Max && !w.Broken && !w.Unset {
			v, _ := row.Get(first)
			r.mendable(v.Line, Patch(table, row.Key, first, fmt.Sprint(int64(w.Max)), last, fmt.Sprint(int64(w.Min))),
				"WRED_PROFILE|%s begins to mark at %d bytes (Kmin), above %d (Kmax): valid is Kmin at most Kmax", row.Key, w.Min, w.Max)
		}
		if i := slices.IndexFunc(row.Fields, func(f Field) bool { return !wredField.MatchString(f.Name) }); i >= 0 {
			w.Unknown, w.UnknownLine = row.Fields[i].Name, row.Fields[i].Line
		}
		r.sw.WRED = append(r.sw.WRED, w)
	}
}
