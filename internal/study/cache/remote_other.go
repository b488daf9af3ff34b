//go:build !linux

package cache

// remote is not known here.
func remote(string) string { return "" }
