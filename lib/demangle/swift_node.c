/* The nodes of a Swift name: what each kind is, and making them. */
#include "demangle/swift_node.h"

#include <string.h>

const uint8_t ms_swift_flags[MS_SWIFT_N_KINDS] = {
#define X(kind, flags, phrase) flags,
    MS_SWIFT_KINDS(X)
#undef X
};

const char *const ms_swift_phrases[MS_SWIFT_N_KINDS] = {
#define X(kind, flags, phrase) phrase,
    MS_SWIFT_KINDS(X)
#undef X
};

/* Of a literal or NULL, whose length is a constant to the compiler alike. */
#define BYTES_OF(phrase) ((phrase) ? sizeof(#phrase) - 3 : 0)
const uint8_t ms_swift_phrase_bytes[MS_SWIFT_N_KINDS] = {
#define X(kind, flags, phrase) BYTES_OF(phrase),
    MS_SWIFT_KINDS(X)
#undef X
};

bool ms_swift_add(struct ms_arena *arena, struct ms_swift_node *parent, struct ms_swift_node *child)
{
    if (!parent || !child)
        return false;
    uint32_t n = parent->n;
    /* Room is for two, four, eight, …: full whenever the number is one of these. */
    if (n >= 2 && (n & (n - 1)) == 0) {
        if (n > UINT32_MAX / 2)
            return false;
        struct ms_swift_node **wider = ms_arena_take(arena, 2 * (size_t)n * sizeof *wider);
        if (!wider)
            return false;
        memcpy(wider, parent->child, n * sizeof *wider);
        parent->child = wider;
    }
    parent->child[parent->n++] = child;
    return true;
}

void ms_swift_reverse(struct ms_swift_node *node)
{
    for (uint32_t i = 0; i < node->n / 2; i++) {
        struct ms_swift_node *other = node->child[node->n - 1 - i];
        node->child[node->n - 1 - i] = node->child[i];
        node->child[i] = other;
    }
}

const struct ms_swift_value_witness ms_swift_value_witnesses[] = {
    {"al", "allocateBuffer"},
    {"ca", "assignWithCopy"},
    {"ta", "assignWithTake"},
    {"de", "deallocateBuffer"},
    {"xx", "destroy"},
    {"XX", "destroyBuffer"},
    {"Xx", "destroyArray"},
    {"CP", "initializeBufferWithCopyOfBuffer"},
    {"Cp", "initializeBufferWithCopy"},
    {"cp", "initializeWithCopy"},
    {"Tk", "initializeBufferWithTake"},
    {"tk", "initializeWithTake"},
    {"pr", "projectBuffer"},
    {"TK", "initializeBufferWithTakeOfBuffer"},
    {"Cc", "initializeArrayWithCopy"},
    {"Tt", "initializeArrayWithTakeFrontToBack"},
    {"tT", "initializeArrayWithTakeBackToFront"},
    {"xs", "storeExtraInhabitant"},
    {"xg", "getExtraInhabitantIndex"},
    {"ug", "getEnumTag"},
    {"up", "destructiveProjectEnumData"},
    {"ui", "destructiveInjectEnumTag"},
    {"et", "getEnumTagSinglePayload"},
    {"st", "storeEnumTagSinglePayload"},
    {"", NULL},
};
