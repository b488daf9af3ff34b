//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package ui

import "syscall"

// ownSession makes a process the leader of a session without a terminal.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
