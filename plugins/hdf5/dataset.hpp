// SPDX-License-Identifier: BSD-3-Clause
// What HDF5 asks when a dataset is created: does the filter suit it, and which parameters are stored with it.
#pragma once

#include <H5Ipublic.h>
#include <H5public.h>

namespace laconic::hdf5 {

/// H5Z_can_apply_func_t: 1 for datasets of little-endian float or double, 0 for others (which an optional filter lets
/// pass), negative when HDF5 itself fails.
htri_t can_apply(hid_t creation, hid_t type, hid_t space);

/// H5Z_set_local_func_t: checks the user's parameters and adds type, number and fill value. Negative, with the reason
/// on the error stack, when the parameters are wrong or another filter stands before this one.
herr_t set_local(hid_t creation, hid_t type, hid_t space);

}  // namespace laconic::hdf5
