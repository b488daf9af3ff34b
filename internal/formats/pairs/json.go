package pairs

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// deepest is the depth at which a walk through JSON ends.
const deepest = 16

// json reads a file of JSON: anywhere in it a list of objects with both ends and a value, or an object with a square matrix
// and a list of as many hosts.
func (r *reader) json(text []byte) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	for {
		var value any
		if err := in.Decode(&value); err != nil {
			if rest := bytes.TrimSpace(text[min(int(in.InputOffset()), len(text)):]); len(rest) > 0 {
				r.note(r.name, 1+bytes.Count(text[:in.InputOffset()], []byte{'\n'}), "what begins here is no valid JSON: %v", err)
			}
			return
		}
		r.walk(value, "", r.usual(), 0)
	}
}

// usual is the unit of clusterkit's bandwidth.json and latency.json, which is that of their text beside them.
func (r *reader) usual() unit {
	switch name := strings.ToLower(path.Base(r.name)); {
	case strings.HasPrefix(name, "bandwidth"):
		return unit{false, 8e-3}
	case strings.HasPrefix(name, "latency"):
		return unit{true, 1}
	}
	return unit{}
}

// walk takes the pairs of a value. Name is its name, and of the unit that names around it say.
func (r *reader) walk(value any, name string, of unit, depth int) {
	if depth == deepest {
		return
	}
	of = named(name, of)
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if object, ok := item.(map[string]any); !ok || !r.pair(object, of) {
				r.walk(item, "", of, depth+1)
			}
		}
	case map[string]any:
		if u, ok := v["unit"].(string); ok {
			of, _ = unitOf(u)
		} else if u, ok := v["units"].(string); ok {
			of, _ = unitOf(u)
		}
		if r.pair(v, of) || r.matrix(v, of) || r.nested(v, of) {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			r.walk(v[key], key, of, depth+1)
		}
	}
}

// named is the unit that a name says, or the usual one of its quantity, or the one around it.
func named(name string, of unit) unit {
	if u, ok := unitIn(name); ok {
		return u
	}
	return of
}

// pair reports whether an object is a pair, and keeps it.
func (r *reader) pair(object map[string]any, of unit) bool {
	from, to := "", ""
	for key, v := range object {
		text, ok := v.(string)
		switch what := ends[signs.ReplaceAllString(strings.ToLower(key), "")]; {
		case !ok:
		case what == "from":
			from = text
		case what == "to":
			to = text
		}
	}
	if from == "" || to == "" {
		return false
	}
	found := false
	for _, key := range slices.Sorted(maps.Keys(object)) {
		n, ok := object[key].(json.Number)
		if !ok || !quantities.MatchString(key) {
			continue
		}
		u := named(key, of)
		x, isNumber := number(n.String())
		switch {
		case u.scale == 0:
			r.note(r.name, 0, "%s of %s and %s says no unit: want a name such as bandwidth_gbps or latency_us, or \"unit\": \"Gb/s\" beside it", short(key), short(from), short(to))
		case isNumber:
			r.add(0, from, to, x, u, false)
			found = true
		}
	}
	return found
}

// matrix reports whether an object has a list of hosts and matrices of their number, and keeps their pairs.
func (r *reader) matrix(object map[string]any, of unit) bool {
	var hosts []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if list := texts(object[key]); len(list) > 1 && len(list) <= maxHosts && len(list) > len(hosts) {
			hosts = list
		}
	}
	found := false
	for _, key := range slices.Sorted(maps.Keys(object)) {
		rows, ok := object[key].([]any)
		if !ok || len(rows) != len(hosts) || hosts == nil {
			continue
		}
		u := named(key, of)
		for i, row := range rows {
			values := numbers(row)
			switch {
			case len(values) != len(hosts):
				continue
			case u.scale == 0:
				r.note(r.name, 0, "the matrix %s says no unit: want a name such as bandwidth_gbps or latency_us, or \"unit\": \"Gb/s\" beside it", short(key))
				return true
			}
			found = true
			for j, x := range values {
				if i != j && x != 0 {
					r.add(0, hosts[i], hosts[j], x, u, false)
				}
			}
		}
	}
	return found
}

// nested reports whether an object has for each host an object of its peers, and keeps their pairs.
func (r *reader) nested(object map[string]any, of unit) bool {
	if len(object) < 2 || of.scale == 0 || len(object) > maxHosts {
		return false
	}
	values := map[string]map[string]json.Number{}
	for from, v := range object {
		peers, ok := v.(map[string]any)
		if !ok {
			return false
		}
		values[from] = map[string]json.Number{}
		for to, v := range peers {
			x, isNumber := v.(json.Number)
			if !isNumber || object[to] == nil {
				return false
			}
			values[from][to] = x
		}
	}
	for _, from := range slices.Sorted(maps.Keys(values)) {
		for _, to := range slices.Sorted(maps.Keys(values[from])) {
			if x, ok := number(values[from][to].String()); ok && x != 0 {
				r.add(0, from, to, x, of, false)
			}
		}
	}
	return true
}

// texts are the names of a list of names, nil if it is none.
func texts(value any) (out []string) {
	list, ok := value.([]any)
	if !ok {
		return nil
	}
	for _, v := range list {
		text, ok := v.(string)
		if !ok || text == "" {
			return nil
		}
		out = append(out, text)
	}
	return out
}

// numbers are the numbers of a list of numbers, nil if it is none.
func numbers(value any) (out []float64) {
	list, ok := value.([]any)
	if !ok {
		return nil
	}
	for _, v := range list {
		n, ok := v.(json.Number)
		if !ok {
			return nil
		}
		x, ok := number(n.String())
		if !ok {
			return nil
		}
		out = append(out, x)
	}
	return out
}
