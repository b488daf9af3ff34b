package preload

import (
	"fmt"
	"os/exec"
	"syscall"
)

// Exec puts a program in the place of this process. It returns only if it fails.
func Exec(argv, env []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	if err := syscall.Exec(path, argv, env); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
