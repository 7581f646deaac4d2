#include "fusion/plugin/halide_build.h"

#include <Halide.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

namespace fusion {
namespace {

struct Loaded {
    const void *address;  ///< of something in libHalide
    std::string build_id;
};

std::string hexadecimal(const unsigned char *bytes, size_t count) {
    static const char *digits = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < count; i++) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

/// The GNU build id note among the notes of one segment.
std::string build_id_in(const char *notes, size_t size) {
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes + at);
        const size_t name = at + sizeof(*note), description = name + ((note->n_namesz + 3) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
            return hexadecimal(reinterpret_cast<const unsigned char *>(notes + description), note->n_descsz);
        }
        at = description + ((note->n_descsz + 3) & ~3u);
    }
    return "";
}

int look(dl_phdr_info *info, size_t, void *data) {
    auto *loaded = static_cast<Loaded *>(data);
    const auto address = reinterpret_cast<ElfW(Addr)>(loaded->address);
    bool is_here = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &segment = info->dlpi_phdr[i];
        const ElfW(Addr) begin = info->dlpi_addr + segment.p_vaddr;
        is_here |= segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz;
    }
    for (int i = 0; is_here && i < info->dlpi_phnum && loaded->build_id.empty(); i++) {
        const auto &segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_NOTE) {
            loaded->build_id =
                build_id_in(reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
        }
    }
    return is_here;
}

}  // namespace

std::string halide_mismatch() {
    Loaded loaded{reinterpret_cast<const void *>(&Halide::get_host_target), ""};
    Dl_info info{};
    // The address of an imported function may be a stub in this library: ask for the symbol itself.
    if (const void *symbol = dlsym(RTLD_DEFAULT, "_ZN6Halide15get_host_targetEv")) {
        loaded.address = symbol;
    }
    dladdr(loaded.address, &info);
    dl_iterate_phdr(look, &loaded);
    const std::string built = FUSION_HALIDE_BUILD_ID;
    if (built.empty() || loaded.build_id.empty() || built == loaded.build_id) {
        return "";
    }
    return "Fusion: this plugin was built for libHalide " + std::string(FUSION_HALIDE_VERSION) + " (build id " + built +
           ") and was loaded into " + (info.dli_fname ? info.dli_fname : "another libHalide") + " (build id " +
           loaded.build_id + "). Next step: build the plugin against that Halide, or use Halide " +
           FUSION_HALIDE_VERSION + ".";
}

}  // namespace fusion
