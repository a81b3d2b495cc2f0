// SPDX-License-Identifier: Apache-2.0
//
// The process itself: its standard streams, its thread pool, and where it lies.
#ifndef PLI_CLI_PROCESS_H
#define PLI_CLI_PROCESS_H

#include "options.h"

// Makes sure that descriptors 0, 1 and 2 exist, so that no file that is opened later becomes
// standard output by accident. Writing to a stream that was closed keeps failing.
void pli_cli_open_standard_streams(void);

// Starts the program once more with OMP_WAIT_POLICY=passive and OPENBLAS_NUM_THREADS=1 when those
// are not set: the thread pool reads them while it is loaded, and threads that spin while they wait
// make a busy machine a hundred times slower. Returns when there is nothing to do.
void pli_cli_calm_threads(char *const *values);

// Workers to use: --threads, else OMP_NUM_THREADS, else the processors this process may run on.
int32_t pli_cli_thread_count(const pli_cli_arguments *arguments);

// Processors this process may run on.
int32_t pli_cli_processor_count(void);

// Path of a program that lies beside this one. False when it does not fit or is not known.
bool pli_cli_path_beside(const char *name, char *path, size_t capacity);

#endif
