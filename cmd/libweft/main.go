//go:build cgo && linux

package main

// main is never called: the library has functions alone.
func main() {}
