// The whole C++ interface of opyard.
#pragma once

#include <ATen/ATen.h>
#include <opyard/call_record.h>
#include <opyard/call_spec.h>
#include <opyard/composite.h>
#include <opyard/error.h>
#include <opyard/implementation.h>
#include <opyard/kernel.h>
#include <opyard/manifest.h>
#include <opyard/op.h>
#include <opyard/override.h>
#include <opyard/registration.h>
#include <opyard/value.h>
