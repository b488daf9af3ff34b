package preload

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The libraries.
const (
	core       = "libweft.so"
	libibverbs = "libibverbs.so.1"
	librdmacm  = "librdmacm.so.1"
	libibumad  = "libibumad.so.3"  // management datagrams of an emulated InfiniBand fabric
	files      = "libweftfiles.so" // preloaded: the files of a kernel's device, and the stack of handlers of signals
	clock      = "libweftclock.so" // preloaded if asked for: the clocks of an emulated fabric
)

// libraries are the files of a built folder.
var libraries = []string{core, libibverbs, librdmacm, libibumad, files, clock}

// Builder says where the libraries are built from, and where to.
type Builder struct {
	Source string // a checkout of weft
	To     string // the folder of the libraries; it is made
	Getenv func(string) string
}

// Build builds the libraries. A library that a program has loaded stays as it is for that program.
func (b *Builder) Build(ctx context.Context) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(b.To, 0o755); err != nil {
		return err
	}
	// Files get their names when all of them stand, so that no program finds half of a build.
	made, err := os.MkdirTemp(b.To, ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := b.core(ctx, filepath.Join(made, core)); err != nil {
		return err
	}
	err = errors.Join(b.library(ctx, "libibverbs", filepath.Join(made, libibverbs)), b.library(ctx, "files", filepath.Join(made, files)),
		b.library(ctx, "libibumad", filepath.Join(made, libibumad)), b.library(ctx, "clock", filepath.Join(made, clock)))
	if err == nil { // it stands on the first
		err = b.library(ctx, "librdmacm", filepath.Join(made, librdmacm), filepath.Join(made, libibverbs))
	}
	if err != nil {
		return err
	}
	for _, name := range libraries {
		if err := os.Rename(filepath.Join(made, name), filepath.Join(b.To, name)); err != nil {
			return err
		}
	}
	return nil
}

// check finds what a build needs before it begins, all that lacks at once.
func (b *Builder) check(ctx context.Context) error {
	var missing []error
	if !isCheckout(b.Source) {
		missing = append(missing, fmt.Errorf("%s is no checkout of weft: run this in one, or name it", b.Source))
	}
	if _, err := exec.LookPath("go"); err != nil {
		missing = append(missing, errors.New("no Go: install it from https://go.dev/dl, the version that go.mod names"))
	}
	if _, err := exec.LookPath(b.compiler()); err != nil {
		missing = append(missing, fmt.Errorf("no C compiler %s: on Debian, apt-get install gcc libc6-dev; or name another in CC", b.compiler()))
	} else if err := b.header(ctx); err != nil {
		missing = append(missing, err)
	}
	return errors.Join(missing...)
}

// header asks the compiler for the headers of libibverbs, librdmacm and libibumad.
func (b *Builder) header(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, b.compiler(), "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n#include <infiniband/umad.h>\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("no infiniband/verbs.h, no rdma/rdma_cma.h or no infiniband/umad.h: on Debian, apt-get install libibverbs-dev librdmacm-dev libibumad-dev; the compiler says:\n%s", bytes.TrimSpace(out))
	}
	return nil
}

func (b *Builder) compiler() string { return cmp.Or(b.Getenv("CC"), "gcc") }

// core builds the Go part.
func (b *Builder) core(ctx context.Context, out string) error {
	err := b.do(ctx, []string{"CGO_ENABLED=1", "CC=" + b.compiler()}, "go", "build", "-buildmode=c-shared", "-trimpath", "-o", out, "./"+folder)
	return errors.Join(err, removeIfThere(strings.TrimSuffix(out, ".so")+".h"))
}

// folder is the folder of the libraries' sources in a checkout.
const folder = "cmd/libweft"

// library compiles the C library of a folder, with the versions of its names if it states them, and
// links it with others.
func (b *Builder) library(ctx context.Context, name, out string, others ...string) error {
	sources, err := filepath.Glob(filepath.Join(b.Source, folder, name, "*.c"))
	if err != nil {
		return err
	}
	slices.Sort(sources)
	args := []string{
		"-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror=implicit-function-declaration",
		"-Wl,-soname," + filepath.Base(out), "-Wl,-z,now", "-Wl,--no-undefined", "-o", out,
	}
	versions := filepath.Join(b.Source, folder, name, name+".map")
	if _, err := os.Stat(versions); err == nil {
		args = append(args, "-Wl,--version-script="+versions)
	}
	return b.do(ctx, nil, b.compiler(), append(args, slices.Concat(sources, others, []string{"-ldl", "-lpthread"})...)...)
}

// do runs a compiler in the checkout.
func (b *Builder) do(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = b.Source, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, bytes.TrimSpace(out))
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Checkout is the checkout of weft that a folder lies in, or the folder itself if it lies in none.
func Checkout(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for up := dir; ; up = filepath.Dir(up) {
		if isCheckout(up) {
			return up, nil
		}
		if up == filepath.Dir(up) {
			return dir, nil
		}
	}
}

// isCheckout reports whether a folder has the sources of the libraries.
func isCheckout(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, folder, "core.h"))
	return err == nil
}
