// Counts what a program does to the heap and to its sockets. The library is put before libc when the program starts:
//
//     LD_PRELOAD=libCounting.so BENCH_COUNTS=FILE program
//
// At its end the program writes two numbers into FILE: its allocations, and how often it read from a socket after it
// had written to it.
