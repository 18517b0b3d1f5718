# bash completion for machsym. Needs nothing but bash 3.2 or later.

# The options of a command.
_machsym_options() {
    case $1 in
    crash)
        echo "-d --dsym -b --binary -o --output --format --json --no-inlines --renumber" \
            "--full-path --oso-prefix-map --full-names --fold-thunks --no-demangle --thread --keep --redo" \
            "--explain --verbose -j --jobs --max-mem --strict"
        ;;
    atos)
        echo "-o -arch -l --loadAddress -s --slide -offset -textExecAddress -i --inlineFrames" \
            "-d --delimiter -f -fullPath -dedup -printHeader --pc --oso-prefix-map --full-names --fold-thunks" \
            "--no-demangle --verbose -j --jobs --max-mem --json"
        ;;
    slide) echo "-o -arch -l --vmmap --report --images --value --json" ;;
    uuid) echo "-arch --json" ;;
    codesign)
        echo "-arch -a -d --display -v --verbose --entitlements --xml --requirements -r-" \
            "--get-task-allow --verify --json"
        ;;
    nm)
        echo "-arch -m -j -P --portability -x --format -t --radix -a --debug-syms -g --extern-only" \
            "-u --undefined-only -U --defined-only -W --no-weak -s -n --numeric-sort -p --no-sort" \
            "-r --reverse-sort -o --print-file-name -A -demangle -C --simplified --quiet --json"
        ;;
    symbols)
        echo "-arch -uuid -lookup -onlyNListData -onlyFuncStartsData -onlyDwarfData -noSources -noSymbols" \
            "-noRegions -noHeaders -noDemangling -fullSourcePath -printDsymPaths -w -v -d --dsym" \
            "--oso-prefix-map --json"
        ;;
    otool)
        echo "-h -l -L -D -f -a -t -x -d -s -P -I -G -v -V -p --start --stop --lookup -j -X -m -mcpu -q -Q -arch --json"
        ;;
    debugmap) echo "-arch --oso-prefix-map --oso-prepend-path -oso-prepend-path --json" ;;
    inits)
        echo "-arch -d --dsym -l --load-address --timings --sort --no-variables --full-path --full-names" \
            "--no-demangle --json"
        ;;
    conform)
        echo "-arch -d --dsym --protocol --type --types --lldb -l --load-address --full-path" \
            "--full-names --no-demangle --json"
        ;;
    objc) echo "-arch --class --no-methods -l --load-address --no-demangle --json" ;;
    dwarf)
        echo "-arch --debug-info -n --name -f --find --debug-line -a --all --lookup --statistics" \
            "--oso-prefix-map -u --uuid --verify --quiet -v --verbose -c --show-children" \
            "-p --show-parents --full-names --no-demangle --json"
        ;;
    demangle) echo "--simplified --no-params --fold-thunks --json --verbose --demangler" ;;
    verify) echo "-arch --lookup --dwarf --json" ;;
    pack) echo "-arch -o --output --format --for --check -j --jobs --json" ;;
    *) return ;;
    esac
    echo "--help --version"
}

# What the value of an option is: a list of words, "file", or "text" for what nobody can guess.
# Nothing for an option that takes no value.
_machsym_value() {
    case $1:$2 in
    crash:--format) echo "same text ips json" ;;
    crash:--thread) echo "crashed" ;;
    nm:--format) echo "bsd darwin posix just-symbols" ;;
    nm:-t | nm:--radix) echo "d o x" ;;
    nm:-s | otool:-s | symbols:-lookup | otool:-p | otool:--start | otool:--stop | otool:--lookup | otool:-mcpu) echo text ;;
    *:--oso-prefix-map) echo text ;;
    debugmap:--oso-prepend-path | debugmap:-oso-prepend-path) echo file ;;
    inits:--sort) echo "order address name file time" ;;
    symbols:-d | symbols:--dsym) echo file ;;
    inits:-d | inits:--dsym | inits:--timings) echo file ;;
    inits:-l | inits:--load-address) echo text ;;
    conform:-d | conform:--dsym) echo file ;;
    conform:--protocol | conform:--type | objc:--class) echo text ;;
    conform:-l | conform:--load-address | objc:-l | objc:--load-address) echo text ;;
    dwarf:-n | dwarf:--name | dwarf:-f | dwarf:--find | dwarf:--lookup) echo text ;;
    demangle:--demangler) echo "own system" ;;
    pack:--format) echo "msym gsym" ;;
    pack:-o | pack:--output | pack:--for) echo file ;;
    codesign:--entitlements) echo "tree xml json der" ;;
    crash:-d | crash:--dsym | crash:-b | crash:--binary | crash:-o | crash:--output) echo file ;;
    atos:--pc) echo "exact return" ;;
    atos:-o | atos:-f | slide:-o | slide:--vmmap | slide:--report | slide:--images) echo file ;;
    *:-arch | codesign:-a)
        echo "arm64 arm64e arm64_32 armv7 armv7s armv7k x86_64 x86_64h i386 ppc ppc64"
        ;;
    atos:-l | atos:--loadAddress | atos:-s | atos:--slide | atos:-textExecAddress | atos:-d | \
        atos:--delimiter | slide:-l) echo text ;;
    esac
}

# _machsym_reply COMPGEN_ARGUMENT…: what compgen finds, a line a word, so that blanks in names stay.
_machsym_reply() {
    local word
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen "$@")
}

_machsym() {
    local commands="crash atos slide uuid nm symbols otool debugmap codesign inits conform objc dwarf demangle verify pack"
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} value
    COMPREPLY=()
    # bash takes --word=VALUE for three words.
    if [ "$current" = "=" ]; then
        current=
    elif [ "$previous" = "=" ] && [ "$COMP_CWORD" -ge 2 ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        _machsym_reply -W "$commands help --help --version" -- "$current"
        return
    fi
    if [ "$command" = help ]; then
        _machsym_reply -W "$commands" -- "$current"
        return
    fi
    value=$(_machsym_value "$command" "$previous")
    case $value in
    "")
        if [ "${current#-}" != "$current" ]; then
            _machsym_reply -W "$(_machsym_options "$command")" -- "$current"
            return
        fi
        ;;
    text) return ;;
    file) ;;
    *)
        _machsym_reply -W "$value" -- "$current"
        return
        ;;
    esac
    _machsym_reply -f -- "$current"
}

complete -o filenames -F _machsym machsym
