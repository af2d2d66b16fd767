// SPDX-License-Identifier: BSD-3-Clause
// Counters in front of MPI, and files of machines.
#include "auto_probe.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.hpp"

namespace laconic::test {
int agreements = 0;
int blocking_calls = 0;
bool split_fails = false;
}  // namespace laconic::test

extern "C" int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
    ++laconic::test::agreements;
    return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}
extern "C" int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ++laconic::test::blocking_calls;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    if (std::exchange(laconic::test::split_fails, false)) return MPI_ERR_OTHER;
    return PMPI_Comm_split_type(comm, type, key, info, made);
}

namespace laconic::test {

model::machine slow_network() {
    model::machine where = model::default_machine();
    where.inter = {30e-6, 1 / 0.1e9, 5e-6, 1};
    where.host_beta_s_per_byte = where.inter.beta_s_per_byte;
    return where;
}

namespace {

/// Of this process; they go with it.
class machine_files {
public:
    machine_files() = default;
    machine_files(const machine_files&) = delete;
    machine_files& operator=(const machine_files&) = delete;
    ~machine_files() {
        for (const std::string& path : paths_) std::remove(path.c_str());
    }
    void add(const std::string& path) { paths_.push_back(path); }

private:
    std::vector<std::string> paths_;
};

}  // namespace

std::string file_of(const model::machine& where) { return file_of(model::to_toml(where, "")); }

std::string file_of(const std::string& text) {
    static machine_files files;
    std::string path = "/tmp/laconic-test-machine-XXXXXX";
    const int file = mkstemp(path.data());
    files.add(path);
    check(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "a machine file");
    close(file);
    return path;
}

}  // namespace laconic::test
