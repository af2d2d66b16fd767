#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recorder on whole programs: the calls and arguments that a side log must hold, and that the program does not notice.

usage: test_recorder.py CASE FLAVOUR LAUNCHER PRELOAD PROGRAM
"""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from trace_run import trace  # noqa: E402


def check_shape(run, ranks):
    """True of every complete log: it begins with MPI_Init, ends with MPI_Finalize, and times do not run backwards."""
    assert sorted(run.ranks) == list(range(ranks)), f"logs of ranks {sorted(run.ranks)}"
    for rank, calls in run.ranks.items():
        assert calls[0].name.startswith("MPI_Init"), calls[0]
        assert calls[-1].name == "MPI_Finalize", calls[-1]
        for thread in {call.thread for call in calls}:
            ends = [call.end_ns for call in calls if call.thread == thread]
            assert ends == sorted(ends), f"rank {rank}, thread {thread}: times run backwards"
        assert all(call.start_ns <= call.end_ns for call in calls)


def p2p(start):
    run = start(4)
    check_shape(run, 4)
    for rank in range(4):
        left, right = (rank + 3) % 4, (rank + 1) % 4
        call = run.one(rank, "MPI_Sendrecv", sendtag=11)
        assert (call.arguments["dest"], call.arguments["source"]) == (right, left)
        assert call.arguments["status"] == {"source": left, "tag": 11, "bytes": 512}
        heap = call.arguments["sendbuf"], call.arguments["recvbuf"]
        assert heap == ("heap:0+0", "heap:1+0"), heap
        assert run.one(rank, "MPI_Send").arguments["dest"] == "MPI_PROC_NULL"
        # Three rounds of the same calls: the same requests, buffers and statuses, whatever completed first.
        waits = run.calls(rank, "MPI_Waitall")[:3]
        assert waits[0].signature == waits[1].signature == waits[2].signature
        statuses = waits[0].arguments["array_of_statuses"]
        assert statuses[0] == {"source": left, "tag": 1, "bytes": 64} and statuses[2] == {}
        receives = run.calls(rank, "MPI_Irecv")
        assert receives[0].signature == receives[2].signature == receives[4].signature
        assert receives[1].arguments["source"] == "MPI_ANY_SOURCE"
        assert receives[1].arguments["buf"] == "heap:1+64"
        requests = {str(call.arguments["request"]) for call in receives[:2] + run.calls(rank, "MPI_Isend")[:2]}
        assert requests == set(waits[0].arguments["array_of_requests"])
        # What an ignored status would have said is kept where the call alone does not say it.
        wildcard = receives[6].arguments["request"]
        told = [call for call in run.calls(rank, "MPI_Waitany", "MPI_Testany") if call.arguments.get("status")
                and call.arguments["array_of_requests"][call.arguments["indx"]] == wildcard]
        assert len(told) == 1 and told[0].arguments["status"]["source"] == left
        some = run.calls(rank, "MPI_Waitsome")
        assert sum(call.arguments["outcount"] for call in some) == 2
        assert run.calls(rank, "MPI_Testall")[-1].arguments["flag"] == 1
        starts = run.calls(rank, "MPI_Startall")
        assert len(starts) == 2 and starts[0].signature == starts[1].signature
        probe = run.one(rank, "MPI_Probe")
        assert probe.arguments["status"] == {"source": left, "tag": 7, "bytes": 40}
        message = run.one(rank, "MPI_Mprobe").arguments["message"]
        assert message == run.one(rank, "MPI_Mrecv").arguments["message"] == "message:0"
        assert run.calls(rank, "MPI_Wait")[-1].arguments["status"] == {"cancelled": True}
        # realloc moved or grew the buffer: still one segment, named by its new start.
        assert run.one(rank, "MPI_Sendrecv", sendtag=13).arguments["recvbuf"] == "heap:1+512"


def comm(start):
    run = start(4)
    check_shape(run, 4)
    for rank in range(4):
        first, second = run.calls(rank, "MPI_Comm_dup")[:2]
        assert first.signature == second.signature, "a communicator that was freed gives its id back"
        split = run.one(rank, "MPI_Comm_split")
        assert split.arguments["color"] == (1 if rank < 2 else 0) and split.arguments["key"] == -rank
        made = run.one(rank, "MPI_Comm_create").arguments["newcomm"]
        assert (made == "MPI_COMM_NULL") == (rank % 2 == 1)
        assert run.one(rank, "MPI_Group_range_incl").arguments["ranges"] == [0, 3, 2]
        dims = run.one(rank, "MPI_Cart_create").arguments["dims"]
        assert dims == [2, 2] == run.one(rank, "MPI_Dims_create").arguments["dims"]
        nested = run.calls(rank, "MPI_Comm_rank")
        assert len(nested) == 1, "calls that callbacks make within MPI are not the program's"
        attribute = run.one(rank, "MPI_Comm_get_attr", flag=1, comm_keyval="keyval:0")
        assert attribute.arguments["attribute_val"] == run.one(rank, "MPI_Comm_set_attr").arguments["attribute_val"]
        gatherv = run.one(rank, "MPI_Gatherv")
        assert gatherv.arguments["root"] == 2
        assert gatherv.arguments["displs"] == ([0, 1, 2, 3] if rank == 2 else None)
        allgatherv = run.one(rank, "MPI_Allgatherv")
        assert allgatherv.arguments["sendbuf"] == "MPI_IN_PLACE" and allgatherv.arguments["sendtype"] is None
        assert allgatherv.arguments["recvcounts"] == [1, 1, 1, 1]
        op = run.one(rank, "MPI_Op_create").arguments["op"]
        assert run.one(rank, "MPI_Allreduce").arguments["op"] == op == "op:0"
        assert run.one(rank, "MPI_Info_get", key="colour").arguments["value"] == "blue"
        assert run.one(rank, "MPI_Info_get", key="absent").arguments["value"] is None
        failed = run.one(rank, "MPI_Send")
        assert failed.result == "MPI_ERR_RANK" and failed.arguments["dest"] == 100000
    # Communicators have one id on all members; the halves and the two sides of the intercommunicator agree.
    for name, key in (("MPI_Cart_create", "comm_cart"), ("MPI_Intercomm_create", "newintercomm"),
                      ("MPI_Intercomm_merge", "newintracomm"), ("MPI_Comm_idup", "newcomm")):
        ids = {rank: run.one(rank, name).arguments[key] for rank in range(4)}
        assert ids[0] == ids[1] and ids[2] == ids[3], (name, ids)
        if name != "MPI_Comm_idup":
            assert len(set(ids.values())) == 1, (name, ids)


def data(start):
    run = start(3, "FOLDER/written")
    check_shape(run, 3)
    for rank in range(3):
        structure = run.one(rank, "MPI_Type_create_struct")
        assert structure.arguments["array_of_types"] == ["MPI_INT", "MPI_DOUBLE"]
        assert structure.arguments["array_of_displacements"] == [0, 8]
        contents = run.one(rank, "MPI_Type_get_contents")
        assert contents.arguments["array_of_integers"] == [2, 1, 2]
        assert contents.arguments["array_of_datatypes"] == ["MPI_INT", "MPI_DOUBLE"]
        assert run.one(rank, "MPI_Type_get_envelope").arguments["combiner"] == "MPI_COMBINER_STRUCT"
        subarray = run.one(rank, "MPI_Type_create_subarray")
        assert subarray.arguments["order"] == "MPI_ORDER_C" and subarray.arguments["array_of_starts"] == [1, 3]
        assert run.one(rank, "MPI_Pack").arguments["position"] == 20
        fences = run.calls(rank, "MPI_Win_fence")
        assert fences[0].arguments["assert"] == ["MPI_MODE_NOPRECEDE"]
        assert fences[1].arguments["assert"] == ["MPI_MODE_NOSTORE", "MPI_MODE_NOSUCCEED"]
        assert run.one(rank, "MPI_Win_allocate").arguments["baseptr"] == "library:0+0"
        assert run.one(rank, "MPI_Put").arguments["target_rank"] == (rank + 1) % 3
        assert run.one(rank, "MPI_Win_lock").arguments["lock_type"] == "MPI_LOCK_SHARED"
        assert run.one(rank, "MPI_Bcast").arguments["buffer"] == "library:0+8", "the window's memory is free again"
        opened = run.calls(rank, "MPI_File_open")
        assert opened[0].arguments["amode"] == ["MPI_MODE_RDWR", "MPI_MODE_CREATE", "MPI_MODE_DELETE_ON_CLOSE"]
        assert opened[0].arguments["filename"].endswith("/written")
        assert opened[1].result == "MPI_ERR_NO_SUCH_FILE"
        written = run.one(rank, "MPI_File_write_at_all")
        assert written.arguments["offset"] == 2 * rank and written.arguments["status"] == {"bytes": 8}
        assert run.one(rank, "MPI_File_get_size").arguments["size"] == 24


def threads(start):
    run = start(2)
    check_shape(run, 2)
    for rank in range(2):
        level = run.one(rank, "MPI_Init_thread").arguments["provided"]
        if level != "MPI_THREAD_MULTIPLE":
            continue
        numbers = {call.thread for call in run.calls(rank, "MPI_Waitall")}
        assert numbers == {1, 2, 3}, numbers
        for number in numbers:
            own = [call for call in run.ranks[rank] if call.thread == number]
            assert [call.name for call in own[:600]] == ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"] * 200
            for i in range(200):
                assert own[3 * i].arguments["tag"] == i % 7
                wanted = [own[3 * i].arguments["request"], own[3 * i + 1].arguments["request"]]
                assert own[3 * i + 2].arguments["array_of_requests"] == wanted
    copies = [{call.arguments["comm"]: call.arguments["newcomm"] for call in run.calls(rank, "MPI_Comm_dup")
               if call.arguments["comm"] != "MPI_COMM_WORLD"} for rank in range(2)]
    assert copies[0] == copies[1], "ids of communicators made by several threads at once differ between ranks"


def ends(start):
    aborted = start(2, "abort", same=False)
    assert aborted.status != 0
    found = [call for calls in aborted.ranks.values() for call in calls if call.name == "MPI_Abort"]
    assert found and found[0].result == "unfinished"
    for how in ("exit", "kill"):
        run = start(2, how, same=False)
        assert run.status != 0
        # The launcher may end a rank that has not yet left the last barrier.
        counts = [len(run.calls(rank, "MPI_Barrier")) for rank in run.ranks]
        assert counts and max(counts) == 100 and min(counts) >= 99, counts
    run = start(2, "fork")
    check_shape(run, 2)
    assert not run.calls(0, "MPI_Initialized") and not run.others, "the child of a fork records nothing"
    run = start(2, "pause")
    check_shape(run, 2)
    assert len(run.calls(0, "MPI_Barrier")) == 101 and not run.calls(0, "MPI_Comm_dup")
    assert run.calls(0, "MPI_Barrier")[-1].arguments["comm"] == run.one(0, "MPI_Comm_free").arguments["comm"] == "comm:0"
    run = start(2, "info")
    check_shape(run, 2)
    for rank in range(2):
        names = [call.name for call in run.ranks[rank]]
        told = names[names.index("MPI_Info_create"):]
        # What switches recording off is not recorded, what switches it on is; other values and keys switch nothing.
        assert told == ["MPI_Info_create", "MPI_Info_set", "MPI_Comm_rank", "MPI_Info_set", "MPI_Info_set", "MPI_Comm_rank",
                        "MPI_Info_free", "MPI_Finalize"], told
        values = [call.arguments["value"] for call in run.calls(rank, "MPI_Info_set")]
        assert values == ["on", "OFF", "off"], values


def mpi4(start):
    run = start(2)
    check_shape(run, 2)
    large = run.one(0, "MPI_Sendrecv_c")
    assert large.arguments["sendcount"] == 8 and large.arguments["dest"] == 1
    request = run.one(0, "MPI_Allreduce_init").arguments["request"]
    assert run.calls(0, "MPI_Start")[0].arguments["request"] == request
    assert [call.arguments["partition"] for call in run.calls(0, "MPI_Pready")] == [0, 1, 2, 3]
    assert run.one(1, "MPI_Parrived").arguments["partition"] == 0
    assert run.one(0, "MPI_Group_from_session_pset").arguments["pset_name"] == "mpi://WORLD"
    ids = {run.one(rank, "MPI_Comm_create_from_group").arguments["newcomm"] for rank in range(2)}
    assert len(ids) == 1, ids


def spawn(start):
    run = start(2, spawning=True)
    check_shape(run, 2)
    spawned = run.one(0, "MPI_Comm_spawn")
    assert spawned.arguments["argv"] == ["child"] and spawned.arguments["maxprocs"] == 2
    assert run.one(1, "MPI_Comm_spawn").arguments["command"] is None, "only the root names the command"
    assert run.one(0, "MPI_Comm_get_parent").arguments["parent"] == "MPI_COMM_NULL"
    assert len(run.others) == 2, "the spawned processes leave no logs"
    for calls in run.others:
        assert calls[0].name == "MPI_Init" and calls[-1].name == "MPI_Finalize"
    run = start(2, "two", spawning=True)
    several = run.one(0, "MPI_Comm_spawn_multiple").arguments
    assert several["array_of_argv"] == [["child"], ["child"]] and several["array_of_maxprocs"] == [1, 1], several
    assert len(several["array_of_commands"]) == 2 and several["array_of_errcodes"] == ["MPI_SUCCESS"] * 2, several
    assert several["array_of_info"] == ["MPI_INFO_NULL"] * 2, several
    assert run.one(1, "MPI_Comm_spawn_multiple").arguments["array_of_argv"] is None, "only the root names the commands"


def ports(start):
    run = start(3, "names")
    check_shape(run, 3)
    published = run.one(0, "MPI_Publish_name")
    assert published.arguments["service_name"] == "laconic-ocean" and published.result == "MPI_SUCCESS", published
    found, missed = run.calls(2, "MPI_Lookup_name")
    assert found.arguments["port_name"] == published.arguments["port_name"], found
    assert missed.result != "MPI_SUCCESS" and missed.arguments["service_name"] == "laconic-nowhere", missed
    if run.flavour == "mpich":
        run = start(2, "refusals")
        check_shape(run, 2)
        for name in ("MPI_Open_port", "MPI_Comm_connect", "MPI_Comm_accept", "MPI_Comm_spawn", "MPI_Comm_join"):
            assert run.one(0, name).result != "MPI_SUCCESS", run.one(0, name)
        return
    run = start(5, "ports", "join")
    check_shape(run, 5)

    def made(rank):
        return [call.arguments["newcomm"] for call in run.calls(rank, "MPI_Comm_accept", "MPI_Comm_connect")]

    # All are of one world: both halves call the communicator between them the same, and what is made of it.
    assert made(0)[1:] == made(1) == made(2) == made(3) == made(4)[1:], [made(rank) for rank in range(5)]
    assert len(set(made(1))) == 1, "a disconnected communicator does not give its id back"
    assert made(0)[0] == made(4)[0], "the first and the last rank call it differently"
    assert len({str([call.arguments["newintracomm"] for call in run.calls(rank, "MPI_Intercomm_merge")])
                for rank in range(5)}) == 1
    assert run.one(0, "MPI_Comm_join").arguments["intercomm"] == run.one(1, "MPI_Comm_join").arguments["intercomm"]
    assert run.calls(0, "MPI_Comm_connect") == [] and run.calls(1, "MPI_Comm_accept") == []
    assert run.calls(2, "MPI_Comm_accept")[0].arguments["port_name"] is None, "only the root names the port"


def cuda(start, *plugin):
    """The stand-in gives host memory: only its allocators tell that it is another."""
    run = start(2, *plugin)
    check_shape(run, 2)
    for rank in range(2):
        here, there = f"device{rank}", f"device{1 - rank}"
        buffers = [call.arguments["buf"] for call in run.calls(rank, "MPI_Sendrecv_replace")]
        assert buffers == [f"{here}:0+0", f"{here}:1+64", f"{there}:0+16", "managed:0+24", "pinned:0+32",
                           f"{there}:0+1024", f"{there}:0+40"], buffers


def cuda_plugin(start):
    cuda(start, os.environ["LACONIC_TEST_PLUGIN"])


def tool(start):
    """Errors of the tool interface have a name of their own, before MPI_Init too."""
    run = start(1)
    asked = run.calls(0, "MPI_T_cvar_get_index")
    missed = [call.result for call in asked if call.arguments["name"] == "no such variable"]
    assert missed == ["MPI_T_ERR_INVALID_NAME"] * 2, missed
    assert {call.result for call in asked} == {"MPI_SUCCESS", "MPI_T_ERR_INVALID_NAME"}


def rest(start):
    run = start(2)
    check_shape(run, 2)
    made = run.one(1, "MPI_Type_create_darray").arguments
    assert made["array_of_distribs"] == ["MPI_DISTRIBUTE_NONE", "MPI_DISTRIBUTE_CYCLIC"], made
    assert made["array_of_dargs"] == ["MPI_DISTRIBUTE_DFLT_DARG", 1], made


def objects(start):
    run = start(3, "FOLDER/written")
    for rank in range(3):
        lengths = [call.arguments["valuelen"] for call in run.calls(rank, "MPI_Info_get_valuelen")]
        assert lengths == [4, None], lengths
        assert run.one(rank, "MPI_Info_get_nthkey").arguments["key"] == "form"
        others = run.one(rank, "MPI_Comm_remote_group").arguments["group"]
        assert run.one(rank, "MPI_Group_size", group=others).arguments["size"] == (2 if rank == 0 else 1)
        assert run.one(rank, "MPI_Win_get_name").arguments["win_name"] == "numbers"
        fetched = run.one(rank, "MPI_Rget_accumulate").arguments
        assert fetched["target_rank"] == (rank + 1) % 3 and fetched["op"] == "MPI_SUM", fetched
        tests = [call.arguments["flag"] for call in run.calls(rank, "MPI_Win_test")]
        assert tests[-1] == 1 and not any(tests[:-1]), tests
        assert [call.arguments["count"] for call in run.calls(rank, "MPI_Get_elements_x")] == [3, 7]
        file = run.calls(rank, "MPI_File_open")[-1].arguments["fh"]
        assert run.one(rank, "MPI_File_c2f").arguments["file"] == run.one(rank, "MPI_File_f2c").result == file
        started = [call.arguments["request"] for call in run.calls(rank, "MPI_Start")]
        assert started == [run.one(rank, "MPI_Send_init").arguments["request"]] * 2, started


def fortran(start):
    run = start(2)
    check_shape(run, 2)
    for rank in range(2):
        names = [call.name for call in run.ranks[rank]]
        assert names == ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Sendrecv", "MPI_Comm_split", "MPI_Comm_set_name",
                         "MPI_Comm_free", "MPI_Pcontrol", "MPI_Wtime", "MPI_Irecv", "MPI_Isend", "MPI_Waitall",
                         "MPI_Allreduce", "MPI_Finalize"], names
        call = run.one(rank, "MPI_Sendrecv")
        assert call.arguments["sendtype"] == "MPI_DOUBLE_PRECISION" and call.arguments["dest"] == 1 - rank
        assert call.arguments["sendbuf"].startswith("static:0+"), call
        assert run.one(rank, "MPI_Comm_set_name").arguments["comm_name"] == "every second"
        reduced = run.one(rank, "MPI_Allreduce").arguments
        assert reduced["sendbuf"] == "MPI_IN_PLACE" and reduced["op"] == "MPI_SUM"


def corners(start):
    run = start(3)
    check_shape(run, 3)
    told = set()
    for rank in range(3):
        copies = run.calls(rank, "MPI_Comm_dup")
        assert len(copies) == (18 if rank == 0 else 10), f"rank {rank}: {len(copies)} duplicates"
        of_all = [call.arguments["newcomm"] for call in copies if call.arguments["comm"] == "MPI_COMM_WORLD"][2:]
        assert len(set(of_all)) == 8, f"rank {rank}: {of_all}"
        told.add(tuple(of_all))
        assert len({call.arguments["buf"] for call in run.calls(rank, "MPI_Send")}) == 300
    assert len(told) == 1, f"ranks know a communicator by different names: {told}"
    # The others neither wait for a rank without a log nor miss it.
    assert sorted(start(3, "unlogged").ranks) == [0, 2]


CASES = {case.__name__: case for case in (p2p, comm, data, threads, ends, mpi4, spawn, ports, cuda, cuda_plugin, tool, rest, objects,
                                          corners, fortran)}


def main(arguments):
    if len(arguments) != 5 or arguments[0] not in CASES:
        print(__doc__)
        return 2
    case, flavour, launcher, preload, program = arguments

    def start(ranks, *own, same=True, spawning=False):
        return trace(flavour, launcher, preload, program, ranks, own, same, spawning)

    CASES[case](start)
    print(f"{case}: as recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
