// SPDX-License-Identifier: Apache-2.0
#include "pliant/stop.h"

const char *pli_stop_name(pli_stop stop)
{
    switch (stop) {
    case PLI_STOP_GRADIENT: return "gradient";
    case PLI_STOP_ROUNDING: return "rounding";
    case PLI_STOP_FIXED: return "fixed";
    case PLI_STOP_DIRECTION: return "newton-step";
    case PLI_STOP_EXPLICIT: return "explicit";
    case PLI_STOP_ITERATIONS: return "iterations";
    case PLI_STOP_LINESEARCH: return "line-search";
    case PLI_STOP_NONFINITE: return "nonfinite";
    case PLI_STOP_LINEAR: return "linear";
    }
    return "unknown";
}
