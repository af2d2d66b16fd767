/* SPDX-License-Identifier: BSD-3-Clause
   The tool interface: every control variable, performance variable and category that the MPI has is asked for and read,
   before and after MPI_Init. Any number of ranks. */
#include "common.h"

enum { room = 1024 };

static char name[room], about[room], value[1 << 16];

static void control_variables(void) {
    int count, numbers = 0, length, about_length, verbosity, bind, scope, index, elements;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_handle handle;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; ++i) {
        length = about_length = room;
        if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, about, &about_length, &bind, &scope))
            continue;
        CHECK(length <= room && strlen(name) < room);
        if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS) CHECK(index >= 0 && index < count);
        if (bind != MPI_T_BIND_NO_OBJECT) continue;
        if (MPI_T_cvar_handle_alloc(i, NULL, &handle, &elements)) continue;
        if (elements > 0 && elements < (int)sizeof value / 16 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            ++numbers;
            /* What it is already, where it may be set at all. */
            if (type == MPI_INT && elements == 1 && (scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_ALL))
                MPI_T_cvar_write(handle, value);
        }
        MPI_T_cvar_handle_free(&handle);
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
        if (numbers == 20) break;
    }
    CHECK(count == 0 || numbers > 0);
    CHECK(MPI_T_cvar_get_index("no such variable", &index) != MPI_SUCCESS);
    /* A name that does not fit is cut. */
    length = 4;
    about_length = 0;
    if (count > 0) {
        MPI_T_cvar_get_info(0, name, &length, &verbosity, &type, &values, NULL, &about_length, &bind, &scope);
        CHECK(strlen(name) < 4);
    }
}

static void performance_variables(void) {
    int count, length, about_length, verbosity, class, bind, readonly, continuous, atomic, elements, index;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_T_pvar_get_num(&count);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < count && i < 40; ++i) {
        length = about_length = room;
        if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &values, about, &about_length, &bind,
                                &readonly, &continuous, &atomic))
            continue;
        MPI_T_pvar_get_index(name, class, &index);
        /* Open MPI 4.1 crashes in these where PSM2 is not in use. */
        if (strncmp(name, "mtl_psm", 7) == 0) continue;
        if (bind != MPI_T_BIND_NO_OBJECT || MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &elements)) continue;
        if (!continuous) MPI_T_pvar_start(session, handle);
        if (elements > 0 && elements < (int)sizeof value / 16) {
            MPI_T_pvar_read(session, handle, value);
            if (!readonly) {
                MPI_T_pvar_write(session, handle, value);
                MPI_T_pvar_readreset(session, handle, value);
                MPI_T_pvar_reset(session, handle);
            }
        }
        if (!continuous) MPI_T_pvar_stop(session, handle);
        MPI_T_pvar_handle_free(session, &handle);
    }
    MPI_T_pvar_session_free(&session);
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
}

static void categories(void) {
    int count, length, about_length, controls, performances, below, stamp, index, items;
    int members[16];
    MPI_T_category_get_num(&count);
    for (int i = 0; i < count && i < 8; ++i) {
        length = about_length = room;
        if (MPI_T_category_get_info(i, name, &length, about, &about_length, &controls, &performances, &below)) continue;
        MPI_T_category_get_index(name, &index);
        MPI_T_category_get_cvars(i, 16, members);
        MPI_T_category_get_pvars(i, 16, members);
        MPI_T_category_get_categories(i, 16, members);
    }
    MPI_T_category_changed(&stamp);
    /* Names of values, of the first variable that has some. */
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; ++i) {
        MPI_Datatype type;
        MPI_T_enum values = MPI_T_ENUM_NULL;
        int verbosity, bind, scope, number;
        length = about_length = room;
        if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, about, &about_length, &bind, &scope))
            continue;
        if (values == MPI_T_ENUM_NULL) continue;
        length = room;
        MPI_T_enum_get_info(values, &items, name, &length);
        for (int k = 0; k < items; ++k) {
            length = room;
            MPI_T_enum_get_item(values, k, &number, name, &length);
        }
        break;
    }
}

static void events(void) {
#if MPI_VERSION >= 4
    int count, length = room, about_length = room, index;
    MPI_T_source_order order;
    MPI_Count ticks, most, now;
    MPI_Info info = MPI_INFO_NULL;
    MPI_T_event_get_num(&count);
    CHECK(MPI_T_event_get_index("no such event", &index) != MPI_SUCCESS);
    MPI_T_source_get_num(&count);
    if (count > 0) {
        MPI_T_source_get_info(0, name, &length, about, &about_length, &order, &ticks, &most, &info);
        MPI_T_source_get_timestamp(0, &now);
    }
#endif
}

int main(int argc, char** argv) {
    int level, rank;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    control_variables();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    control_variables();
    performance_variables();
    categories();
    events();
    MPI_Barrier(MPI_COMM_WORLD);
    /* Behind MPI_Finalize Open MPI 4.1 crashes in it. */
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
