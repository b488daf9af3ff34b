package cache

import (
	"crypto/sha256"
	"io"
	"os"
	"runtime"
	"sync"
)

// Executable is the digest of the running program.
var Executable = sync.OnceValues(func() ([]byte, error) {
	name := "/proc/self/exe" // the running file, also if its name has another one now
	if runtime.GOOS != "linux" {
		var err error
		if name, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
})
