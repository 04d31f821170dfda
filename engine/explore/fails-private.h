// SPDX-License-Identifier: MIT
#pragma once

#include "rw-fails.h"

typedef enum { RW_FACT_EXIT, RW_FACT_SIGNAL, RW_FACT_END, RW_FACT_OUTPUT } RwFactKind;

typedef enum {
    RW_FACT_IS,
    RW_FACT_IS_NOT,
    RW_FACT_LESS,
    RW_FACT_MOST,
    RW_FACT_MORE,
    RW_FACT_LEAST
} RwFactOp;

typedef struct {
    RwFactKind kind;
    RwFactOp op;
    int number; // a status; a signal, 0 for any; an RwEndKind; which of the texts
    unsigned alternative; // those with the same number are needed together
} RwFact;

typedef struct {
    char *text; // its bytes
    uint8_t length;
    uint8_t back[RW_FAILS_TEXT_MAX + 1]; // of n bytes that match: the longest end of them that is a start
} RwFailsText;

struct _RwFails {
    GArray *facts; // of RwFact
    unsigned n_texts;
    RwFailsText texts[RW_FAILS_TEXTS_MAX];
};
