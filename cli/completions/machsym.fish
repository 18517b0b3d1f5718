# fish completion for machsym.

# True when the command, the word after "machsym", is one of those named.
function __machsym_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

function __machsym_has_none
    test (count (commandline -opc)) -eq 1
end

set -l archs 'arm64 arm64e arm64_32 armv7 armv7s armv7k x86_64 x86_64h i386 ppc ppc64'

complete -c machsym -f
complete -c machsym -n __machsym_has_none -a crash -d 'symbolicate crash reports'
complete -c machsym -n __machsym_has_none -a atos -d 'turn addresses into functions, files and lines'
complete -c machsym -n __machsym_has_none -a slide -d 'compute the slide of an image, and file addresses'
complete -c machsym -n __machsym_has_none -a uuid -d 'print the UUID of every slice of a file'
complete -c machsym -n __machsym_has_none -a nm -d 'print symbol tables, as nm does'
complete -c machsym -n __machsym_has_none -a symbols -d 'print regions, symbols and source lines'
complete -c machsym -n __machsym_has_none -a otool -d 'show headers, load commands, libraries, sections and code, as otool does'
complete -c machsym -n __machsym_has_none -a debugmap -d 'print which object files an image was linked from'
complete -c machsym -n __machsym_has_none -a codesign -d 'print what a code signature says'
complete -c machsym -n __machsym_has_none -a inits -d 'list what runs before main'
complete -c machsym -n __machsym_has_none -a conform -d 'list Swift\'s protocol conformances'
complete -c machsym -n __machsym_has_none -a objc -d 'list Objective-C\'s classes and methods'
complete -c machsym -n __machsym_has_none -a dwarf -d 'look inside debug information'
complete -c machsym -n __machsym_has_none -a demangle -d 'make mangled names readable, alone or in any text'
complete -c machsym -n __machsym_has_none -a verify -d 'check that a binary and a dSYM belong together'
complete -c machsym -n __machsym_has_none -a pack -d 'make a ready index of a dSYM'
complete -c machsym -n __machsym_has_none -a help -d 'say what a command does'
complete -c machsym -n '__machsym_is help' -a 'crash atos slide uuid nm symbols otool debugmap codesign inits conform objc dwarf demangle verify pack'
complete -c machsym -l help -d 'show help'
complete -c machsym -l version -d 'show the version'

# crash
complete -c machsym -n '__machsym_is crash' -s j -l jobs -x -d 'threads to use'
complete -c machsym -n '__machsym_is crash' -l max-mem -x -d 'memory to use'
complete -c machsym -n '__machsym_is crash' -F
complete -c machsym -n '__machsym_is crash' -s d -l dsym -r -F -d 'dSYM, or folder to search'
complete -c machsym -n '__machsym_is crash' -s b -l binary -r -F -d 'binary, bundle, or folder to search'
complete -c machsym -n '__machsym_is crash' -s o -l output -r -F -d 'write there'
complete -c machsym -n '__machsym_is crash' -l format -x -a 'same text ips json' -d 'form of the output'
complete -c machsym -n '__machsym_is crash' -l json -d 'the same as the json format'
complete -c machsym -n '__machsym_is crash' -l no-inlines -d 'leave inlined frames out'
complete -c machsym -n '__machsym_is crash' -l renumber -d 'number inlined frames'
complete -c machsym -n '__machsym_is crash' -l full-path -d 'print full paths of source files'
complete -c machsym -n '__machsym_is crash' -l oso-prefix-map -x -d 'where object files are looked for'
complete -c machsym -n '__machsym_is crash' -l full-names -d 'Swift names with modules, types and results'
complete -c machsym -n '__machsym_is crash' -l fold-thunks -d 'name compiler-made code by the function written'
complete -c machsym -n '__machsym_is crash' -l no-demangle -d 'leave names mangled'
complete -c machsym -n '__machsym_is crash' -l thread -x -a crashed -d 'name the frames of one thread alone'
complete -c machsym -n '__machsym_is crash' -l keep -d 'leave every frame alone that has a name'
complete -c machsym -n '__machsym_is crash' -l redo -d 'look up frames that have a name, too'
complete -c machsym -n '__machsym_is crash' -l explain -d 'say where each name came from'
complete -c machsym -n '__machsym_is crash' -l verbose -d 'say why a name stays mangled'
complete -c machsym -n '__machsym_is crash' -l strict -d 'status 1 when a frame stays without a name'

# atos
complete -c machsym -n '__machsym_is atos' -s j -l jobs -x -d 'threads to use'
complete -c machsym -n '__machsym_is atos' -l max-mem -x -d 'memory to use'
complete -c machsym -n '__machsym_is atos' -s o -r -F -d 'binary, dSYM, app or other bundle'
complete -c machsym -n '__machsym_is atos' -o arch -x -a $archs -d 'slice of a universal file'
complete -c machsym -n '__machsym_is atos' -s l -l loadAddress -x -d 'load address'
complete -c machsym -n '__machsym_is atos' -s s -l slide -x -d 'slide'
complete -c machsym -n '__machsym_is atos' -o offset -d 'addresses are offsets from the start of the image'
complete -c machsym -n '__machsym_is atos' -o textExecAddress -x -d 'load address of __TEXT_EXEC'
complete -c machsym -n '__machsym_is atos' -s i -l inlineFrames -d 'print inlined frames'
complete -c machsym -n '__machsym_is atos' -s d -l delimiter -x -d 'text between frames'
complete -c machsym -n '__machsym_is atos' -s f -r -F -d 'read addresses from a file'
complete -c machsym -n '__machsym_is atos' -o fullPath -d 'print full paths of source files'
complete -c machsym -n '__machsym_is atos' -o dedup -d 'print every name of folded code'
complete -c machsym -n '__machsym_is atos' -o printHeader -d 'first print name and base address'
complete -c machsym -n '__machsym_is atos' -l pc -x -a 'exact return' -d 'what the addresses are'
complete -c machsym -n '__machsym_is atos' -l oso-prefix-map -x -d 'where object files are looked for'
complete -c machsym -n '__machsym_is atos' -l full-names -d 'Swift names with modules, types and results'
complete -c machsym -n '__machsym_is atos' -l fold-thunks -d 'name compiler-made code by the function written'
complete -c machsym -n '__machsym_is atos' -l no-demangle -d 'leave names mangled'
complete -c machsym -n '__machsym_is atos' -l verbose -d 'say why a name stays mangled'
complete -c machsym -n '__machsym_is atos' -l json -d 'one JSON object a line'

# debugmap
complete -c machsym -n '__machsym_is debugmap' -F
complete -c machsym -n '__machsym_is debugmap' -o arch -x -a $archs -d 'this slice alone'
complete -c machsym -n '__machsym_is debugmap' -l oso-prefix-map -x -d 'where object files are looked for'
complete -c machsym -n '__machsym_is debugmap' -o oso-prepend-path -l oso-prepend-path -r -F -d 'before the paths of object files'
complete -c machsym -n '__machsym_is debugmap' -l json -d 'one JSON document'

# slide
complete -c machsym -n '__machsym_is slide' -s o -r -F -d 'binary or dSYM'
complete -c machsym -n '__machsym_is slide' -o arch -x -a $archs -d 'slice of a universal file'
complete -c machsym -n '__machsym_is slide' -s l -x -d 'load address'
complete -c machsym -n '__machsym_is slide' -l vmmap -r -F -d 'output of vmmap, heap or leaks'
complete -c machsym -n '__machsym_is slide' -l report -r -F -d 'crash report'
complete -c machsym -n '__machsym_is slide' -l images -r -F -d 'list of lldb, dyld, sample or spindump'
complete -c machsym -n '__machsym_is slide' -l value -d 'print the slide alone'
complete -c machsym -n '__machsym_is slide' -l json -d 'one JSON document'

# symbols
complete -c machsym -n '__machsym_is symbols' -F
complete -c machsym -n '__machsym_is symbols' -o arch -x -a $archs -d 'this slice'
complete -c machsym -n '__machsym_is symbols' -o uuid -d 'print UUIDs alone'
complete -c machsym -n '__machsym_is symbols' -o lookup -x -d 'what holds this address, or has this in its name'
complete -c machsym -n '__machsym_is symbols' -o onlyNListData -d 'read the symbol table alone'
complete -c machsym -n '__machsym_is symbols' -o onlyFuncStartsData -d 'read LC_FUNCTION_STARTS alone'
complete -c machsym -n '__machsym_is symbols' -o onlyDwarfData -d 'read DWARF alone'
complete -c machsym -n '__machsym_is symbols' -o noSources -d 'without source lines'
complete -c machsym -n '__machsym_is symbols' -o noSymbols -d 'without symbols and lines'
complete -c machsym -n '__machsym_is symbols' -o noRegions -d 'without segments and sections'
complete -c machsym -n '__machsym_is symbols' -o noHeaders -d 'without the two lines above all'
complete -c machsym -n '__machsym_is symbols' -o noDemangling -d 'names as they stand in the file'
complete -c machsym -n '__machsym_is symbols' -o fullSourcePath -d 'full paths of source files'
complete -c machsym -n '__machsym_is symbols' -o printDsymPaths -d 'print the path of the dSYM'
complete -c machsym -n '__machsym_is symbols' -s w -d 'never cut lines'
complete -c machsym -n '__machsym_is symbols' -s v -d 'say what each source had'
complete -c machsym -n '__machsym_is symbols' -s d -l dsym -r -F -d 'the dSYM'
complete -c machsym -n '__machsym_is symbols' -l oso-prefix-map -x -d 'where object files are looked for'
complete -c machsym -n '__machsym_is symbols' -l json -d 'one JSON document'

# nm
complete -c machsym -n '__machsym_is nm' -F
complete -c machsym -n '__machsym_is nm' -o arch -x -a $archs -d 'this slice'
complete -c machsym -n '__machsym_is nm' -s m -d 'sections, kinds and libraries in words'
complete -c machsym -n '__machsym_is nm' -s j -d 'names alone'
complete -c machsym -n '__machsym_is nm' -s P -l portability -d 'name, letter and value'
complete -c machsym -n '__machsym_is nm' -s x -d 'the fields of each entry in hexadecimal'
complete -c machsym -n '__machsym_is nm' -l format -x -a 'bsd darwin posix just-symbols' -d 'form of the lines'
complete -c machsym -n '__machsym_is nm' -s t -l radix -x -a 'd o x' -d 'radix of values'
complete -c machsym -n '__machsym_is nm' -s a -l debug-syms -d 'debugging entries, too'
complete -c machsym -n '__machsym_is nm' -s g -l extern-only -d 'external symbols alone'
complete -c machsym -n '__machsym_is nm' -s u -l undefined-only -d 'undefined symbols alone'
complete -c machsym -n '__machsym_is nm' -s U -l defined-only -d 'no undefined symbols'
complete -c machsym -n '__machsym_is nm' -s W -l no-weak -d 'no weak symbols'
complete -c machsym -n '__machsym_is nm' -s s -x -d 'symbols of this section alone'
complete -c machsym -n '__machsym_is nm' -s n -l numeric-sort -d 'by address'
complete -c machsym -n '__machsym_is nm' -s p -l no-sort -d 'in the order of the file'
complete -c machsym -n '__machsym_is nm' -s r -l reverse-sort -d 'last ones first'
complete -c machsym -n '__machsym_is nm' -s o -s A -l print-file-name -d 'name of the file before each line'
complete -c machsym -n '__machsym_is nm' -o demangle -s C -d 'readable names'
complete -c machsym -n '__machsym_is nm' -l simplified -d 'readable, Swift names as in crash reports'
complete -c machsym -n '__machsym_is nm' -l quiet -d 'say nothing of files without symbols'
complete -c machsym -n '__machsym_is nm' -l json -d 'one JSON document'

# otool
complete -c machsym -n '__machsym_is otool' -F
complete -c machsym -n '__machsym_is otool' -o h -d 'the Mach-O header'
complete -c machsym -n '__machsym_is otool' -o l -d 'the load commands'
complete -c machsym -n '__machsym_is otool' -o L -d 'the libraries it loads'
complete -c machsym -n '__machsym_is otool' -o D -d 'its own name as a library'
complete -c machsym -n '__machsym_is otool' -o f -d 'the header of a universal file'
complete -c machsym -n '__machsym_is otool' -o a -d 'the headers of the members of an archive'
complete -c machsym -n '__machsym_is otool' -o t -d 'the section __TEXT,__text'
complete -c machsym -n '__machsym_is otool' -o x -d 'every section called __text'
complete -c machsym -n '__machsym_is otool' -o d -d 'the section __DATA,__data'
complete -c machsym -n '__machsym_is otool' -o s -x -d 'this section'
complete -c machsym -n '__machsym_is otool' -o P -d 'the text of __TEXT,__info_plist'
complete -c machsym -n '__machsym_is otool' -o I -d 'the indirect symbols'
complete -c machsym -n '__machsym_is otool' -o G -d 'the table of data in code'
complete -c machsym -n '__machsym_is otool' -o v -d 'names for numbers'
complete -c machsym -n '__machsym_is otool' -o V -d 'the same, and symbols'
complete -c machsym -n '__machsym_is otool' -o p -x -d 'code from this symbol on'
complete -c machsym -n '__machsym_is otool' -l start -x -d 'code from this address on'
complete -c machsym -n '__machsym_is otool' -l stop -x -d 'code up to this address'
complete -c machsym -n '__machsym_is otool' -l lookup -x -d 'the instruction there, with its source lines'
complete -c machsym -n '__machsym_is otool' -o j -d 'the bytes of instructions, too'
complete -c machsym -n '__machsym_is otool' -o X -d 'no headings and no addresses'
complete -c machsym -n '__machsym_is otool' -o m -d 'FILE(MEMBER) is a name as it stands'
complete -c machsym -n '__machsym_is otool' -o mcpu -x -d 'of ARM the instructions of this processor alone'
complete -c machsym -n '__machsym_is otool' -o q -d 'no effect'
complete -c machsym -n '__machsym_is otool' -o Q -d 'no effect'
complete -c machsym -n '__machsym_is otool' -o arch -x -a $archs -d 'this slice alone'
complete -c machsym -n '__machsym_is otool' -l json -d 'one JSON document'

# inits
complete -c machsym -n '__machsym_is inits' -F
complete -c machsym -n '__machsym_is inits' -o arch -x -a $archs -d 'slice of a universal file'
complete -c machsym -n '__machsym_is inits' -s d -l dsym -r -F -d 'the dSYM'
complete -c machsym -n '__machsym_is inits' -s l -l load-address -x -d 'load address'
complete -c machsym -n '__machsym_is inits' -l timings -r -F -d 'lines of an address and milliseconds'
complete -c machsym -n '__machsym_is inits' -l sort -x -a 'order address name file time' -d 'how to sort'
complete -c machsym -n '__machsym_is inits' -l no-variables -d 'do not look for variables'
complete -c machsym -n '__machsym_is inits' -l full-path -d 'full paths of source files'
complete -c machsym -n '__machsym_is inits' -l full-names -d 'Swift names with modules, types and results'
complete -c machsym -n '__machsym_is inits' -l no-demangle -d 'leave names mangled'
complete -c machsym -n '__machsym_is inits' -l json -d 'one JSON document'

# conform
complete -c machsym -n '__machsym_is conform' -F
complete -c machsym -n '__machsym_is conform' -o arch -x -a $archs -d 'slice of a universal file'
complete -c machsym -n '__machsym_is conform' -s d -l dsym -r -F -d 'the dSYM'
complete -c machsym -n '__machsym_is conform' -l protocol -x -d 'conformances to this protocol alone'
complete -c machsym -n '__machsym_is conform' -l type -x -d 'conformances of this type alone'
complete -c machsym -n '__machsym_is conform' -l types -d 'list the types and protocols that FILE defines'
complete -c machsym -n '__machsym_is conform' -l lldb -d 'print commands of a debugger'
complete -c machsym -n '__machsym_is conform' -s l -l load-address -x -d 'load address'
complete -c machsym -n '__machsym_is conform' -l full-path -d 'full paths of source files'
complete -c machsym -n '__machsym_is conform' -l full-names -d 'Swift names with modules, types and results'
complete -c machsym -n '__machsym_is conform' -l no-demangle -d 'leave names mangled'
complete -c machsym -n '__machsym_is conform' -l json -d 'one JSON document'

# objc
complete -c machsym -n '__machsym_is objc' -F
complete -c machsym -n '__machsym_is objc' -o arch -x -a $archs -d 'slice of a universal file'
complete -c machsym -n '__machsym_is objc' -l class -x -d 'this class and its categories alone'
complete -c machsym -n '__machsym_is objc' -l no-methods -d 'classes and categories alone'
complete -c machsym -n '__machsym_is objc' -s l -l load-address -x -d 'load address'
complete -c machsym -n '__machsym_is objc' -l no-demangle -d 'leave names of Swift classes mangled'
complete -c machsym -n '__machsym_is objc' -l json -d 'one JSON document'

# uuid
complete -c machsym -n '__machsym_is uuid' -F
complete -c machsym -n '__machsym_is uuid' -o arch -x -a $archs -d 'this slice alone'
complete -c machsym -n '__machsym_is uuid' -l json -d 'one JSON document'

# codesign
complete -c machsym -n '__machsym_is codesign' -F
complete -c machsym -n '__machsym_is codesign' -o arch -s a -x -a $archs -d 'this slice alone'
complete -c machsym -n '__machsym_is codesign' -s d -l display -d 'the lines of codesign -d'
complete -c machsym -n '__machsym_is codesign' -s v -l verbose -d 'more lines'
complete -c machsym -n '__machsym_is codesign' -l entitlements -x -a 'tree xml json der' -d 'the entitlements'
complete -c machsym -n '__machsym_is codesign' -l xml -d 'the entitlements as XML'
complete -c machsym -n '__machsym_is codesign' -o r- -l requirements -d 'the requirements'
complete -c machsym -n '__machsym_is codesign' -l get-task-allow -d 'print yes or no'
complete -c machsym -n '__machsym_is codesign' -l verify -d 'compare the file with its hashes'
complete -c machsym -n '__machsym_is codesign' -l json -d 'one JSON document'

# dwarf
complete -c machsym -n '__machsym_is dwarf' -F
complete -c machsym -n '__machsym_is dwarf' -o arch -x -a $archs -d 'this slice alone'
complete -c machsym -n '__machsym_is dwarf' -l debug-info -d 'the tree of DIEs'
complete -c machsym -n '__machsym_is dwarf' -s n -l name -x -d 'only the DIEs of this name'
complete -c machsym -n '__machsym_is dwarf' -s f -l find -x -d 'only the DIEs of this name'
complete -c machsym -n '__machsym_is dwarf' -l debug-line -d 'the line tables'
complete -c machsym -n '__machsym_is dwarf' -s a -l all -d 'trees and line tables'
complete -c machsym -n '__machsym_is dwarf' -l lookup -x -d 'all that is known of an address'
complete -c machsym -n '__machsym_is dwarf' -l statistics -d 'how much of the code is covered'
complete -c machsym -n '__machsym_is dwarf' -l oso-prefix-map -x -d 'where object files are looked for'
complete -c machsym -n '__machsym_is dwarf' -s u -l uuid -d 'the UUID of every slice'
complete -c machsym -n '__machsym_is dwarf' -l verify -d 'run the DWARF verifier of LLVM'
complete -c machsym -n '__machsym_is dwarf' -l quiet -d 'with --verify: the exit status alone'
complete -c machsym -n '__machsym_is dwarf' -s v -l verbose -d 'with --verify --json: the report on stderr'
complete -c machsym -n '__machsym_is dwarf' -s c -l show-children -d 'always so'
complete -c machsym -n '__machsym_is dwarf' -s p -l show-parents -d 'always so'
complete -c machsym -n '__machsym_is dwarf' -l full-names -d 'Swift names with modules, types and results'
complete -c machsym -n '__machsym_is dwarf' -l no-demangle -d 'leave names mangled'
complete -c machsym -n '__machsym_is dwarf' -l json -d 'one JSON document'

# demangle
complete -c machsym -n '__machsym_is demangle' -l simplified -d 'Swift names as crash reports have them'
complete -c machsym -n '__machsym_is demangle' -l no-params -d 'functions without parameters'
complete -c machsym -n '__machsym_is demangle' -l fold-thunks -d 'name compiler-made code by the function written'
complete -c machsym -n '__machsym_is demangle' -l json -d 'one JSON object a line'
complete -c machsym -n '__machsym_is demangle' -l verbose -d 'say why a name stays mangled'
complete -c machsym -n '__machsym_is demangle' -l demangler -x -a 'own system' -d 'whose reader'

# verify
complete -c machsym -n '__machsym_is verify' -F
complete -c machsym -n '__machsym_is verify' -o arch -x -a $archs -d 'compare this slice alone'
complete -c machsym -n '__machsym_is verify' -l lookup -d 'decode all debug information of matching slices'
complete -c machsym -n '__machsym_is verify' -l dwarf -d 'run the DWARF verifier of LLVM over matching slices'
complete -c machsym -n '__machsym_is verify' -l json -d 'one JSON document'

# pack
complete -c machsym -n '__machsym_is pack' -F
complete -c machsym -n '__machsym_is pack' -o arch -x -a $archs -d 'slice of a universal file'
complete -c machsym -n '__machsym_is pack' -s o -l output -r -F -d 'write there'
complete -c machsym -n '__machsym_is pack' -l format -x -a 'msym gsym' -d 'what to make'
complete -c machsym -n '__machsym_is pack' -l for -r -F -d 'take only what this crash report asks for'
complete -c machsym -n '__machsym_is pack' -l check -d 'test an index'
complete -c machsym -n '__machsym_is pack' -s j -l jobs -x -d 'threads to use'
complete -c machsym -n '__machsym_is pack' -l json -d 'one JSON document'
