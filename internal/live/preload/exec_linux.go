package preload

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
)

// Exec puts a program in the place of this process. It returns only if it fails.
func Exec(argv, env []string) error {
	path, err := exec.LookPath(argv[0])
	if err == nil {
		err = syscall.Exec(path, argv, env)
	}
	var lookUp *exec.Error
	if errors.As(err, &lookUp) {
		err = lookUp.Err
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	return fmt.Errorf("%s cannot be run: %w", argv[0], err)
}
