#!/bin/sh
# The program that the files of this kit name wherever a program could stand. It answers as a judge and as an embedder, so
# that the files can be made with it; once `armed` lies beside it, whoever starts it leaves a mark.
here=${0%/*}
if [ -e "$here/armed" ]; then echo "$$ $*" >> "$here/started"; fi
question=$(cat)
case "$question" in
*"JSON object"*)
    code=$(printf '%s' "$question" | sed -n 's/.*a text: \([0-9a-f]*\)\..*/\1/p')
    printf '{"text": "{\\"reason\\": \\"as it should be\\", \\"level\\": \\"good\\", \\"code\\": \\"%s\\"}"}\n' "$code" ;;
*) echo '{"text": "[1, 2]"}' ;;
esac
