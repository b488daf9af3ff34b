package source

import "fmt"

// FileError is the place and the reason why a file cannot be used.
type FileError struct {
	Name string
	Line int // 0: the whole file
	Err  error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Name + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }
