//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package ui

import "syscall"

// ownSession is nothing on this platform.
func ownSession() *syscall.SysProcAttr { return nil }
