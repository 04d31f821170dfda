// SPDX-License-Identifier: MIT
//
// What the three books of a warehouse offer each other. Each of these takes the book's own lock.

#ifndef WAREHOUSE_H
#define WAREHOUSE_H

// How much of the kind is ordered, lies in stock, was billed.
int orders_of(int kind);
int stock_of(int kind);
int invoices_of(int kind);

// Threads: each works through its book, and looks into the next one.
void *confirm_orders(void *book);
void *count_stock(void *book);
void *send_invoices(void *book);

#endif
