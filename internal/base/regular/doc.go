// Package regular opens files of a folder that anybody may have filled: regular files only, and as many bytes as
// the reader expects at most. A pipe would wait for a writer, and a device has no end. It also replaces a file by a
// complete one (replace.go).
package regular
