// SPDX-License-Identifier: MIT
// Ways into the test guest, and its tables that no C can write: page tables, exception stubs.
        .section .head, "awx"
        .code32
        // Multiboot header with load addresses (a flat file), then what the test runner wants to know.
        .long 0x1badb002
        .long 0x00010000
        .long -(0x1badb002 + 0x00010000)
        .long image_start
        .long image_start
        .long image_end
        .long image_bss_end
        .long start32
        .quad start64           // 64-bit entry, paging on with the tables below
        .quad pml4
        .quad image_bss_end

        .globl start32
start32:
        cli
        movl $pml4, %eax
        movl %eax, %cr3
        movl $0x20, %eax        // PAE
        movl %eax, %cr4
        movl $0xc0000080, %ecx
        rdmsr
        orl $0x100, %eax        // LME
        wrmsr
        movl $0x80000011, %eax  // PG, ET, PE
        movl %eax, %cr0
        lgdt boot_gdtr
        ljmp $8, $start64

        .balign 8
boot_gdt:
        .quad 0
        .quad 0x00af9b000000ffff
boot_gdtr:
        .word 15
        .long boot_gdt

        .code64
        .text
        .globl start64
start64:
        movq $kernel_stack_top, %rsp
        pushq $2
        popfq
        xorl %eax, %eax
        movl %eax, %ds
        movl %eax, %es
        movl %eax, %ss
        call guest_main
1:      hlt
        jmp 1b

// int try_call (void *fragment /*rdi*/, unsigned user /*esi*/, uint64_t rflags /*rdx*/)
// Fragments may use every register; they end in `jmp try_exit` or, in ring 3, `int $0x80`.
        .globl try_call, try_exit
try_call:
        pushq %rbx
        pushq %rbp
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        movq %rsp, context_rsp
        andq $-16, %rsp         // whatever the compiler made of the stack so far
        testl %esi, %esi
        jnz 1f
        pushq %rdx
        popfq
        jmp *%rdi
1:      pushq $0x23             // user data
        pushq $user_stack_top
        pushq %rdx
        pushq $0x2b             // user code
        pushq %rdi
        iretq
try_exit:
        movq context_rsp, %rsp
        pushq $8                // a fragment may have changed CS
        pushq $1f
        lretq
1:
        pushq $2
        popfq
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbp
        popq %rbx
        ret

// Vector 0xf3 becomes pending: by a port of this machine, or by the other one's APIC. Changes RAX and
// flags only.
        .globl raise_irq
raise_irq:
        cmpb $0, on_rewind
        je 1f
        movb $0xf3, %al
        outb %al, $0xf5
        ret
1:      movl $0xfee00300, %eax
        movl $0x400f3, (%rax)
        ret

        .globl stub_table
        // 256 stubs of 16 bytes: a dummy error code where the CPU pushes none, the vector, the common part.
        .balign 16
stub_table:
        .set vector, 0
        .rept 256
        .balign 16
        .if (vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)
        pushq $0
        .endif
        pushq $vector
        jmp common
        .set vector, vector + 1
        .endr
common:
        pushq %rax
        pushq %rbx
        pushq %rcx
        pushq %rdx
        pushq %rsi
        pushq %rdi
        pushq %rbp
        pushq %r8
        pushq %r9
        pushq %r10
        pushq %r11
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        movq %rsp, %rdi
        movq %rsp, %rbp
        andq $-16, %rsp
        cld
        call trap
        movq %rbp, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %r11
        popq %r10
        popq %r9
        popq %r8
        popq %rbp
        popq %rdi
        popq %rsi
        popq %rdx
        popq %rcx
        popq %rbx
        popq %rax
        addq $16, %rsp
        iretq

        .data
        .balign 4096
        // 64 MiB from 0 as 2 MiB pages, for every ring; 0xfee00000 for the other machine's APIC.
        .globl pml4, pdpt, pd, test_pt
pml4:
        .quad pdpt + 7
        .fill 511, 8, 0
pdpt:
        .quad pd + 7
        .quad 0, 0
        .quad pd3 + 7
        .fill 508, 8, 0
pd:
        .set page, 0
        .rept 8
        .quad page * 0x200000 + 0x87
        .set page, page + 1
        .endr
        .quad test_pt + 7       // 16 MiB: 4 KiB pages that the tests change
        .set page, 9
        .rept 23
        .quad page * 0x200000 + 0x87
        .set page, page + 1
        .endr
        .fill 480, 8, 0
pd3:
        .fill 503, 8, 0
        .quad 0xfee00000 + 0x9b // cache disabled
        .fill 8, 8, 0
test_pt:
        .fill 512, 8, 0

        .bss
        .balign 4096
        .skip 16384
        .globl kernel_stack_top, user_stack_top, rsp0_top, ist1_top, ist2_top
kernel_stack_top:
        .skip 8192
user_stack_top:
        .skip 8192
rsp0_top:
        .skip 8192
ist1_top:
        .skip 8192
ist2_top:
        .skip 64
        .globl context_rsp
        .balign 8
context_rsp:
        .skip 8
