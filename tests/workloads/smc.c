// SPDX-License-Identifier: MIT
//
// Self-modifying code: a store into the very next instructions, into the loop that runs, into the rest of
// an instruction's own line.

#include "w.h"

typedef long function(long);

static unsigned char *code;

static long run(const unsigned char *bytes, size_t size, long arg)
{
    memcpy(code, bytes, size);
    return ((function *)code)(arg);
}

// Writes 7 into the immediate of the instruction that follows at once.
static const unsigned char next[] = {
    0xc6, 0x05, 0x01, 0x00, 0x00, 0x00, 0x07, // movb $7, 1(%rip)
    0xb8, 0x01, 0x00, 0x00, 0x00, // mov $1, %eax: becomes $7
    0xc3,
};

// Ten rounds; each adds an immediate that the round before has raised by one.
static const unsigned char loop[] = {
    0x31, 0xc0, // xor %eax, %eax
    0xb9, 0x0a, 0x00, 0x00, 0x00, // mov $10, %ecx
    0x83, 0xc0, 0x01, // add $1, %eax: the immediate is at offset 9
    0xfe, 0x05, 0xf9, 0xff, 0xff, 0xff, // incb -7(%rip), which is offset 9
    0xff, 0xc9, // dec %ecx
    0x75, 0xf3, // jnz to the add
    0xc3,
};

// Turns a jump that is about to be taken into two nops, in one store.
static const unsigned char jump[] = {
    0xb8, 0x05, 0x00, 0x00, 0x00, // mov $5, %eax
    0x66, 0xc7, 0x05, 0x00, 0x00, 0x00, 0x00, 0x90, 0x90, // movw $0x9090, 0(%rip)
    0xeb, 0x03, // jmp over the add: becomes nop; nop
    0x83, 0xc0, 0x64, // add $100, %eax
    0xc3,
};

// rep stosb over the instructions behind itself, with nops.
static const unsigned char string[] = {
    0x48, 0x8d, 0x3d, 0x09, 0x00, 0x00, 0x00, // lea 9(%rip), %rdi: the add
    0xb9, 0x03, 0x00, 0x00, 0x00, // mov $3, %ecx
    0xb0, 0x90, // mov $0x90, %al
    0xf3, 0xaa, // rep stosb
    0x83, 0xc6, 0x64, // add $100, %esi
    0x89, 0xf0, // mov %esi, %eax
    0xc3,
};

int main(void)
{
    code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    for (int round = 0; round < 3; round++) {
        printf("next %ld ", run(next, sizeof next, 0));
        printf("loop %ld ", run(loop, sizeof loop, 0));
        printf("jump %ld ", run(jump, sizeof jump, 0));
        memcpy(code, string, sizeof string);
        int result;
        __asm__ volatile("call *%1" : "=a"(result) : "r"(code), "S"(11) : "rdi", "rcx", "memory", "cc");
        printf("string %d\n", result);
    }
    // The same code half a page on, so that it crosses into the next page.
    code += 4096 - 9;
    printf("next %ld loop %ld\n", run(next, sizeof next, 0), run(loop, sizeof loop, 0));
    return 0;
}
