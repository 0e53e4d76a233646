// What the binding includes everywhere.
#pragma once

#include <ATen/ATen.h>
#include <Python.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>
