// Command manual writes the man pages and the completion files of a release: .ci/release runs it. It is a program of its
// own so that weft does not link what renders man pages.
//
//	manual FOLDER    writes FOLDER/man/weft*.1 and FOLDER/completion/weft.{bash,zsh,fish}
package main
