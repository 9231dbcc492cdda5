#!/bin/sh
# Makes the fonts of the site anew: `make fonts`, after a change here. What it makes is committed; nobody else needs it.
#
# The files of Google Fonts as npm has them, by script, with less in them: of Inter the weights that the style sheets
# use, of JetBrains Mono the regular one alone, of all three the features of OpenType that the style sheets use; and of
# the Latin files, which most pages need, the letters, signs and arrows of western languages. The ranges in fonts.css are
# the same.
set -eu
static=$(cd "$(dirname "$0")/static/site/fonts" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=1700000000 # the same files each time
cd "$work"
python3 -m venv tools
tools/bin/pip install --quiet 'fonttools[woff]==4.68.0'

fetch() { # name of the package
    npm pack --silent "$1@5.3.0" | xargs tar xzf
    mv package "$2"
    cp "$2/LICENSE" "$static/LICENSE-$2.txt"
}
fetch @fontsource-variable/inter inter
fetch @fontsource-variable/jetbrains-mono jetbrains-mono
fetch @fontsource/vollkorn vollkorn

latin=U+0020-007E,U+00A0-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2010-2015,U+2018-201E,U+2020-2022,U+2026,U+202F,U+2030,U+2039-203A,U+20AC,U+2122,U+2190-2193,U+2212
subset() { # a font, the features that are kept, and the file that is made
    tools/bin/pyftsubset "$1" --unicodes="$letters" --layout-features="$marks,$2" --no-hinting --flavor=woff2 \
        --output-file="$static/$3.woff2"
}
for script in latin latin-ext cyrillic; do
    if [ $script = latin ]; then letters=$latin marks=; else letters='*' marks=ccmp,locl,mark,mkmk; fi
    tools/bin/fonttools varLib.instancer -q "inter/files/inter-$script-wght-normal.woff2" wght=400:800 -o inter.ttf
    subset inter.ttf kern,tnum "inter-$script"
    tools/bin/fonttools varLib.instancer -q "jetbrains-mono/files/jetbrains-mono-$script-wght-normal.woff2" wght=400 -o mono.ttf
    subset mono.ttf "" "jetbrains-mono-$script"
    subset "vollkorn/files/vollkorn-$script-600-normal.woff2" kern,lnum "vollkorn-$script"
done
