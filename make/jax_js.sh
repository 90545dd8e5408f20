#!/bin/sh
# Write book/_training/jax.js: of jax-js, which takes derivatives, what the page uses, as one script.
# Run it to take another version; it needs Node, which nothing else in the build does.
set -eu

VERSION=0.1.25
PACKAGE=sha512-g6PxWa6ZLjeQdDAM0ImBSqpdYnC6InCUTCCbMLxhMHMsMNu+JbHRjIQZ/anjBcP69of6hiqfGmTl+3gBn1qu/A==
SCRIPT=969926bcbe4fd28ee2ca40b1e2ce2e11e85b39b50fe6f8a4a819a70a6eb0fa31
ESBUILD=0.25.12

target=$(cd "$(dirname "$0")/.." && pwd)/book/_training/jax.js
cd "$(mktemp -d)"
npm pack --silent "@jax-js/jax@$VERSION" >/dev/null
found=sha512-$(openssl dgst -sha512 -binary ./*.tgz | base64 | tr -d '\n')
[ "$found" = "$PACKAGE" ] || { echo "jax-js $VERSION is $found, not $PACKAGE" >&2; exit 1; }
tar -xzf ./*.tgz
echo 'export { init, jit, nn, numpy, valueAndGrad } from "./package/dist/index.js";' >entry.js
# Its backends for graphics cards stay out: training begins with the one that is WebAssembly.
npx --yes "esbuild@$ESBUILD" entry.js --bundle --minify --format=iife --global-name=jax \
    --target=es2022 '--external:./web*' --legal-comments=none --log-level=warning --outfile=jax.js
{ echo "/* jax-js $VERSION, https://github.com/ekzhang/jax-js"; cat package/LICENSE; echo '*/'; cat jax.js; } >"$target"
sha256sum "$target"
[ "$(sha256sum <"$target")" = "$SCRIPT  -" ] || { echo "another script than before: enter its SHA-256 as SCRIPT" >&2; exit 1; }
