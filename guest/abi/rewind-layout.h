/* SPDX-License-Identifier: MIT */
/*
 * Where the guest's kernel keeps what it knows of tasks and their memory: a table of numbers in its memory,
 * so that a machine can be looked into wherever it stands, without asking its guest.
 * rewind_shared.layout_gpa tells where the table is, REWIND_FEATURE_LAYOUT that there is one.
 *
 * Each line is REWIND_FACT(NUMBER, NAME, VALUE): VALUE, which only the kernel compiles, is an address, a
 * size or the offset of a member. Numbers are never used twice; a kernel leaves out what it does not have.
 * All of it is untrusted, like what is found by it.
 */
#ifndef REWIND_LAYOUT_H
#define REWIND_LAYOUT_H

#include "rewind-abi.h"

#define REWIND_LAYOUT_MAGIC 0x59414c57u /* "WLAY" */
#define REWIND_LAYOUT_VERSION 1

struct rewind_fact {
    rw_u32 number;
    rw_u32 reserved;
    rw_u64 value;
};

struct rewind_layout {
    rw_u32 magic;
    rw_u32 version;
    rw_u32 n; /* facts that follow */
    rw_u32 fact_size; /* of each of them, at least a struct rewind_fact */
};

#define REWIND_AT(type, member) __builtin_offsetof(struct type, member)

#define REWIND_FACTS(REWIND_FACT)                                                                          \
    /* addresses and sizes */                                                                              \
    REWIND_FACT(1, INIT_TASK, (unsigned long)&init_task)                                                   \
    REWIND_FACT(2, PAGE_TABLES, (unsigned long)swapper_pg_dir - __START_KERNEL_map) /* guest-physical */   \
    REWIND_FACT(3, CURRENT_TASK, (unsigned long)&current_task)                                             \
    REWIND_FACT(4, INIT_PID_NS, (unsigned long)&init_pid_ns)                                               \
    REWIND_FACT(5, STACK_SIZE, THREAD_SIZE)                                                                \
    REWIND_FACT(6, REGS_SIZE, sizeof(struct pt_regs))                                                      \
    REWIND_FACT(7, STACK_PADDING, TOP_OF_KERNEL_STACK_PADDING)                                             \
    REWIND_FACT(8, SPECIAL_MAPPING_OPS, (unsigned long)&special_mapping_vmops)                             \
    REWIND_FACT(9, VSYSCALL, VSYSCALL_ADDR)                                                                \
    REWIND_FACT(10, PAGE_STRUCTS, __VMEMMAP_BASE_L4)                                                       \
    REWIND_FACT(11, PAGE_STRUCT_SIZE, sizeof(struct page))                                                 \
    REWIND_FACT(12, SWAP_FILES_MAX, MAX_SWAPFILES)                                                         \
    REWIND_FACT(13, TICKS_A_SECOND, HZ)                                                                    \
    /* struct task_struct, signal_struct, cred */                                                          \
    REWIND_FACT(32, TASK_TASKS, REWIND_AT(task_struct, tasks))                                             \
    REWIND_FACT(33, TASK_THREAD_NODE, REWIND_AT(task_struct, thread_node))                                 \
    REWIND_FACT(34, TASK_SIGNAL, REWIND_AT(task_struct, signal))                                           \
    REWIND_FACT(35, SIGNAL_THREADS, REWIND_AT(signal_struct, thread_head))                                 \
    REWIND_FACT(36, TASK_PID, REWIND_AT(task_struct, pid))                                                 \
    REWIND_FACT(37, TASK_TGID, REWIND_AT(task_struct, tgid))                                               \
    REWIND_FACT(38, TASK_REAL_PARENT, REWIND_AT(task_struct, real_parent))                                 \
    REWIND_FACT(39, TASK_COMM, REWIND_AT(task_struct, comm))                                               \
    REWIND_FACT(40, TASK_STATE, REWIND_AT(task_struct, __state))                                           \
    REWIND_FACT(41, TASK_EXIT_STATE, REWIND_AT(task_struct, exit_state))                                   \
    REWIND_FACT(42, TASK_EXIT_CODE, REWIND_AT(task_struct, exit_code))                                     \
    REWIND_FACT(43, TASK_FLAGS, REWIND_AT(task_struct, flags))                                             \
    REWIND_FACT(44, TASK_STACK, REWIND_AT(task_struct, stack))                                             \
    REWIND_FACT(45, TASK_MM, REWIND_AT(task_struct, mm))                                                   \
    REWIND_FACT(46, TASK_ACTIVE_MM, REWIND_AT(task_struct, active_mm))                                     \
    REWIND_FACT(47, TASK_THREAD_PID, REWIND_AT(task_struct, thread_pid))                                   \
    REWIND_FACT(48, SIGNAL_PIDS, REWIND_AT(signal_struct, pids))                                           \
    REWIND_FACT(49, TASK_ON_RQ, REWIND_AT(task_struct, on_rq))                                             \
    REWIND_FACT(50, TASK_PRIO, REWIND_AT(task_struct, prio))                                               \
    REWIND_FACT(51, TASK_POLICY, REWIND_AT(task_struct, policy))                                           \
    REWIND_FACT(52, TASK_VRUNTIME, REWIND_AT(task_struct, se.vruntime))                                    \
    REWIND_FACT(53, TASK_RUNTIME, REWIND_AT(task_struct, se.sum_exec_runtime))                             \
    REWIND_FACT(54, TASK_START_TIME, REWIND_AT(task_struct, start_time))                                   \
    REWIND_FACT(55, TASK_FS, REWIND_AT(task_struct, fs))                                                   \
    REWIND_FACT(56, TASK_FILES, REWIND_AT(task_struct, files))                                             \
    REWIND_FACT(57, TASK_NSPROXY, REWIND_AT(task_struct, nsproxy))                                         \
    REWIND_FACT(58, TASK_CRED, REWIND_AT(task_struct, cred))                                               \
    REWIND_FACT(59, CRED_UID, REWIND_AT(cred, uid))                                                        \
    REWIND_FACT(60, CRED_GID, REWIND_AT(cred, gid))                                                        \
    REWIND_FACT(61, TASK_BLOCKED, REWIND_AT(task_struct, blocked))                                         \
    REWIND_FACT(62, TASK_PENDING, REWIND_AT(task_struct, pending.signal))                                  \
    REWIND_FACT(63, SIGNAL_PENDING, REWIND_AT(signal_struct, shared_pending.signal))                       \
    REWIND_FACT(64, TASK_THREAD_INFO_FLAGS, REWIND_AT(task_struct, thread_info.flags))                     \
    REWIND_FACT(65, FLAG_FPU_IN_MEMORY, TIF_NEED_FPU_LOAD) /* the bit in those */                          \
    REWIND_FACT(66, TASK_HELD, REWIND_AT(task_struct, rewind.waiting)) /* bytes: 1 yes */                  \
    REWIND_FACT(67, TASK_STALLED, REWIND_AT(task_struct, rewind.in_stall))                                 \
    REWIND_FACT(68, TASK_HIDDEN, REWIND_AT(task_struct, rewind.hidden))                                    \
    REWIND_FACT(69, TASK_ROBUST_LIST, REWIND_AT(task_struct, robust_list))                                 \
    REWIND_FACT(70, TASK_CLEAR_CHILD_TID, REWIND_AT(task_struct, clear_child_tid))                         \
    /* struct thread_struct, fpu */                                                                        \
    REWIND_FACT(96, TASK_SP, REWIND_AT(task_struct, thread.sp))                                            \
    REWIND_FACT(97, TASK_FS_BASE, REWIND_AT(task_struct, thread.fsbase))                                   \
    REWIND_FACT(98, TASK_GS_BASE, REWIND_AT(task_struct, thread.gsbase))                                   \
    REWIND_FACT(99, TASK_FPSTATE, REWIND_AT(task_struct, thread.fpu.fpstate))                              \
    REWIND_FACT(100, FPSTATE_REGS, REWIND_AT(fpstate, regs))                                               \
    REWIND_FACT(101, FPSTATE_SIZE, REWIND_AT(fpstate, size))                                               \
    /* struct pid, pid_namespace, nsproxy */                                                               \
    REWIND_FACT(112, PID_LEVEL, REWIND_AT(pid, level))                                                     \
    REWIND_FACT(113, PID_NUMBERS, REWIND_AT(pid, numbers))                                                 \
    REWIND_FACT(114, UPID_SIZE, sizeof(struct upid))                                                       \
    REWIND_FACT(115, UPID_NR, REWIND_AT(upid, nr))                                                         \
    REWIND_FACT(116, UPID_NS, REWIND_AT(upid, ns))                                                         \
    REWIND_FACT(117, PID_NS_INUM, REWIND_AT(pid_namespace, ns.inum))                                       \
    REWIND_FACT(118, NSPROXY_MNT, REWIND_AT(nsproxy, mnt_ns))                                              \
    REWIND_FACT(119, MNT_NS_INUM, REWIND_AT(mnt_namespace, ns.inum))                                       \
    REWIND_FACT(120, PIDTYPE_OF_PROCESS, PIDTYPE_TGID)                                                     \
    /* struct mm_struct, maple tree, vm_area_struct */                                                     \
    REWIND_FACT(128, MM_PGD, REWIND_AT(mm_struct, pgd))                                                    \
    REWIND_FACT(129, MM_TREE_ROOT, REWIND_AT(mm_struct, mm_mt.ma_root))                                    \
    REWIND_FACT(130, MM_MAP_COUNT, REWIND_AT(mm_struct, map_count))                                        \
    REWIND_FACT(131, MM_LOCK_COUNT, REWIND_AT(mm_struct, mmap_lock.count))                                 \
    REWIND_FACT(132, MM_START_BRK, REWIND_AT(mm_struct, start_brk))                                        \
    REWIND_FACT(133, MM_BRK, REWIND_AT(mm_struct, brk))                                                    \
    REWIND_FACT(134, MM_START_STACK, REWIND_AT(mm_struct, start_stack))                                    \
    REWIND_FACT(135, MM_ARG_START, REWIND_AT(mm_struct, arg_start))                                        \
    REWIND_FACT(136, MM_ARG_END, REWIND_AT(mm_struct, arg_end))                                            \
    REWIND_FACT(137, MM_ENV_START, REWIND_AT(mm_struct, env_start))                                        \
    REWIND_FACT(138, MM_ENV_END, REWIND_AT(mm_struct, env_end))                                            \
    REWIND_FACT(139, MM_EXE_FILE, REWIND_AT(mm_struct, exe_file))                                          \
    REWIND_FACT(140, MM_AUXV, REWIND_AT(mm_struct, saved_auxv))                                            \
    REWIND_FACT(141, MM_AUXV_SIZE, sizeof(((struct mm_struct *)0)->saved_auxv))                            \
    REWIND_FACT(142, MM_TOTAL, REWIND_AT(mm_struct, total_vm))                                             \
    REWIND_FACT(143, MM_START_CODE, REWIND_AT(mm_struct, start_code))                                      \
    REWIND_FACT(144, MM_USERS, REWIND_AT(mm_struct, mm_users))                                             \
    REWIND_FACT(145, MM_RESIDENT, REWIND_AT(mm_struct, rss_stat))                                          \
    REWIND_FACT(160, MAPLE_LEAF, maple_leaf_64) /* types of nodes, */                                      \
    REWIND_FACT(161, MAPLE_RANGE, maple_range_64)                                                          \
    REWIND_FACT(162, MAPLE_ARANGE, maple_arange_64)                                                        \
    REWIND_FACT(163, MAPLE_RANGE_SLOTS, MAPLE_RANGE64_SLOTS) /* with a pivot less, */                      \
    REWIND_FACT(164, MAPLE_RANGE_PIVOT, REWIND_AT(maple_range_64, pivot))                                  \
    REWIND_FACT(165, MAPLE_RANGE_SLOT, REWIND_AT(maple_range_64, slot))                                    \
    REWIND_FACT(166, MAPLE_ARANGE_SLOTS, MAPLE_ARANGE64_SLOTS)                                             \
    REWIND_FACT(167, MAPLE_ARANGE_PIVOT, REWIND_AT(maple_arange_64, pivot))                                \
    REWIND_FACT(168, MAPLE_ARANGE_SLOT, REWIND_AT(maple_arange_64, slot))                                  \
    REWIND_FACT(169, MAPLE_NODE_SIZE, sizeof(struct maple_node)) /* and alignment */                       \
    REWIND_FACT(176, VMA_START, REWIND_AT(vm_area_struct, vm_start))                                       \
    REWIND_FACT(177, VMA_END, REWIND_AT(vm_area_struct, vm_end))                                           \
    REWIND_FACT(178, VMA_FLAGS, REWIND_AT(vm_area_struct, vm_flags))                                       \
    REWIND_FACT(179, VMA_PGOFF, REWIND_AT(vm_area_struct, vm_pgoff))                                       \
    REWIND_FACT(180, VMA_FILE, REWIND_AT(vm_area_struct, vm_file))                                         \
    REWIND_FACT(181, VMA_OPS, REWIND_AT(vm_area_struct, vm_ops))                                           \
    REWIND_FACT(182, VMA_PRIVATE, REWIND_AT(vm_area_struct, vm_private_data))                              \
    REWIND_FACT(183, SPECIAL_MAPPING_NAME, REWIND_AT(vm_special_mapping, name))                            \
    REWIND_FACT(184, VMA_MM, REWIND_AT(vm_area_struct, vm_mm))                                             \
    /* files */                                                                                            \
    REWIND_FACT(192, FILE_MNT, REWIND_AT(file, f_path.mnt))                                                \
    REWIND_FACT(193, FILE_DENTRY, REWIND_AT(file, f_path.dentry))                                          \
    REWIND_FACT(194, FILE_INODE, REWIND_AT(file, f_inode))                                                 \
    REWIND_FACT(195, FILE_MAPPING, REWIND_AT(file, f_mapping))                                             \
    REWIND_FACT(196, FILE_FLAGS, REWIND_AT(file, f_flags))                                                 \
    REWIND_FACT(197, FILE_POS, REWIND_AT(file, f_pos))                                                     \
    REWIND_FACT(198, DENTRY_NAME, REWIND_AT(dentry, d_name.name))                                          \
    REWIND_FACT(199, DENTRY_NAME_LENGTH, REWIND_AT(dentry, d_name.len))                                    \
    REWIND_FACT(200, DENTRY_PARENT, REWIND_AT(dentry, d_parent))                                           \
    REWIND_FACT(201, DENTRY_HASHED, REWIND_AT(dentry, d_hash.pprev)) /* 0: it is removed */                \
    REWIND_FACT(202, DENTRY_INODE, REWIND_AT(dentry, d_inode))                                             \
    REWIND_FACT(203, MNT_ROOT, REWIND_AT(vfsmount, mnt_root))                                              \
    REWIND_FACT(204, MNT_IN_MOUNT, REWIND_AT(mount, mnt))                                                  \
    REWIND_FACT(205, MOUNT_PARENT, REWIND_AT(mount, mnt_parent))                                           \
    REWIND_FACT(206, MOUNT_POINT, REWIND_AT(mount, mnt_mountpoint))                                        \
    REWIND_FACT(207, FS_ROOT_MNT, REWIND_AT(fs_struct, root.mnt))                                          \
    REWIND_FACT(208, FS_ROOT_DENTRY, REWIND_AT(fs_struct, root.dentry))                                    \
    REWIND_FACT(209, FS_PWD_MNT, REWIND_AT(fs_struct, pwd.mnt))                                            \
    REWIND_FACT(210, FS_PWD_DENTRY, REWIND_AT(fs_struct, pwd.dentry))                                      \
    REWIND_FACT(211, INODE_NUMBER, REWIND_AT(inode, i_ino))                                                \
    REWIND_FACT(212, INODE_SB, REWIND_AT(inode, i_sb))                                                     \
    REWIND_FACT(213, INODE_MODE, REWIND_AT(inode, i_mode))                                                 \
    REWIND_FACT(214, INODE_SIZE, REWIND_AT(inode, i_size))                                                 \
    REWIND_FACT(215, INODE_PIPE, REWIND_AT(inode, i_pipe))                                                 \
    REWIND_FACT(216, SB_DEV, REWIND_AT(super_block, s_dev))                                                \
    REWIND_FACT(217, SB_MAGIC, REWIND_AT(super_block, s_magic))                                            \
    REWIND_FACT(218, FILES_TABLE, REWIND_AT(files_struct, fdt))                                            \
    REWIND_FACT(219, FDTABLE_MAX, REWIND_AT(fdtable, max_fds))                                             \
    REWIND_FACT(220, FDTABLE_FILES, REWIND_AT(fdtable, fd))                                                \
    REWIND_FACT(221, MAPPING_PAGES, REWIND_AT(address_space, i_pages.xa_head))                             \
    REWIND_FACT(222, XA_NODE_SHIFT, REWIND_AT(xa_node, shift))                                             \
    REWIND_FACT(223, XA_NODE_SLOTS, REWIND_AT(xa_node, slots))                                             \
    REWIND_FACT(224, XA_BITS, XA_CHUNK_SHIFT) /* of an index that a node tells apart */                    \
    REWIND_FACT(225, PIPE_HEAD, REWIND_AT(pipe_inode_info, head))                                          \
    REWIND_FACT(226, PIPE_TAIL, REWIND_AT(pipe_inode_info, tail))                                          \
    REWIND_FACT(227, PIPE_READERS, REWIND_AT(pipe_inode_info, readers))                                    \
    REWIND_FACT(228, PIPE_WRITERS, REWIND_AT(pipe_inode_info, writers))

enum rewind_fact_number {
#define REWIND_FACT_NUMBER(number, name, value) REWIND_FACT_##name = number,
    REWIND_FACTS(REWIND_FACT_NUMBER)
#undef REWIND_FACT_NUMBER
};

/* "n = 0 REWIND_FACTS(REWIND_FACT_COUNT)" is how many there are. */
#define REWIND_FACT_COUNT(number, name, value) +1

#define REWIND_FACTS_MAX 256 /* numbers are below it */

REWIND_ABI_ASSERT(fact, sizeof(struct rewind_fact) == 16);
REWIND_ABI_ASSERT(layout, sizeof(struct rewind_layout) == 16);

#endif
