package logfile

import (
	"regexp"
	"strings"
)

// nccl-tests prints a row in three parts: the size before the test, then each half after its own. NCCL's messages go to the
// same place, so with NCCL_DEBUG_SUBSYS=TUNING they cut every row.

// message is NCCL's message: host, process, thread, GPU. What a row has before it may end in a number without a space.
var message = regexp.MustCompile(`[A-Za-z][\w.-]*:\d+:\d+ \[-?\d+\] (?:\S+:\d+ )?NCCL (?:INFO|WARN|TRACE) `)

// joined is a line with the parts of its row that stand before messages; "" if its row goes on below them.
func (r *ncclTests) joined(n int, text string) string {
	if _, fit := r.begins(strings.Fields(text)); fit == len(r.shape) {
		r.giveUp(n)
		return text
	}
	cut := false
	if strings.Contains(text, "NCCL ") {
		if at := message.FindStringIndex(text); at != nil {
			text, cut = text[:at[0]], true
		}
	}
	fields := strings.Fields(text)
	at, fit := r.begins(fields)
	switch goesOn := r.goesOn(fields); {
	case fit >= 4 && at+fit == len(fields) && cut:
		r.giveUp(n)
		r.parts = fields[at:]
	case fit >= 4:
		r.giveUp(n)
		return text
	case goesOn > 0:
		r.parts = append(r.parts, fields[len(fields)-goesOn:]...)
	default:
		return text
	}
	if cut && len(r.parts) < len(r.shape) {
		return ""
	}
	whole := strings.Join(r.parts, " ")
	r.parts = nil
	return whole
}

// giveUp reports a row that ends in a message, if there is one: another row stands here.
func (r *ncclTests) giveUp(n int) {
	if len(r.parts) > 0 {
		r.b.note(n, "the row of size %s above is cut by a message: left out", r.parts[0])
	}
	r.parts = nil
}

// begins is the field at which a row begins best, and how many columns fit from there on.
func (r *ncclTests) begins(fields []string) (at, fit int) {
	for i := range fields {
		if isCount(fields[i]) {
			if n := fitting(r.shape, fields[i:]); n > fit {
				at, fit = i, n
			}
		}
	}
	return at, fit
}

// goesOn is the number of last fields that are the next columns of the row that a message cut.
func (r *ncclTests) goesOn(fields []string) (n int) {
	if len(r.parts) < 4 {
		return 0
	}
	most := min(len(fields), len(r.shape)-len(r.parts))
	for n < most && columnTime.fits(fields[len(fields)-1-n]) {
		n++
	}
	return n
}
