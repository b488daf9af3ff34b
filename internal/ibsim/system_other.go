//go:build !linux

package ibsim

import "errors"

var errLinux = errors.New("ibsim needs Linux: its sockets have abstract names, which only Linux has")

func checkPlatform() error { return errLinux }

func connectSocket(uintptr, string) error { return errLinux }

func processEnded(int) bool { return false }
