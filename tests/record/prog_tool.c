/* SPDX-License-Identifier: BSD-3-Clause
   The tool interface: every control variable, performance variable and category that the MPI has is asked for and read,
   before and after MPI_Init. Any number of ranks. */
#include "common.h"

enum { room = 1024 };

static char name[room], about[room], value[1 << 16];

static void control_variables(void) {
    int count, numbers = 0, written = 0, length, about_length, verbosity, bind, scope, index, elements;
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
            if (type == MPI_INT && elements == 1 && scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY)
                written += MPI_T_cvar_write(handle, value) == MPI_SUCCESS;
        }
        MPI_T_cvar_handle_free(&handle);
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
        if (numbers >= 20 && written > 0) break;
    }
    CHECK(count == 0 || (numbers > 0 && written > 0));
    CHECK(MPI_T_cvar_get_index("no such variable", &index) != MPI_SUCCESS);
    /* A name that does not fit is cut. */
    length = 4;
    about_length = 0;
    if (count > 0) {
        MPI_T_cvar_get_info(0, name, &length, &verbosity, &type, &values, NULL, &about_length, &bind, &scope);
        CHECK(strlen(name) < 4);
    }
}

/* MPICH of Debian has none. What is not there it refuses, but for a variable asked for by its number, where it crashes
   unless the session is none. */
static void refused_variables(MPI_T_pvar_session session) {
    int length = room, about_length = room, verbosity, class, bind, readonly, continuous, atomic, number;
    MPI_Datatype type;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    CHECK(MPI_T_pvar_get_info(-1, name, &length, &verbosity, &class, &type, &values, about, &about_length, &bind,
                              &readonly, &continuous, &atomic) != MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_STATE, &number) != MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, -1, NULL, &handle, &number) != MPI_SUCCESS);
    handle = MPI_T_PVAR_HANDLE_NULL;
    CHECK(MPI_T_pvar_read(session, handle, value) != MPI_SUCCESS);
    CHECK(MPI_T_pvar_write(session, handle, value) != MPI_SUCCESS);
    CHECK(MPI_T_pvar_readreset(session, handle, value) != MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_free(session, &handle) != MPI_SUCCESS);
    values = MPI_T_ENUM_NULL;
    CHECK(MPI_T_enum_get_info(values, &number, name, &length) != MPI_SUCCESS);
    CHECK(MPI_T_enum_get_item(values, 0, &number, name, &length) != MPI_SUCCESS);
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
            CHECK((MPI_T_pvar_write(session, handle, value) == MPI_SUCCESS) == !readonly);
            CHECK((MPI_T_pvar_readreset(session, handle, value) == MPI_SUCCESS) == !readonly);
            CHECK((MPI_T_pvar_reset(session, handle) == MPI_SUCCESS) == !readonly);
        }
        if (!continuous) MPI_T_pvar_stop(session, handle);
        MPI_T_pvar_handle_free(session, &handle);
    }
    if (count == 0) refused_variables(session);
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
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

#if MPI_VERSION >= 4
static void on_event(MPI_T_event_instance event, MPI_T_event_registration handle, MPI_T_cb_safety safety, void* state) {
    (void)event, (void)handle, (void)safety, (void)state;
}
static void on_free(MPI_T_event_registration handle, MPI_T_cb_safety safety, void* state) {
    (void)handle, (void)safety, (void)state;
}
static void on_drop(MPI_Count count, MPI_T_event_registration handle, int source, MPI_T_cb_safety safety, void* state) {
    (void)count, (void)handle, (void)source, (void)safety, (void)state;
}

/* MPICH 4.0 has no event and no source. It refuses what is not there: by its number, or, a handle, by what it holds. */
static void refused_events(void) {
    enum { members = 4 };
    static long nothing[64];
    MPI_T_event_registration handle = (MPI_T_event_registration)(void*)nothing;
    const MPI_T_event_instance event = (MPI_T_event_instance)(void*)nothing;
    const MPI_T_cb_safety safety = MPI_T_CB_REQUIRE_NONE;
    MPI_Datatype types[members];
    MPI_Aint places[members];
    MPI_T_enum values;
    MPI_T_source_order order;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Count ticks, most, now;
    int length = room, about_length = room, verbosity, elements = members, bind, source;
    CHECK(MPI_T_source_get_info(0, name, &length, about, &about_length, &order, &ticks, &most, &info) != MPI_SUCCESS);
    CHECK(MPI_T_source_get_timestamp(0, &now) != MPI_SUCCESS);
    CHECK(MPI_T_event_get_info(0, name, &length, &verbosity, types, places, &elements, &values, &info, about,
                               &about_length, &bind) != MPI_SUCCESS);
    CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &handle) != MPI_SUCCESS);
    handle = (MPI_T_event_registration)(void*)nothing;
    MPI_Info_create(&info);
    CHECK(MPI_T_event_handle_set_info(handle, info) != MPI_SUCCESS);
    CHECK(MPI_T_event_callback_set_info(handle, safety, info) != MPI_SUCCESS);
    CHECK(MPI_T_event_register_callback(handle, safety, info, NULL, on_event) != MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(MPI_T_event_handle_get_info(handle, &info) != MPI_SUCCESS);
    CHECK(MPI_T_event_callback_get_info(handle, safety, &info) != MPI_SUCCESS);
    CHECK(MPI_T_event_set_dropped_handler(handle, on_drop) != MPI_SUCCESS);
    CHECK(MPI_T_event_read(event, 0, value) != MPI_SUCCESS);
    CHECK(MPI_T_event_copy(event, value) != MPI_SUCCESS);
    CHECK(MPI_T_event_get_timestamp(event, &now) != MPI_SUCCESS);
    CHECK(MPI_T_event_get_source(event, &source) != MPI_SUCCESS);
    CHECK(MPI_T_event_handle_free(handle, NULL, on_free) != MPI_SUCCESS);
}

static void events(void) {
    int count = -1, index, indices[4];
    MPI_T_event_get_num(&count);
    CHECK(count == 0 && MPI_T_event_get_index("no such event", &index) != MPI_SUCCESS);
    MPI_T_source_get_num(&count);
    CHECK(count == 0);
    MPI_T_category_get_num_events(0, &count);
    CHECK(count == 0);
    MPI_T_category_get_events(0, 4, indices);
    refused_events();
}
#endif

int main(int argc, char** argv) {
    int level, rank;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    control_variables();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    control_variables();
    performance_variables();
    categories();
#if MPI_VERSION >= 4
    events();
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    /* Behind MPI_Finalize Open MPI 4.1 crashes in it. */
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
