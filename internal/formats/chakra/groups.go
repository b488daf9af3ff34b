package chakra

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"weft/internal/formats/source"
	"weft/internal/sim/workload"
)

// groupsHead matches the beginning of a job's list of process groups, in ASTRA-sim's form
// (--comm-group-configuration): an object with a list of ranks for each group name.
var groupsHead = regexp.MustCompile(`^\s*\{\s*"[^"]*"\s*:\s*\[[\s0-9,\]]`)

func recogniseGroups(head []byte) bool { return groupsHead.Match(head) && !recogniseJSON(head) }

// takeGroups reads the list of process groups among the files, if there is one, and returns the
// other files.
func (b *builder) takeGroups(files []source.File) ([]source.File, *source.Problem) {
	var traces []source.File
	var from string
	for _, f := range files {
		r := bufio.NewReader(f.Reader)
		head, err := r.Peek(64)
		if err != nil && len(head) == 0 || !recogniseGroups(head) {
			traces = append(traces, source.File{Name: f.Name, Reader: r})
			continue
		}
		if from != "" {
			return nil, &source.Problem{File: f.Name, Want: "one list of process groups: " + from + " is one too"}
		}
		from = f.Name
		if err := json.NewDecoder(io.LimitReader(r, maxGroupsFile)).Decode(&b.listed); err != nil {
			return nil, &source.Problem{File: f.Name, Want: fmt.Sprintf("an object of lists of ranks by the names of process groups, at most %d bytes: %v", maxGroupsFile, err)}
		}
	}
	if len(traces) == 0 {
		return nil, &source.Problem{File: from, Want: "traces beside the process groups: NAME.RANK.et"}
	}
	return traces, nil
}

// processGroups reads the process groups from a metadata node of PyTorch: a list in JSON, inside a
// list of one string. Other metadata has none.
func (t *trace) processGroups(x *node) {
	text := x.values
	var outer []string
	if json.Unmarshal([]byte(text), &outer) == nil && len(outer) == 1 {
		text = outer[0]
	} else if len(text) > 4 { // the quotes are not escaped
		text = text[2 : len(text)-2]
	}
	var list []struct {
		Name  string  `json:"pg_name"`
		Ranks []int32 `json:"ranks"`
	}
	if json.Unmarshal([]byte(text), &list) != nil {
		return
	}
	for _, g := range list {
		t.listed[g.Name] = g.Ranks
	}
}

// ranks is the number of ranks of the job: ranks with files, and ranks named by groups.
func (b *builder) ranks() int {
	most := int32(b.w.Ranks - 1)
	of := func(groups map[string][]int32) {
		for _, ranks := range groups {
			for _, r := range ranks {
				if r < maxRanks {
					most = max(most, r)
				}
			}
		}
	}
	of(b.listed)
	for _, t := range b.traces {
		of(t.listed)
	}
	return int(most + 1)
}

// members is the number of the group with these members; an empty list is all ranks.
func (b *builder) members(ranks []int32) int32 {
	if len(ranks) == 0 {
		return b.everyone()
	}
	return b.group(ranks)
}

// allRanks is the name of PyTorch's first group, which has all ranks.
const allRanks = "0"

// groupOf is the number of a collective's group.
func (b *builder) groupOf(t *trace, x *node) (int32, *source.Problem) {
	name := x.attrs["pg_name"].text
	if name == "" {
		return b.everyone(), nil
	}
	if ranks, known := t.listed[name]; known {
		return b.members(ranks), nil
	}
	if ranks, known := b.listed[name]; known {
		return b.members(ranks), nil
	}
	if name == allRanks {
		return b.everyone(), nil
	}
	return 0, t.problem(x, fmt.Sprintf("the ranks of process group %s: no metadata node of the trace lists them; a file of groups as ASTRA-sim takes, {%q: [0, 1]}, may be given beside the traces", name, name))
}

// everyone is the number of the group of all ranks.
func (b *builder) everyone() int32 {
	if b.all < 0 {
		members := make([]int32, b.w.Ranks)
		for i := range members {
			members[i] = int32(i)
		}
		b.all = b.group(members)
	}
	return b.all
}

// group is the number of a group in the graph.
func (b *builder) group(members []int32) int32 {
	key := fmt.Sprint(members)
	n, known := b.groups[key]
	if !known {
		n = int32(len(b.graph.Groups))
		b.groups[key] = n
		b.graph.Groups = append(b.graph.Groups, workload.Group{Name: fmt.Sprintf("%d ranks from %d on", len(members), members[0]), Ranks: members})
	}
	return n
}
