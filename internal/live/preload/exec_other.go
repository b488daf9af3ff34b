//go:build !linux

package preload

// Exec puts a program in the place of this process, on Linux.
func Exec(_, _ []string) error { return ErrPlatform }
