// SPDX-License-Identifier: BSD-3-Clause
// Audits as people and scripts read them: rows flow in, a table, one row with its histogram, or JSON flow out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "laconic/audit.hpp"

namespace laconic::cli {

struct audited_row {
    std::string algorithm;  ///< as it was asked for
    std::string ran;        ///< what `auto` chose
    double contribution_bound = 0;
    audit_report found;
};

[[nodiscard]] nlohmann::ordered_json audit_json(const audited_row& row);
/// Prints a line for each row.
void print_audits(const std::vector<audited_row>& rows);
/// Prints everything about one row, with a histogram of its errors.
void print_audit(const audited_row& row);

}  // namespace laconic::cli
