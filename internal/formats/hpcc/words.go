package hpcc

import (
	"strconv"
	"strings"
)

// A line is the words of a line that is not blank.
type line struct {
	number int
	words  []string
}

// A table reads a text line by line.
type table struct {
	file     string
	text     string
	number   int
	problems *Problems
}

// pull takes the next line with words; it is false at the end.
func (t *table) pull() (line, bool) {
	for t.text != "" {
		one, rest, _ := strings.Cut(t.text, "\n")
		t.text = rest
		t.number++
		if len(one) > maxLineBytes {
			t.problems.add(t.file, t.number, one, "a line of at most "+strconv.Itoa(maxLineBytes)+" bytes")
			t.text = ""
			break
		}
		if words := strings.Fields(one); len(words) > 0 {
			return line{t.number, words}, true
		}
	}
	return line{}, false
}

// next takes the next line, which must have this many words. If it has another number, words is
// empty and a problem is noted. At the end of the file it is false, and a problem is noted too.
func (t *table) next(words int, want string) (line, bool) {
	l, ok := t.pull()
	if !ok {
		t.problems.add(t.file, 0, "", want+", but the file ends")
		return line{}, false
	}
	if len(l.words) != words {
		t.problems.add(t.file, l.number, join(l), want)
		return line{number: l.number}, true
	}
	return l, true
}

// rest takes the lines after the announced records, and lists them as ignored.
func (t *table) rest(what string) []Ignored {
	l, ok := t.pull()
	if !ok {
		return nil
	}
	i := Ignored{File: t.file, Line: l.number, What: what, Count: 1}
	for _, ok = t.pull(); ok; _, ok = t.pull() {
		i.Count++
	}
	return []Ignored{i}
}

// integers reads a line of non-negative whole numbers, one per letter of the form: i is decimal, p
// is a port, b is 0 or 1, x is 32 bits in hexadecimal.
func integers(l line, form string) ([]int64, bool) {
	if len(l.words) != len(form) {
		return nil, false
	}
	values := make([]int64, len(form))
	for i, kind := range form {
		base, most := 10, int64(maxSeconds*1_000_000_000)
		switch kind {
		case 'b':
			most = 1
		case 'p':
			most = 65535
		case 'x':
			base, most = 16, 1<<32-1
		}
		v, err := strconv.ParseInt(l.words[i], base, 64)
		if err != nil || v < 0 || v > most {
			return nil, false
		}
		values[i] = v
	}
	return values, true
}

func join(l line) string { return strings.Join(l.words, " ") }
