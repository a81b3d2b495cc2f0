// SPDX-License-Identifier: Apache-2.0
#include "support/fault_sweep.h"

enum { UNTOLD = -1, ENDLESS = 100000 };

static pli_context *create_over(pli_context_def def, pli_fault *fault)
{
    pli_context *context = NULL;
    def.allocator = pli_fault_allocator(fault);
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

pli_context *fault_context(pli_fault *fault, int32_t thread_count)
{
    pli_context_def def = pli_context_def_default();
    def.thread_count = thread_count;
    return create_over(def, fault);
}

void fault_sweep_pause(fault_sweep *sweep)
{
    if (sweep->fault.fail_at == 0) return;
    sweep->pending = sweep->fault.fail_at - sweep->fault.calls;
    sweep->fault.fail_at = 0;
}

void fault_sweep_resume(fault_sweep *sweep)
{
    sweep->fault.fail_at = sweep->fault.calls + sweep->pending;
}

static void judge(fault_sweep *sweep)
{
    char message[512] = "";
    if (sweep->context != NULL) pli_context_message(sweep->context, message, sizeof message);
    pli_context_destroy(sweep->context);
    const pli_fault *fault = &sweep->fault;
    long long n = (long long)sweep->n;
    const char *text = (int)sweep->status == UNTOLD ? "none" : pli_status_text(sweep->status);
    bool has_failed = fault->failures > 0;
    bool is_right = sweep->status == PLI_OK ? !has_failed || sweep->absorbs
                                            : sweep->status == PLI_ERROR_MEMORY && has_failed;
    if (!is_right) {
        fail_msg("allocation %lld %s, but the status is: %s: %s", n,
                 has_failed ? "failed" : "did not fail", text, message);
    }
    if (fault->live_blocks != 0 || fault->live_bytes != 0) {
        fail_msg("allocation %lld: %lld blocks of %lld bytes are left", n,
                 (long long)fault->live_blocks, (long long)fault->live_bytes);
    }
    sweep->failing += sweep->status != PLI_OK;
}

bool fault_sweep_next(fault_sweep *sweep)
{
    if (sweep->n > 0) {
        judge(sweep);
        if (sweep->fault.failures == 0) {
            int64_t least = sweep->at_least > 0 ? sweep->at_least : 1;
            if (sweep->failing < least) {
                fail_msg("%lld attempts failed, and at least %lld have to",
                         (long long)sweep->failing, (long long)least);
            }
            return false;
        }
    }
    sweep->n += sweep->stride > 0 && sweep->n >= sweep->dense ? sweep->stride : 1;
    if (sweep->n > ENDLESS) fail_msg("the sweep does not end");
    sweep->status = (pli_status)UNTOLD;
    sweep->fault = (pli_fault){.persistent = sweep->stays_short};
    sweep->context = sweep->base != NULL ? create_over(*sweep->base, &sweep->fault)
                                         : fault_context(&sweep->fault, 1);
    sweep->fault.fail_at = sweep->fault.calls + sweep->n;
    return true;
}
