// SPDX-License-Identifier: BSD-3-Clause
// One list of names; the roles of all rows are looked up once.
#include "trace/call_role.hpp"

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace laconic::trace {
namespace {

using op = collective_op;

/// Names without MPI_, of the blocking form.
const std::map<std::string_view, call_role>& base_roles() {
    static const std::map<std::string_view, call_role> roles = [] {
        std::map<std::string_view, call_role> made;
        for (const char* name : {"Send", "Bsend", "Ssend", "Rsend", "Psend"}) made[name].what = role::send;
        for (const char* name : {"Recv", "Mrecv", "Precv"}) made[name].what = role::receive;
        for (const char* name : {"Sendrecv", "Sendrecv_replace"}) made[name].what = role::send_receive;
        made["Mprobe"].what = role::matched_probe;
        const std::pair<const char*, op> collectives[] = {{"Barrier", op::barrier},
                                                          {"Bcast", op::bcast},
                                                          {"Gather", op::gather},
                                                          {"Gatherv", op::gatherv},
                                                          {"Scatter", op::scatter},
                                                          {"Scatterv", op::scatterv},
                                                          {"Allgather", op::allgather},
                                                          {"Allgatherv", op::allgatherv},
                                                          {"Alltoall", op::alltoall},
                                                          {"Alltoallv", op::alltoallv},
                                                          {"Alltoallw", op::alltoallw},
                                                          {"Allreduce", op::allreduce},
                                                          {"Reduce", op::reduce},
                                                          {"Reduce_scatter", op::reduce_scatter},
                                                          {"Reduce_scatter_block", op::reduce_scatter_block},
                                                          {"Scan", op::scan},
                                                          {"Exscan", op::exscan}};
        for (const auto& [name, which] : collectives) made[name] = {role::collective, mode::blocking, which};
        return made;
    }();
    return roles;
}

/// Names that have no other forms.
const std::map<std::string_view, call_role>& single_roles() {
    static const std::map<std::string_view, call_role> roles = [] {
        std::map<std::string_view, call_role> made;
        made["Start"].what = role::start;
        made["Startall"].what = role::start_all;
        for (const char* name : {"Wait", "Test"}) made[name].what = role::complete;
        for (const char* name : {"Waitall", "Testall"}) made[name].what = role::complete_all;
        for (const char* name : {"Waitany", "Testany"}) made[name].what = role::complete_any;
        for (const char* name : {"Waitsome", "Testsome"}) made[name].what = role::complete_some;
        made["Request_free"].what = role::free_request;
        for (const char* name :
             {"Comm_dup", "Comm_dup_with_info", "Comm_split", "Comm_split_type", "Comm_create", "Comm_create_group",
              "Comm_create_from_group", "Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create",
              "Dist_graph_create_adjacent", "Intercomm_create", "Intercomm_merge"})
            made[name] = {role::new_comm, mode::blocking, op::create};
        for (const char* name : {"Comm_idup", "Comm_idup_with_info"})
            made[name] = {role::new_comm, mode::nonblocking, op::create};
        for (const char* name : {"Comm_free", "Comm_disconnect"})
            made[name] = {role::free_comm, mode::blocking, op::destroy};
        for (const char* name : {"Type_size", "Type_size_x"}) made[name].what = role::type_size;
        made["Comm_rank"].what = role::comm_rank;
        made["Comm_size"].what = role::comm_size;
        return made;
    }();
    return roles;
}

call_role found_role(const mpi::function_info& row) {
    std::string name(row.name);
    if (!name.starts_with("MPI_")) return {};
    name.erase(0, 4);
    if (const auto at = single_roles().find(name); at != single_roles().end()) return at->second;
    call_role found;
    const auto look = [&](const std::string& base, mode as) {
        const auto at = base_roles().find(base);
        if (at == base_roles().end()) return false;
        found = at->second;
        found.mode = as;
        return true;
    };
    if (look(name, mode::blocking)) return found;
    constexpr std::string_view init = "_init";
    if (name.ends_with(init) && look(name.substr(0, name.size() - init.size()), mode::persistent)) return found;
    if (name.size() > 1 && name[0] == 'I') {
        std::string base = name.substr(1);
        base[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(base[0])));
        if (look(base, mode::nonblocking)) return found;
    }
    for (const mpi::parameter_info& each : row.parameters)
        if (each.after && each.kind == "datatype" && !each.array) found.what = role::new_type;
    return found;
}

}  // namespace

call_role role_of(const mpi::function_info& row) {
    static const std::map<std::uint32_t, call_role> all = [] {
        std::map<std::uint32_t, call_role> made;
        for (const mpi::function_info& each : mpi::functions()) made.emplace(each.number, found_role(each));
        return made;
    }();
    const auto at = all.find(row.number);
    return at == all.end() ? call_role{} : at->second;
}

}  // namespace laconic::trace
