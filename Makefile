# machsym: make (build), make demo, make check; `make help` lists the rest.
#
# Sources are found by wildcard: a new lib/<floor>/x.c, cli/cmd_x.c, tests/unit/test_x.c or
# tests/fuzz/fuzz_x.c needs no line here.

VERSION := 0.1.0
UNAME   := $(shell uname -s)
SAN     ?= 0
comma   := ,

BUILD   := build$(if $(filter 1,$(SAN)),/san,)
PREFIX  ?= /usr/local
DESTDIR ?=
bindir  := $(PREFIX)/bin
libexecdir := $(PREFIX)/libexec/machsym
libdir  := $(PREFIX)/lib
incdir  := $(PREFIX)/include
mandir  := $(PREFIX)/share/man

CC      ?= cc
CXX     ?= c++
OPT     ?= -O2
WARN    := -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wundef
CWARN   := $(WARN) -Wstrict-prototypes -Wmissing-prototypes
SANFLAGS := $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Both systems have an LLVM folder with llvm-config in it; the demangler archive is all that a
# light program takes from it.
ifeq ($(UNAME),Darwin)
LLVM_DIR ?= $(firstword $(wildcard /opt/homebrew/opt/llvm@19 /usr/local/opt/llvm@19 /opt/homebrew/opt/llvm /usr/local/opt/llvm))
BREW     := $(firstword $(wildcard /opt/homebrew /usr/local))
SYSFLAGS := -D_DARWIN_C_SOURCE -I$(BREW)/include
LDSYS    := -L$(BREW)/lib -Wl,-dead_strip
STATIC_BEGIN :=
STATIC_END :=
CXXRT    :=
else
LLVM_DIR ?= /usr/lib/llvm-19
SYSFLAGS := -D_XOPEN_SOURCE=700
LDSYS    := -Wl,--gc-sections -Wl,--as-needed -Wl,--exclude-libs,ALL
LLVM_SYSTEM := -lrt -ldl -lm
STATIC_BEGIN := -Wl,-Bstatic
STATIC_END := -Wl,-Bdynamic
CXXRT    := -static-libstdc++ -static-libgcc
endif
LLVM_INC := $(LLVM_DIR)/include

BASE    := $(OPT) -g $(SANFLAGS) -ffunction-sections -fdata-sections -fPIC -fno-semantic-interposition -pthread $(SYSFLAGS) \
           -DMS_VERSION='"$(VERSION)"' $(if $(filter 1,$(SAN)),-DMS_SANITIZED)
CFLAGS_LIB := -std=c17 $(BASE) $(CWARN) -Ilib -Ilib/include
# cli/ sees the public headers and nothing else under lib/.
CFLAGS_CLI := -std=c17 $(BASE) $(CWARN) -Icli -Ilib/include
CXXFLAGS_LIB := -std=c++17 $(BASE) $(WARN) -Wno-undef -Ilib -Ilib/include -isystem $(LLVM_INC) \
           -fno-exceptions -fno-rtti
LDLIBS  := $(STATIC_BEGIN) $(LLVM_DIR)/lib/libLLVMDemangle.a -lz $(STATIC_END)
LDFLAGS_ALL := $(OPT) -g $(SANFLAGS) -pthread $(CXXRT) $(LDSYS) $(LDFLAGS)

ABI     := 0
ifeq ($(UNAME),Darwin)
SHARED  := libmachsym.$(ABI).dylib
SHARED_LINK := libmachsym.dylib
SHARED_FLAGS := -dynamiclib -install_name $(libdir)/$(SHARED)
else
SHARED  := libmachsym.so.$(ABI)
SHARED_LINK := libmachsym.so
SHARED_FLAGS := -shared -Wl,-soname,$(SHARED)
endif
# A static link of the installed archive needs what the shim and the readers call.
LDLIBS_PRIVATE := -lz -lstdc++ -L$(LLVM_DIR)/lib -lLLVMDemangle -pthread

# V=1 shows the commands themselves.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1) $@')

FLOORS  := base macho report demangle pack dwarf runtime resolve render
LIB_C   := $(sort $(foreach f,$(FLOORS),$(wildcard lib/$(f)/*.c)))
LIB_CXX := $(sort $(foreach f,$(FLOORS),$(wildcard lib/$(f)/*.cpp)))
LIB_O   := $(LIB_C:%.c=$(BUILD)/obj/%.o) $(LIB_CXX:%.cpp=$(BUILD)/obj/%.o)
LIB_A   := $(BUILD)/libmachsym.a
COMMON_O := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard cli/common/*.c)))
COMMANDS := $(patsubst cli/cmd_%.c,%,$(sort $(wildcard cli/cmd_*.c)))
PROGRAMS := $(BUILD)/machsym $(COMMANDS:%=$(BUILD)/machsym-%) $(BUILD)/machsym-helper-llvm \
           $(BUILD)/machsym-helper-libdwarf
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ    := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAY  := $(FUZZ:%=$(BUILD)/tests/replay_%)

.PHONY: all
all: $(PROGRAMS)

$(BUILD)/obj/lib/%.o: lib/%.c
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(CFLAGS_LIB) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/lib/%.o: lib/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(CXXFLAGS_LIB) $(CXXFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/cli/%.o: cli/%.c
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(CFLAGS_CLI) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(CFLAGS_LIB) $(CFLAGS) -Itests -MMD -MP -c $< -o $@

$(LIB_A): $(LIB_O)
	@rm -f $@
	$(call say,AR )
	$(Q)$(AR) rcs $@ $^

$(BUILD)/machsym: $(BUILD)/obj/cli/machsym.o $(COMMON_O) $(LIB_A)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)
$(BUILD)/machsym-%: $(BUILD)/obj/cli/cmd_%.o $(COMMON_O) $(LIB_A)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

# The helper holds LLVM's libraries, so that no other program does; see HACKING.md.
HELPER_LLVM_O := $(patsubst %,$(BUILD)/obj/%.o,$(basename $(wildcard lib/llvm/*.c lib/llvm/*.cpp)))
# LLVM's C headers, for lib/llvm/ alone.
$(BUILD)/obj/lib/llvm/%.o: CFLAGS_LIB += -isystem $(LLVM_INC)
LLVM_LIBS = -L$(LLVM_DIR)/lib $(shell $(LLVM_DIR)/bin/llvm-config --link-static --libs debuginfodwarf object \
            aarch64disassembler armdisassembler x86disassembler x86desc)
$(BUILD)/machsym-helper-llvm: $(HELPER_LLVM_O) $(LIB_A)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $(HELPER_LLVM_O) $(LIB_A) $(LLVM_LIBS) -lz -lzstd $(LLVM_SYSTEM)

# The same for libdwarf, statically where the system has its archive, as Debian has.
HELPER_LIBDWARF_O := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard lib/libdwarf/*.c)))
$(BUILD)/machsym-helper-libdwarf: $(HELPER_LIBDWARF_O) $(LIB_A)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(STATIC_BEGIN) -ldwarf $(STATIC_END) $(LDLIBS)

# ---- tests ---------------------------------------------------------------------------------
# A second opinion on JSON, for tests alone.
TEST_LIBS := -ljson-c
# Criterion finds its tests in a section that nothing refers to: it must not be collected.
ifneq ($(UNAME),Darwin)
KEEP_TESTS := -Wl,--no-gc-sections
endif
$(BUILD)/tests/test_%: $(BUILD)/obj/tests/unit/test_%.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) $(KEEP_TESTS) -o $@ $^ $(LDLIBS) $(TEST_LIBS) -lcriterion
$(BUILD)/tests/replay_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/replay.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS) $(TEST_LIBS)

# What the tests of names and the oracle of Swift names read the library with.
$(BUILD)/tests/names: $(BUILD)/obj/tests/names/names.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

# What tests/oracle/compare-fixups reads pointers with.
$(BUILD)/tests/slots: $(BUILD)/obj/tests/oracle/slots.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

# What tests/bench measures the engine's passes with.
$(BUILD)/tests/scan: $(BUILD)/obj/tests/bench/scan.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

# `check` runs make again for the work itself, since what wildcards and compilers find is only
# right once the packages are there.
.PHONY: check suites tests
check: packages-check
	@$(MAKE) --no-print-directory SAN=$(SAN) tests
	@$(MAKE) --no-print-directory SAN=$(SAN) suites
tests: all $(UNIT) $(REPLAY) $(BUILD)/tests/names
suites:
	@tests/run "tests/unit/run $(UNIT)" \
	    "tests/fuzz/run $(BUILD) $(FUZZ)" \
	    "tests/cli/run $(BUILD)" \
	    $(foreach s,$(wildcard tests/names/run tests/oracle/run tests/corpus/run tests/man/run tests/large/run tests/callgrind/run),"$(s) $(BUILD)") \
	    "tests/oracle/compare-pack --build $(BUILD)" \
	    "tests/oracle/compare-gsym --build $(BUILD) --llvm" \
	    $(if $(filter 1,$(SAN)),,"tests/lint/run $(BUILD)" "tests/install/run $(BUILD)")

# ---- packages --------------------------------------------------------------------------------
# Debian's and Homebrew's names of what is missing are worked out by the shell, not by make, so
# that nothing is asked for on a machine that has it all.
APT_BUILD := gcc g++ libc6-dev llvm-19-dev zlib1g-dev libxxhash-dev libzstd-dev libdwarf-dev
APT_CHECK := $(APT_BUILD) libcriterion-dev libjson-c-dev python3 mandoc llvm-19
BREW_BUILD := llvm@19 xxhash zstd dwarfutils
BREW_CHECK := $(BREW_BUILD) criterion json-c python3 mandoc
.PHONY: packages-build packages-check
packages-build:
	@tests/packages "$(APT_BUILD)" "$(BREW_BUILD)"
packages-check:
	@tests/packages "$(APT_CHECK)" "$(BREW_CHECK)"

.PHONY: demo
demo: packages-build
	@$(MAKE) --no-print-directory all
	@fixtures/demo $(BUILD)

.PHONY: lint fixtures bench
lint: all
	@tests/lint/run $(BUILD)
fixtures:
	fixtures/build $(if $(SWIFTC),--swiftc $(SWIFTC))
bench: all $(BUILD)/tests/scan
	tests/bench/bench --build $(BUILD) $(BENCH_ARGS)

# ---- install ---------------------------------------------------------------------------------
PAGES := $(wildcard man/*.[135])
.PHONY: install
install: all $(BUILD)/$(SHARED)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libexecdir) $(DESTDIR)$(libdir)/pkgconfig \
	    $(DESTDIR)$(incdir)/machsym $(addprefix $(DESTDIR)$(mandir)/man,1 3 5) \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(BUILD)/machsym $(DESTDIR)$(bindir)/machsym
	for c in $(COMMANDS) helper-llvm helper-libdwarf; do install -m 755 $(BUILD)/machsym-$$c $(DESTDIR)$(libexecdir)/ || exit 1; done
	install -m 644 $(LIB_A) $(DESTDIR)$(libdir)/libmachsym.a
	install -m 755 $(BUILD)/$(SHARED) $(DESTDIR)$(libdir)/$(SHARED)
	ln -sf $(SHARED) $(DESTDIR)$(libdir)/$(SHARED_LINK)
	install -m 644 lib/include/machsym/*.h $(DESTDIR)$(incdir)/machsym/
	for p in $(PAGES); do install -m 644 $$p $(DESTDIR)$(mandir)/man$${p##*.}/ || exit 1; done
	install -m 644 cli/completions/machsym.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/machsym
	install -m 644 cli/completions/_machsym $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_machsym
	install -m 644 cli/completions/machsym.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/machsym.fish
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	    'Name: machsym' 'Description: Symbolication of Mach-O binaries and Apple crash reports' \
	    'Version: $(VERSION)' 'Libs: -L$${libdir} -lmachsym' \
	    'Libs.private: $(LDLIBS_PRIVATE)' 'Cflags: -I$${includedir}' \
	    > $(DESTDIR)$(libdir)/pkgconfig/machsym.pc

# The shared library exports the functions of the public headers alone.
EXPORTED = sed -n 's/.*\(ms_[a-z0-9_]*\)(.*/\1/p' lib/include/machsym/*.h | LC_ALL=C sort -u
ifeq ($(UNAME),Darwin)
$(BUILD)/exports: $(wildcard lib/include/machsym/*.h)
	@mkdir -p $(@D)
	@$(EXPORTED) | sed 's/^/_/' > $@
EXPORT_FLAG = -Wl,-exported_symbols_list,$(BUILD)/exports
else
$(BUILD)/exports: $(wildcard lib/include/machsym/*.h)
	@mkdir -p $(@D)
	@{ echo '{ global:'; $(EXPORTED) | sed 's/$$/;/'; echo 'local: *; };'; } > $@
EXPORT_FLAG = -Wl,--version-script,$(BUILD)/exports
endif
$(BUILD)/$(SHARED): $(LIB_O) $(BUILD)/exports
	$(call say,LD )
	$(Q)$(CXX) $(LDFLAGS_ALL) $(SHARED_FLAGS) $(EXPORT_FLAG) -o $@ $(LIB_O) $(LDLIBS)

# ---- fuzzing: make fuzz T=fat S=60 -----------------------------------------------------------
FUZZ_CC ?= $(LLVM_DIR)/bin/clang
T ?= $(FUZZ)
S ?= 60
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
              -fprofile-instr-generate -fcoverage-mapping
.PHONY: fuzz
fuzz: $(T:%=fuzz-%)
fuzz-%: build/fuzz/%
	@mkdir -p build/fuzz/found/$*
	cd build/fuzz && LLVM_PROFILE_FILE=$*.profraw ./$* -max_total_time=$(S) -print_final_stats=1 \
	    $(FUZZ_ARGS) $(if $(wildcard tests/fuzz/$*.dict),-dict=../../tests/fuzz/$*.dict) \
	    found/$* ../../tests/fuzz/corpus/$*
FUZZ_O := $(LIB_C:%.c=build/fuzz/obj/%.o) $(LIB_CXX:%.cpp=build/fuzz/obj/%.o)
build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,FUZ)
	$(Q)$(FUZZ_CC) -O1 -fsanitize=fuzzer-no-link $(FUZZ_FLAGS) $(CFLAGS_LIB) -Itests -MMD -MP -c $< -o $@
build/fuzz/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,FUZ)
	$(Q)$(FUZZ_CC)++ -O1 -fsanitize=fuzzer-no-link $(FUZZ_FLAGS) $(CXXFLAGS_LIB) -MMD -MP -c $< -o $@
build/fuzz/%: build/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_O)
	$(call say,FUZ)
	$(Q)$(FUZZ_CC)++ -fsanitize=fuzzer $(FUZZ_FLAGS) -pthread -o $@ $^ $(LDLIBS) $(TEST_LIBS)
# Nothing that was built on the way is thrown away.
.SECONDARY:

.PHONY: help clean
help:
	@echo 'make            build the programs into build/'
	@echo 'make demo       install what is missing, build, symbolicate a real report'
	@echo 'make check      install what is missing, build, run every test'
	@echo 'make SAN=1 check   the same under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make lint       floors, headers, links'
	@echo 'make bench      side by side with other symbolizers'
	@echo 'make fuzz T=TARGET S=SECONDS   fuzz one parser (targets: $(FUZZ))'
	@echo 'make fixtures SWIFTC=PATH      rebuild the committed binaries'
	@echo 'make install PREFIX=… DESTDIR=…'
clean:
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)
