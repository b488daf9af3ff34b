// Package jsontext writes values as JSON that people read, too: indented, and without escapes
// of <, > and &, which stand in the names of links and rules.
package jsontext
