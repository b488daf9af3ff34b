package slurm

import (
	"fmt"
	"strings"
	"time"

	"weft/units"
)

// Array is an array job.
type Array struct {
	Name      string
	Folder    string // on the shared file system; absolute
	Partition string // empty: the site's default
	Account   string // empty: the user's default
	Time      time.Duration
	Elements  int
	AtOnce    int         // elements that run at the same time; 0: no bound of its own
	CPUs      int         // cores of an element
	Memory    units.Bytes // of an element, and of the job that collects
	// Command is what an element runs: the words of a shell, to which the element's name, place and time are added.
	Command string
	// Variables of the environment of the elements and of the job that collects: NAME=value.
	Variables []string
}

// The environment of an element's command.
const (
	WorkerVariable  = "WEFT_WORKER"  // name of the element
	ElementVariable = "WEFT_ELEMENT" // 3/8: its number from 0, and the number of elements
	LimitVariable   = "WEFT_LIMIT"   // seconds that are left to begin work in
)

// margin is the part of an element's time in which nothing is begun, at least leastMargin: time for the end of
// what runs, for the file system, and for a job that began late.
const (
	margin      = 20 // one of so many
	leastMargin = 10 * time.Second
)

// processes bounds the processes of an element: one that is killed again and again has a cause.
const processes = 4

// Script is the text for sbatch.
func (a *Array) Script() string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	array := fmt.Sprintf("0-%d", a.Elements-1)
	if a.AtOnce > 0 {
		array += fmt.Sprintf("%%%d", a.AtOnce)
	}
	for _, option := range append(a.common(a.Name), "--output="+a.logs("%A_%a.log")) {
		fmt.Fprintf(&b, "#SBATCH %s\n", directive(option))
	}
	fmt.Fprintf(&b, `#SBATCH --array=%s
#SBATCH --cpus-per-task=%d
#SBATCH --requeue
#SBATCH --open-mode=append
export %s=slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID
export %s=$SLURM_ARRAY_TASK_ID/%d
%strap 'kill -TERM "$process" 2>/dev/null' TERM
for try in $(seq %d); do
`, array, a.CPUs, WorkerVariable, ElementVariable, a.Elements, a.exports(), processes)
	if a.Time > 0 {
		rest := a.Time - max(leastMargin, a.Time/margin)
		fmt.Fprintf(&b, "  export %s=$((%d - SECONDS))\n", LimitVariable, int(rest.Seconds()))
	}
	fmt.Fprintf(&b, `  %s &
  process=$!
  wait "$process"; code=$?
  while kill -0 "$process" 2>/dev/null; do wait "$process"; code=$?; done # a signal ended the first wait
  [ "$code" -eq 137 ] || exit "$code"
  echo "process $try was killed; the next one goes on"
done
exit "$code"
`, a.Command)
	return b.String()
}

// Collect are the options of sbatch for the job that collects when the array has ended.
func (a *Array) Collect(array, command string) []string {
	out := []string{"--parsable", "--dependency=afterany:" + array, "--output=" + a.logs("collect.log")}
	return append(append(out, a.common(a.Name+"-collect")...), "--wrap", a.exports()+command)
}

// logs is the name of a file of messages, in which Slurm replaces what begins with %.
func (a *Array) logs(name string) string {
	return strings.ReplaceAll(a.Folder, "%", "%%") + "/logs/" + name
}

// directive is an option on a line of #SBATCH, which sbatch divides at blanks; quotation marks, backslashes and #
// have the meaning that they have for a shell.
func directive(option string) string {
	if !strings.ContainsAny(option, " \t'\"#") {
		return option
	}
	name, value, _ := strings.Cut(option, "=")
	return name + `="` + strings.ReplaceAll(value, `"`, `\"`) + `"`
}

// Fits says why Slurm cannot have a folder; "" if it can.
func Fits(folder string) string {
	if strings.ContainsAny(folder, "\\\n\r") { // one backslash ends the replacement of %A in the whole name
		return "its path has a backslash or an end of a line, which Slurm's names of files cannot have"
	}
	return ""
}

// exports are the commands that set the variables.
func (a *Array) exports() string {
	var b strings.Builder
	for _, v := range a.Variables {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return b.String()
}

// common are the options of both jobs.
func (a *Array) common(name string) (out []string) {
	out = []string{"--job-name=" + name, fmt.Sprintf("--mem=%dM", (int64(a.Memory)+1<<20-1)>>20)}
	if a.Partition != "" {
		out = append(out, "--partition="+a.Partition)
	}
	if a.Account != "" {
		out = append(out, "--account="+a.Account)
	}
	if a.Time > 0 {
		s := int(a.Time.Seconds())
		out = append(out, fmt.Sprintf("--time=%d-%02d:%02d:%02d", s/86400, s/3600%24, s/60%60, s%60))
	}
	return out
}
