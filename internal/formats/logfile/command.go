package logfile

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/shellwords"
)

// commands reads the command lines that a log has: behind a prompt ($, #), as sh -x prints them (+), or at the begin of
// a line; also exports, and lists of variables. A command line that starts a test begins a run: it holds for the tables
// below it, up to the next one.
type commands struct {
	b *builder
	// open is a command line that goes on in the next line, and first the line where it begins.
	open  string
	first int
}

var (
	// label matches what a launcher or a collector of logs puts before each line: [1,0]<stdout>:, 0:, a time.
	label = regexp.MustCompile(`^(?:\[\d+,\d+\](?:<\w+>)?: ?|\s*\d+: +|\d{4}-\d\d-\d\d[T ]\S+ (?:std(?:out|err) F )?)`)
	// assignment matches NAME=VALUE of a library of communication or of its surroundings.
	assignment = regexp.MustCompile(`^((?:NCCL|RCCL|UCX|OMPI|PMIX|FI|CUDA|HIP|HSA|MLX5|SHARP|HCOLL|NVSHMEM|NIXL|MC|GLOO|MV2|I_MPI|TORCH_NCCL)_[A-Za-z0-9_]+)=(.*)$`)
	// promptHost matches the host in a prompt: user@host:~$, [root@host ~]#.
	promptHost = regexp.MustCompile(`[\w.-]+@([A-Za-z0-9][\w.-]*)[: \]]`)
	// prompt matches what stands before a command.
	prompt = regexp.MustCompile(`^\s*(?:\++ |\$ |# |> |[^\s$#]*[\w~\])][$#] +|\[[^\]]*\][$#] *|(?i:running|run|command|cmd|executing|launching)[^:]{0,24}: *)`)
)

func (r *commands) line(n int, text string) {
	if r.open == "" && !commanding(text) {
		return
	}
	if r.open == "" {
		r.first = n
	} else {
		text = r.open + " " + strings.TrimLeft(text, " \t>")
	}
	rest, goesOn := strings.CutSuffix(strings.TrimRight(text, " \t"), `\`)
	if goesOn && len(rest) < maxLine {
		r.open = rest
		return
	}
	r.open = ""
	r.command(rest)
}

// commanding reports quickly whether a line can have a command or an assignment.
func commanding(text string) bool {
	if strings.Contains(text, "NCCL INFO") || strings.Contains(text, "NCCL WARN") {
		return false
	}
	for _, word := range []string{"mpirun", "mpiexec", "srun", "_perf", "ib_", "osu_", "ucx_perftest", "bench", "clusterkit", "test_", "taskset", "numactl", "export ", "torchrun", "orterun", "prterun"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return strings.Contains(text, "_") && strings.Contains(text, "=") && !strings.ContainsAny(text, "{}|")
}

// command reads the commands of a line.
func (r *commands) command(text string) {
	text = text[len(label.FindString(text)):]
	before := prompt.FindString(text)
	if rest := text[len(before):]; strings.HasPrefix(rest, "['") { // a list of Python
		text = before + strings.NewReplacer("', '", "' '", "['", "'", "']", "'").Replace(rest)
	}
	prompted := before != "" && strings.TrimSpace(before) != "#" // which is a comment, too
	words := shellWords(text[len(before):])
	host := promptHost.FindStringSubmatch(before)
	for len(words) > 0 {
		end := slices.IndexFunc(words, func(word string) bool { return slices.Contains(between, word) })
		part := words
		if words = nil; end >= 0 {
			part, words = part[:end], part[end+1:]
		}
		w := &walk{b: r.b, line: r.first, prompted: prompted}
		if host != nil {
			w.client = host[1]
		}
		w.words(part, 0)
		w.take()
	}
}

// between are the signs between two commands.
var between = []string{";", "&&", "||", "|", "&"}

// shellWords are the words of a command line, with the signs between commands.
func shellWords(text string) (words []string) {
	for word, sign := range shellwords.Split(text, func(c, _ rune, _ bool) bool { return c == ';' }) {
		if sign || len(words) < maxWords {
			words = append(words, word)
		}
	}
	return words
}

// walk goes through the words of a command.
type walk struct {
	b        *builder
	line     int
	prompted bool    // it stands behind a prompt
	found    []found // settings, in order
	test     string  // the program that measures, "" if there is none
	sure     bool    // it is a command, and no heading that names a program
	others   bool    // it has words that are no assignments
	client   string  // the host that runs it, "" if it is not known
}

// found is a setting with the words that say it.
type found struct{ name, value, words string }

func (w *walk) add(name, value, words string) { w.found = append(w.found, found{name, value, words}) }

// words reads the words of a command: assignments, programs that start others, and the test.
func (w *walk) words(words []string, depth int) {
	for i := 0; i < len(words) && w.test == ""; {
		word := words[i]
		i++
		if inner := shellWords(word); len(inner) > 1 && depth < 2 && slices.ContainsFunc(inner, starts) { // bash -c "…"
			w.words(inner, depth+1)
			continue
		}
		if m := assignment.FindStringSubmatch(word); m != nil {
			w.add(m[1], m[2], word)
			continue
		}
		name := path.Base(word)
		switch of := programOf(word); {
		case of != nil:
			before := len(w.found)
			w.options(of, words[i:])
			w.test, w.others = name, true
			w.sure = w.sure || w.prompted || len(w.found) > before || i > 1 || strings.Contains(word, "/")
		case launchers[name] != nil:
			w.sure, w.others = true, true
			i += w.launch(name, words[i:])
		case i == 1 && depth == 0 && !w.prompted && !leads(word):
			return // a sentence
		case name == "ssh":
			w.others = true
			w.remote(words[i:])
		case word != "export" && word != "declare" && word != "-x":
			w.others = true
		}
	}
}

// remote takes the host of ssh: its first word that is no option, nor the value of one.
func (w *walk) remote(words []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-o" || words[i] == "-p" || words[i] == "-i" || words[i] == "-l":
			i++
		case !strings.HasPrefix(words[i], "-"):
			_, host, user := strings.Cut(words[i], "@")
			if w.client = host; !user {
				w.client = words[i]
			}
			return
		}
	}
}

// starts reports whether a word is a program that is read.
func starts(word string) bool { return programOf(word) != nil || launchers[path.Base(word)] != nil }

// leads reports whether a word that is no program of a test can be the first one of a command.
func leads(word string) bool {
	switch path.Base(word) {
	case "env", "export", "declare", "sudo", "time", "nohup", "stdbuf", "bash", "sh", "python", "python3", "exec", "timeout", "docker", "kubectl", "singularity", "apptainer", "ssh", "unbuffer":
		return true
	}
	return strings.HasPrefix(word, "-")
}

// kept are the options of programs that start others, which a table may depend on.
var kept = []string{
	"--np", "--npernode", "--host", "--bind-to", "--map-by", "--nodes", "--ntasks", "--ntasks-per-node", "--nodelist", "--cpu-bind", "--cpu-list",
	"--cpunodebind", "--membind", "--physcpubind", "--interleave",
}

// oneCore matches a list of one processor core, and a mask of the first ones.
var oneCore = regexp.MustCompile(`^\+?\d+$`)

// launch reads the options of a program that starts others, and returns their number of words.
func (w *walk) launch(name string, words []string) int {
	of := launchers[name]
	for i := 0; i < len(words); {
		first := i
		option, value, given := strings.Cut(words[i], "=")
		if !strings.HasPrefix(option, "-") {
			return i
		}
		i++
		if used := w.environment(option, value, words[i:]); used >= 0 {
			i += used
			continue
		}
		if long := of.short[option]; long != "" {
			option = long
		}
		if !given && !of.flags[option] && !of.flags[words[first]] && i < len(words) && isValue(words[i]) {
			value = words[i]
			i++
		}
		if slices.Contains(kept, option) && value != "" {
			w.bind(name, option, value, name+" "+strings.Join(words[first:i], " "))
		}
	}
	return len(words)
}

// bind keeps an option of a program that starts others.
func (w *walk) bind(name, option, value, words string) {
	if name == "taskset" || name == "numactl" {
		option = name + " " + option
	}
	w.add(option, value, words)
	if (strings.HasSuffix(option, "--cpu-list") || strings.HasSuffix(option, "--physcpubind")) && oneCore.MatchString(value) {
		w.b.Said.sign(w.line, SignPinned, abridged(words))
	}
}

// environment reads an option that gives a variable to the program: -x and -env of mpirun, --mca, --export of srun, -e of
// docker. It returns the number of words after the option that belong to it, -1 if it is another option.
func (w *walk) environment(option, value string, words []string) int {
	switch option {
	case "-x", "-e", "--env":
		if len(words) > 0 && value == "" {
			w.variable(words[0])
			return 1
		}
		w.variable(value)
		return 0
	case "-genv", "-env", "--mca", "-mca", "--gmca", "-gmca", "--prtemca", "--pmixmca":
		if len(words) < 2 {
			return len(words)
		}
		name := words[0]
		if strings.HasSuffix(option, "mca") {
			name = "OMPI_MCA_" + name
		}
		w.variable(name + "=" + words[1])
		return 2
	case "--export":
		used := 0
		if value == "" && len(words) > 0 {
			value, used = words[0], 1
		}
		for part := range strings.SplitSeq(value, ",") {
			w.variable(part)
		}
		return used
	}
	return -1
}

// variable keeps NAME=VALUE; a name alone passes on what the surroundings have.
func (w *walk) variable(word string) {
	if m := assignment.FindStringSubmatch(word); m != nil {
		w.add(m[1], m[2], word)
	}
}

// isValue reports whether a word can be the value of the option before it.
func isValue(word string) bool {
	return (!strings.HasPrefix(word, "-") || isNumber(strings.TrimPrefix(word, "-"))) && !starts(word)
}

// options reads the options of a test.
func (w *walk) options(of *program, words []string) {
	var positional []string
	for i := 0; i < len(words); {
		word := words[i]
		i++
		switch {
		case strings.HasPrefix(word, ">") || strings.HasPrefix(word, "2>") || strings.HasPrefix(word, "&>") || strings.HasPrefix(word, "<"):
			i = len(words)
		case !strings.HasPrefix(word, "-") || word == "-":
			positional = append(positional, word)
		case w.letters(of, word):
		default:
			next := ""
			if i < len(words) && isValue(words[i]) {
				next = words[i]
			}
			i += w.option(of, word, next)
		}
	}
	if of.positional != "" && len(positional) > 0 {
		all := strings.Join(positional, " ")
		w.add(of.positional, all, all)
	}
}

// letters reads options of one letter that are written together: -aF, or -s1048576.
func (w *walk) letters(of *program, word string) bool {
	if len(word) < 3 || word[1] == '-' || of.short[word] != "" || strings.Contains(word, "=") || of.short[word[:2]] == "" {
		return false
	}
	if long := of.short[word[:2]]; !of.flags[long] {
		if !isNumber(word[2:]) && !isCount(strings.TrimRight(word[2:], "KMGkmg")) {
			return false
		}
		w.add(long, word[2:], word)
		return true
	}
	for _, c := range word[1:] {
		if long := of.short["-"+string(c)]; of.flags[long] {
			w.add(long, flagSet, word)
		}
	}
	return true
}

// option reads an option, and returns the number of words after it that belong to it.
func (w *walk) option(of *program, word, next string) int {
	name, value, given := strings.Cut(word, "=")
	if long := of.short[name]; long != "" {
		name = long
	} else if !strings.HasPrefix(name, "--") && len(name) > 2 { // Google's flags have one dash or two
		name = "-" + name
	}
	used := 0
	switch {
	case given:
	case of.flags[name] || next == "":
		value = flagSet
	default:
		value, used = next, 1
		word += " " + next
	}
	w.add(name, value, word)
	return used
}

// take gives the settings to the log. A command begins a run; exports and lists of variables hold from here on.
func (w *walk) take() {
	b := w.b
	if w.test != "" && !w.sure {
		return
	}
	if w.test != "" {
		w.found = append([]found{{settingProgram, w.test, w.test}}, w.found...)
		if w.client != "" && programOf(w.test).positional == settingServer {
			w.add(settingClient, w.client, w.client)
		}
	}
	command := w.others && len(w.found) > 0
	if command {
		b.begin(b.exported)
	}
	for _, f := range w.found {
		b.setting(w.line, f.name, f.value, f.words)
		if !command {
			b.exported = setIn(b.exported, w.line, f.name, f.value)
			b.base = setIn(b.base, w.line, f.name, f.value)
		}
	}
	if command {
		b.base = slices.Clone(b.run.settings)
	}
}

func (r *commands) end(bool) {
	if r.open != "" {
		r.command(r.open)
	}
}
