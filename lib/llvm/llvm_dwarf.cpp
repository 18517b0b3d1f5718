#include "llvm/llvm_dwarf.h"

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/MachO.h"
#include "llvm/Object/MachOUniversal.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

using llvm::object::MachOObjectFile;
using llvm::object::MachOUniversalBinary;

static bool has_uuid(const MachOObjectFile &object, const uint8_t *uuid)
{
    llvm::ArrayRef<uint8_t> its = object.getUuid();
    return its.size() == 16 && std::memcmp(its.data(), uuid, 16) == 0;
}

static enum ms_llvm_verdict verify(const MachOObjectFile &object)
{
    std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(object);
    llvm::DIDumpOptions options;
    options.Verbose = true; /* as llvm-dwarfdump --verify has it: each error, and their sums */
    options.ShowAggregateErrors = true;
    bool clean = context->verify(llvm::outs(), options.noImplicitRecursion());
    llvm::outs().flush();
    return clean ? MS_LLVM_CLEAN : MS_LLVM_ERRORS;
}

static enum ms_llvm_verdict unreadable(char *message, size_t room, const std::string &text)
{
    std::snprintf(message, room, "%s", text.c_str());
    return MS_LLVM_UNREADABLE;
}

enum ms_llvm_verdict ms_llvm_verify(const char *path, const uint8_t *uuid, char *message,
                                    size_t room)
{
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
        return unreadable(message, room, buffer.getError().message());
    auto binary = llvm::object::createBinary((*buffer)->getMemBufferRef());
    if (!binary)
        return unreadable(message, room, llvm::toString(binary.takeError()));
    if (auto *thin = llvm::dyn_cast<MachOObjectFile>(binary->get()))
        return has_uuid(*thin, uuid) ? verify(*thin)
                                     : unreadable(message, room, "has another UUID now");
    if (auto *fat = llvm::dyn_cast<MachOUniversalBinary>(binary->get())) {
        for (const auto &slice : fat->objects()) {
            auto object = slice.getAsObjectFile();
            if (!object) {
                llvm::consumeError(object.takeError());
                continue;
            }
            if (has_uuid(**object, uuid))
                return verify(**object);
        }
    }
    return unreadable(message, room, "LLVM finds no slice of that UUID in it");
}

enum ms_llvm_verdict ms_llvm_verify_at(const char *path, uint64_t off, uint64_t bytes,
                                       char *message, size_t room)
{
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
        return unreadable(message, room, buffer.getError().message());
    llvm::StringRef whole = (*buffer)->getBuffer();
    if (off > whole.size() || bytes > whole.size() - off)
        return unreadable(message, room, "changed while it was read");
    auto binary =
        llvm::object::createBinary(llvm::MemoryBufferRef(whole.substr(off, bytes), path));
    if (!binary)
        return unreadable(message, room, llvm::toString(binary.takeError()));
    auto *thin = llvm::dyn_cast<MachOObjectFile>(binary->get());
    return thin ? verify(*thin) : unreadable(message, room, "LLVM finds no Mach-O object there");
}
