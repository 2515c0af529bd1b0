#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# moved.sh PREFIX ELSEWHERE GRAPH
#
# The install under PREFIX, copied to ELSEWHERE, finds its library, its plugins and its scanner there: it runs from
# there alone, from any folder and through a link. Nothing of it names the place where it was built or installed.
set -euo pipefail
prefix=$1 elsewhere=$2 graph=$3
unset LD_LIBRARY_PATH HEADRACE_PLUGIN_PATH

rm -rf "$elsewhere"
mkdir -p "$elsewhere"
cp -a "$prefix" "$elsewhere/headrace"
export XDG_CACHE_HOME=$elsewhere/cache  # what was seen of the plugins at another place
cd /
ln -s "$elsewhere/headrace/bin/headrace" "$elsewhere/link"

for command in "$elsewhere/headrace/bin/headrace" "$elsewhere/link"; do
  "$command" plugins | tail -n +2 | while read -r name version abi ops state path; do
    [[ $state == ok && $path == "$elsewhere"/headrace/* ]] || { echo "$name $version $abi $ops $state $path"; exit 1; }
  done
  "$command" run "$graph" | grep -q "24 samples in 3 batches"
done
[[ $("$elsewhere/link" plugins | wc -l) -eq 6 ]]

objects=$(find "$elsewhere/headrace" -type f \( -name '*.so*' -o -perm -u+x \))
for object in $objects; do
  paths=$(readelf -d "$object" 2>/dev/null | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p')
  [[ -z $paths || $paths == '$ORIGIN'* ]] || { echo "$object looks for libraries in $paths"; exit 1; }
done
