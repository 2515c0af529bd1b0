#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the build needs, builds the command and whatever else `cmake --install build/release` takes, and runs the
# first graph on the photographs that come with it. For a bare Debian 12, as root or with sudo. A second call takes seconds.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages tools/dev/packages.txt
build release headrace_installed

headrace=build/release/bin/headrace
$headrace run graphs/hello.yaml
$headrace peek graphs/hello.yaml -o build/hello_sheet.png
$headrace graph graphs/hello.yaml -f svg -o build/hello_graph.svg

echo
echo "contact sheet of one batch:  $PWD/build/hello_sheet.png"
echo "picture of the graph:        $PWD/build/hello_graph.svg"
echo "the command:                 $PWD/$headrace"
