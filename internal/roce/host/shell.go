package host

import (
	"regexp"
	"strings"

	"weft/internal/base/shellwords"
)

// shell is what is known of a script's variables.
type shell map[string]string

// reference is a use of a variable: $NAME, ${NAME} or ${NAME:-other}.
var reference = regexp.MustCompile(`\$(?:(\w+)|\{(\w+)(?::?-([^}]*))?\})`)

// expanded is a text with the variables that are known. Others stay as they are.
func (s shell) expanded(text string) string {
	return reference.ReplaceAllStringFunc(text, func(use string) string {
		m := reference.FindStringSubmatch(use)
		if value, known := s[m[1]+m[2]]; known {
			return value
		}
		if m[3] != "" {
			return s.expanded(m[3])
		}
		return use
	})
}

// assign takes NAME=value; it reports false for a word that is none. A value that only the shell
// knows, of a command or a parameter, makes the variable unknown.
func (s shell) assign(word string) bool {
	name, value, ok := strings.Cut(word, "=")
	if !ok || !wholeName.MatchString(name) {
		return false
	}
	if value = s.expanded(value); strings.ContainsAny(value, "$`") {
		delete(s, name)
	} else {
		s[name] = value
	}
	return true
}

var wholeName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// leads are words that stand before a command and do not change what it sets.
var leads = map[string]bool{"then": true, "else": true, "do": true, "{": true, "sudo": true, "exec": true, "export": true, "readonly": true, "local": true, "env": true, "!": true}

// commands are the commands of a line, each as its words without quotes.
func commands(line string) (list [][]string) {
	var words []string
	next := func() {
		for len(words) > 0 && leads[words[0]] {
			words = words[1:]
		}
		if len(words) > 0 {
			list = append(list, words)
		}
		words = nil
	}
	for word, sign := range shellwords.Split(line, endsCommand) {
		if !sign {
			words = append(words, word)
			continue
		}
		if next(); word == "#" {
			return list
		}
	}
	next()
	return list
}

// endsCommand reports whether a character is no part of a command: a sign between two, or the begin of a comment.
func endsCommand(c, before rune, inWord bool) bool {
	return c == ';' || c == '|' || c == '&' && before != '>' || c == '#' && !inWord
}
