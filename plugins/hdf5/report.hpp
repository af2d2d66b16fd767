// SPDX-License-Identifier: BSD-3-Clause
// A laconic status as an entry of HDF5's error stack, where h5py and the HDF5 tools look for the reason of a failure.
#pragma once

#include <H5Epublic.h>

#include "laconic/status.hpp"

namespace laconic::hdf5 {

inline void report(const char* text) noexcept {
    H5Epush2(H5E_DEFAULT, __FILE__, "laconic filter", __LINE__, H5E_ERR_CLS, H5E_PLINE, H5E_CANTFILTER, "laconic: %s",
             text);
}
inline void report(const status& why) noexcept { report(why.context().c_str()); }

}  // namespace laconic::hdf5
