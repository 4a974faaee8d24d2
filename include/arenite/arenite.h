// Arenite: TFLite models on microcontrollers, in one block of memory. Includes the whole public
// API.
#ifndef ARENITE_ARENITE_H
#define ARENITE_ARENITE_H

#include "arenite/config.h"
#include "arenite/interpreter.h"
#include "arenite/model.h"
#include "arenite/op.h"
#include "arenite/ops.h"
#include "arenite/quantise.h"
#include "arenite/status.h"
#include "arenite/trace.h"
#include "arenite/version.h"

#endif
