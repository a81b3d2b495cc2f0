// SPDX-License-Identifier: Apache-2.0
//
// Everything: see base.h, scene.h, sim.h, io.h, serve.h for using pliant, extend.h for adding to
// it, contact.h and detect.h for parts of it in programs of your own.
#ifndef PLIANT_H
#define PLIANT_H

#include "pliant/base.h"
#include "pliant/contact.h"
#include "pliant/detect.h"
#include "pliant/extend.h"
#include "pliant/frame.h"
#include "pliant/io.h"
#include "pliant/picture.h"
#include "pliant/report.h"
#include "pliant/run.h"
#include "pliant/scene.h"
#include "pliant/scene_reader.h"
#include "pliant/schema.h"
#include "pliant/serve.h"
#include "pliant/sim.h"
#include "pliant/stop.h"

#endif
