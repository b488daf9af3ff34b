package report

import (
	"slices"
	"strconv"
	"strings"
)

// quoted is a name that a user chose, as it stands in a sentence: in quotation marks if it could be
// read as words of the sentence ("no slow NIC", "none"). A name in the form of the catalog's names
// (letters, digits, and hyphens, dots or underscores between them: roce-v2-400g) stands as it is.
// Tables have names as they are.
func quoted(name string) string {
	if plainName(name) {
		return name
	}
	return strconv.Quote(name)
}

// wordsOfSentences are words with a meaning of their own in sentences about fabrics.
var wordsOfSentences = []string{"all", "any", "both", "each", "every", "neither", "no", "none", "nothing", "other", "others", "same"}

// plainName reports whether a name has the form of the catalog's names.
func plainName(name string) bool {
	const joints = "-._"
	if name == "" || strings.ContainsAny(name[:1]+name[len(name)-1:], joints) || slices.Contains(wordsOfSentences, strings.ToLower(name)) {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(joints, r)
	}) < 0
}
