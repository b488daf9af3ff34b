#!/usr/bin/env bash
# Makes what the virtual machine boots from: Debian's kernel and an initial file
# system with its soft-RoCE driver and the programs of rdma-core and perftest, as
# this system's packages have them. The packages themselves are installed by
# .ci/run.
#
#   bash interop/image.sh DIR     writes DIR/vmlinuz and DIR/initrd
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
image="${1:?DIR}"

# What the guest runs.
programs=(
  ip rdma timeout xtables-legacy-multi
  ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong rping udaddy mckey
  ib_write_bw ib_read_bw ib_send_bw ib_atomic_bw ib_write_lat ib_read_lat ib_send_lat ib_atomic_lat
)
# What the kernel needs for it, besides what these depend on.
modules=(virtio_pci virtio_net crc32_generic crc32_pclmul rdma_rxe rdma_ucm ib_uverbs iptable_filter xt_tcpudp xt_statistic)

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
root="$work/root"
mkdir -p "$root"/{etc,proc,sys,dev,tmp,run,modules.d,usr/{bin,sbin,lib,lib64}}
for directory in bin sbin lib lib64; do
  ln -s "usr/$directory" "$root/$directory" # as Debian has it
done

# The kernel is unpacked, never installed. The meta package names the version.
package="$(apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" { print $2; exit }')"
chmod 755 "$work"
(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$package" && dpkg -x ./*.deb kernel)
version="$(ls "$work/kernel/lib/modules")"
depmod -b "$work/kernel" "$version"

for module in "${modules[@]}"; do
  modprobe -d "$work/kernel" -S "$version" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
done | awk '!seen[$0]++' | while read -r file; do
  cp "$file" "$root/modules.d/"
  echo "/modules.d/$(basename "$file")"
done >"$root/modules"

# with_libraries copies a file to the same place below the root, and the libraries
# that it is linked with.
with_libraries() {
  local file
  for file in "$1" $(ldd "$1" | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$file")"
    cp -nL "$file" "$root$file"
  done
}
for program in "${programs[@]}"; do
  path="$(command -v "$program")" || { echo "interop: $program is not installed" >&2; exit 1; }
  with_libraries "$path"
done
ln -s /usr/sbin/xtables-legacy-multi "$root/usr/bin/iptables"
# What is loaded at run time, by name.
libraries="$(dirname "$(ldconfig -p | awk '/libibverbs.so.1 / { print $NF; exit }')")"
for library in "$libraries"/libibverbs/librxe-*.so "$libraries"/libgcc_s.so.1 "$libraries"/xtables/libxt_{udp,statistic,standard}.so; do
  with_libraries "$library"
done
mkdir "$root/etc/libibverbs.d"
cp /etc/libibverbs.d/rxe.driver "$root/etc/libibverbs.d/"

CGO_ENABLED=0 go build -o "$root/init" ./interop/guest
mkdir -p "$image"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$image/initrd.new"
cp "$work/kernel/boot/vmlinuz-$version" "$image/vmlinuz"
mv "$image/initrd.new" "$image/initrd"
