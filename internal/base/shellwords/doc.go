// Package shellwords splits a line of a shell into words.
package shellwords
