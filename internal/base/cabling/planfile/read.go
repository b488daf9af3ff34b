package planfile

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/sorting"
	"weft/internal/base/wording"
)

// Known is what can be read, in messages.
const Known = "a plan of cables (Graphviz dot, NVIDIA Air's JSON, containerlab, Batfish, CSV with device,port,device,port or the headings of UFM, AVD, SONiC or NetBox), LLDP neighbours, or SONiC's config_db.json or minigraph.xml"

// Read reads a fabric from a file in any of the formats. open opens a file by its name; the caller undoes compression.
// An error says the file, the line and what would be valid.
func Read(name string, open func(name string) (io.ReadCloser, error)) (*cabling.Fabric, error) {
	in, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	defer func() { _ = in.Close() }()
	f, views, err := readOne(name, in)
	if err != nil || len(views) == 0 {
		return f, err
	}
	for _, v := range views {
		v.named(OwnerOf(name), "this switch")
	}
	return join(name, formatOfViews(views), views)
}

// formatOfViews is the format of views: of those with neighbours.
func formatOfViews(views []*view) string {
	formats, configured := map[string]bool{}, false
	for _, v := range views {
		if v.format != portStatus || len(views) == 1 {
			formats[v.format] = true
		}
		configured = configured || v.configured()
	}
	switch {
	case len(formats) == 1:
		return slices.Collect(maps.Keys(formats))[0]
	case configured:
		return "LLDP and configurations"
	}
	return "LLDP"
}

// readOne reads one file. The file has a fabric, the view of one switch, or a capture of a terminal with several views.
func readOne(name string, in io.Reader) (f *cabling.Fabric, views []*view, err error) {
	text, latin1, err := readText(name, in)
	if err != nil {
		return nil, nil, err
	}
	if views = captured(name, text); len(views) == 0 {
		var v *view
		if f, v, err = recognise(name, text); v != nil {
			views = []*view{v}
		}
	}
	if latin1 {
		const note = ": not in UTF-8, and read as Latin-1"
		if f != nil {
			f.Note("%s%s", name, note)
		}
		if len(views) > 0 {
			views[0].notes = append(views[0].notes, name+note)
		}
	}
	return f, views, err
}

// captured is the views in a file that holds the outputs of several commands, of one switch or of several.
func captured(name, text string) (views []*view) {
	outputs := cabling.Outputs(text)
	if len(outputs) < 2 {
		return nil
	}
	var notes []string
	for _, o := range outputs {
		lines := strings.Split(strings.ReplaceAll(o.Text, "\r", ""), "\n")
		v := viewOfBlocks(name, lines)
		if v == nil {
			v = viewOfText(name, lines)
		}
		if i := beginOfJSON(lines); v == nil && i > 0 {
			text := strings.Join(lines[i:], "\n")
			if _, err := parseJSON(name, text, o.Line+i+1); err != nil {
				notes = append(notes, err.Error()+": this output is left out")
			}
			_, v, _ = recogniseJSON(name, text, lines[0], i+1) // other JSON has no cables
		}
		if v == nil {
			continue
		}
		v.name = cmp.Or(v.name, o.Device)
		for i := range v.sights {
			v.sights[i].place.Line += o.Line
		}
		views = append(views, v)
	}
	if !slices.ContainsFunc(views, func(v *view) bool { return len(v.sights) > 0 }) {
		return nil
	}
	views[0].notes = append(views[0].notes, notes...)
	return views
}

var dotBegin = regexp.MustCompile(`(?is)^(strict\s+)?(di)?graph\b[^{]*\{`)

// recognise reads a text in the format that its beginning shows.
func recognise(name, text string) (f *cabling.Fabric, v *view, err error) {
	begin := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(begin, "<"):
		v, err = viewOfMinigraph(name, text)
		return nil, v, err
	case strings.HasPrefix(begin, "{"), strings.HasPrefix(begin, "["):
		return recogniseJSON(name, text, "", 1)
	case dotBegin.MatchString(withoutDotComments(text)):
		f, err = readDot(name, text)
		return f, nil, err
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	if v := viewOfBlocks(name, lines); v != nil {
		return nil, v, nil
	}
	if v := viewOfText(name, lines); v != nil {
		return nil, v, nil
	}
	if i := beginOfJSON(lines); i > 0 {
		return recogniseJSON(name, strings.Join(lines[i:], "\n"), strings.Join(lines[:i], "\n"), i+1)
	}
	if IsContainerlab(text) {
		top, err := parseYAML(name, text)
		if err != nil {
			return nil, nil, err
		}
		f, err = readContainerlab(name, top)
		return f, nil, err
	}
	if !strings.ContainsAny(text, ",;\t") {
		return nil, nil, problem(name, 1, "%s: this is no plan of cables; expected %s", quote(strings.TrimSpace(lines[0])), Known)
	}
	f, err = readCSV(name, text)
	return f, nil, err
}

// withoutDotComments is a text without blanks and comments before its first word.
func withoutDotComments(text string) string {
	l := dotLexer{text: text}
	l.skip()
	return text[l.at:]
}

// maxPrompt is the number of lines of a terminal before an answer in JSON.
const maxPrompt = 40

// beginOfJSON is the line where an answer in JSON begins behind the lines of a terminal; 0 if there is none.
func beginOfJSON(lines []string) int {
	for i, line := range lines[:min(len(lines), maxPrompt)] {
		if line = strings.TrimSpace(line); i > 0 && (line == "{" || line == "[" || strings.HasPrefix(line, `{"`) || strings.HasPrefix(line, "[{")) {
			return i
		}
	}
	return 0
}

var (
	clabTop  = regexp.MustCompile(`(?m)^"?topology"?\s*:\s*(#.*)?\r?$`)
	otherTop = regexp.MustCompile(`(?m)^"?(cluster|fabrics?|workload|training|serving)"?\s*:`) // of a scenario
	clabPart = regexp.MustCompile(`(?m)^\s+(-\s*)?"?(nodes|endpoints?)"?\s*:`)
)

// IsContainerlab is whether a YAML text is a topology of containerlab: no other YAML is read here. A scenario has a
// topology too, and other sections beside it.
func IsContainerlab(text string) bool {
	return clabTop.MatchString(text) && clabPart.MatchString(text) && !otherTop.MatchString(text)
}

// recogniseJSON reads a JSON value by the names of its members. head is the text before it, line its first line.
func recogniseJSON(name, text, head string, line int) (f *cabling.Fabric, v *view, err error) {
	top, err := parseJSON(name, text, line)
	if err != nil {
		return nil, nil, err
	}
	top = unwrapped(top)
	one := top
	if top.kind == list && len(top.items) > 0 {
		one = &top.items[0]
	}
	switch {
	case one.has("source_guid"):
		f, err = readUFMLinks(name, top)
	case isUFM(one):
		f, err = readUFMPorts(name, top)
	case top.kind == list:
		err = problem(name, line, "a list that is no answer of UFM's links or ports; expected %s", Known)
	case top.has("edges"):
		f, err = readBatfish(name, top)
	case top.has("lldp"):
		v = viewOfLLDPCtl(name, top)
	case top.has("lldpNeighbors"):
		v = viewOfEOS(name, top)
	case top.has("TABLE_nbor"), top.has("TABLE_nbor_detail"):
		v = viewOfNXOS(name, top)
	case top.has("topology"):
		f, err = readContainerlab(name, top)
	case top.get("content").has("links"), top.has("links"):
		f, err = readAir(name, top)
	case top.get("report").has("miss_wired"):
		err = problem(name, line, "this is the report of UFM's NDT plugin, which has a plan and what is cabled in it: give it alone, weft fabric diff %s", name)
	case isConfigDB(top):
		v = viewOfConfigDB(name, top)
	default:
		err = problem(name, line, "JSON with the members %s; expected %s", quote(strings.Join(top.names[:min(len(top.names), 8)], ", ")), Known)
	}
	if v != nil && head != "" {
		v.name = cmp.Or(v.name, nameIn(head))
	}
	return f, v, err
}

// unwrapped is the answer in a value that holds it, as {"result": [{…}]} of an API.
func unwrapped(v *value) *value {
	for range 3 {
		switch {
		case v.kind == list && len(v.items) == 1 && v.items[0].kind == object && !isUFM(&v.items[0]):
			v = &v.items[0]
		case v.has("result") && v.get("result").kind != scalar:
			v = v.get("result")
		case v.has("body") && v.get("body").kind == object:
			v = v.get("body")
		case v.has("data") && v.get("data").kind == list:
			v = v.get("data")
		}
	}
	return v
}

func isUFM(v *value) bool {
	return v.has("source_guid") || v.has("external_number") || v.has("peer_port_dname") || v.has("peer_node_name")
}

// ReadFolder reads the views of the switches of a folder and of the folders in it, one or more files each, and joins
// them; name is the folder's name in messages. A folder with one plan of cables is that plan. Other files are
// left out with a note.
func ReadFolder(fsys fs.FS, name string) (*cabling.Fabric, error) {
	var views []*view
	var plans []*cabling.Fabric
	var others, files int
	var first error
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s cannot be read: %w", path.Join(name, p), err)
		case d.IsDir() || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") || noPlan(p):
			return nil
		}
		if files++; files > maxFiles {
			return problem(name, 0, "more than %d files", maxFiles)
		}
		in, err := fsys.Open(p)
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", path.Join(name, p), err)
		}
		defer func() { _ = in.Close() }()
		full := path.Join(name, p)
		f, seen, err := readOne(full, in)
		switch {
		case err != nil:
			if others++; first == nil {
				first = err
			}
		case len(seen) > 0:
			for _, v := range seen {
				v.named(OwnerOf(p), OwnerOf(full), full)
			}
			views = append(views, seen...)
		default:
			plans = append(plans, f)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sorting.StableFunc(views, func(a, b *view) int { return wording.Natural(a.file, b.file) }) // leaf2 before leaf10
	return ofFolder(name, views, plans, others, first)
}

// noPlan reports whether a file of a switch has no cables by its name: FRR's and the kernel's configuration.
func noPlan(file string) bool {
	base := strings.ToLower(path.Base(file))
	return strings.HasSuffix(base, ".conf") && (strings.Contains(base, "frr") || strings.Contains(base, "bgpd") || strings.Contains(base, "sysctl") || strings.Contains(base, "traffic") || strings.Contains(file, "sysctl.d/")) ||
		strings.Contains(base, "running-config") || strings.HasPrefix(base, "fib_multipath_hash_")
}

// ofFolder makes one fabric of the fabrics and the views of switches that a folder has.
func ofFolder(name string, views []*view, plans []*cabling.Fabric, others int, first error) (*cabling.Fabric, error) {
	switch {
	case len(views) == 0 && len(plans) == 1:
		return plans[0], nil
	case len(views) == 0 && len(plans) > 1:
		return nil, problem(name, 0, "the folder has %d plans of cables: name one of the files", len(plans))
	case len(views) == 0 && first != nil:
		return nil, fmt.Errorf("%s has no file of a known format; the first: %w", name, first)
	case len(views) == 0:
		return nil, problem(name, 0, "the folder is empty: expected one config_db.json, minigraph.xml or list of LLDP neighbours for each switch")
	}
	files := map[string]bool{}
	for _, v := range views {
		files[v.file] = true
	}
	f, err := join(name, formatOfViews(views)+" of "+wording.Counted(len(files), "file", "files"), views)
	if err != nil {
		return nil, err
	}
	if len(plans) > 0 {
		f.Note("%s: %s of another kind left out", name, wording.Counted(len(plans), "plan of cables", "plans of cables"))
	}
	if others > 0 {
		f.Note("%s left out, the first: %s", wording.Counted(others, "file is", "files are"), wording.Abridged(first.Error(), 200))
	}
	return f, nil
}
