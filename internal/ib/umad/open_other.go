//go:build !linux

package umad

import "errors"

// Open fails: only Linux has umad devices.
func Open(string) (*Port, error) { return nil, errors.New("umad devices are Linux's") }

// OpenReader fails: only Linux has umad devices.
func OpenReader(string) (*Port, error) { return nil, errors.New("umad devices are Linux's") }
