#include "limit.h"

#include <pthread.h>
#include <stdlib.h>

struct worker {
    pthread_t thread;
    PGconn *connection;
    pthread_barrier_t *barrier;
    const int64_t *keys;
    int number, each;
};

static void *work(void *context) {
    struct worker *worker = context;
    PGconn *connection = worker->connection;
    pthread_barrier_wait(worker->barrier);
    for (int i = 0; i < worker->each; i++) {
        char key[8], visits[8], version[8];
        put_int64(key, worker->keys[(i * 7 + worker->number * 13) % 100]);
        for (bool done = false; !done;) {
            const char *values[3] = {key, visits, version};
            const int lengths[3] = {8, 8, 8}, formats[3] = {1, 1, 1};
            PGresult *result = check(
                connection, PQexecPrepared(connection, "lookup", 1, values, lengths, formats, 1), PGRES_TUPLES_OK);
            struct employee employee;
            struct arena arena = {0};
            read_employee(&employee, result, 0, &arena);
            PQclear(result);
            free(arena.block);
            put_int64(visits, employee.visits + 1);
            put_int64(version, employee.version);
            result = check(
                connection, PQexecPrepared(connection, "update", 3, values, lengths, formats, 1), PGRES_COMMAND_OK);
            done = PQcmdTuples(result)[0] == '1';
            PQclear(result);
        }
    }
    return NULL;
}

struct outcome small_transactions(const char *conninfo, int workers, int each) {
    struct outcome outcome = {0};
    struct worker *crew = calloc((size_t)workers, sizeof *crew);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)workers + 1);
    int64_t keys[100];
    for (int i = 0; i < workers; i++) {
        PGconn *connection = connect_to(conninfo);
        prepare(connection, "lookup", "SELECT " SELECT_LIST " FROM employee WHERE \"_id\" = $1");
        prepare(
            connection, "update",
            "UPDATE employee SET visits = $2, \"_version\" = \"_version\" + 1 WHERE \"_id\" = $1 AND \"_version\" = $3");
        // Each connection meets the table once before the clock runs; no row has this key.
        char none[8];
        put_int64(none, 0);
        const char *values[3] = {none, none, none};
        const int lengths[3] = {8, 8, 8}, formats[3] = {1, 1, 1};
        PQclear(check(
            connection, PQexecPrepared(connection, "lookup", 1, values, lengths, formats, 1), PGRES_TUPLES_OK));
        PQclear(check(
            connection, PQexecPrepared(connection, "update", 3, values, lengths, formats, 1), PGRES_COMMAND_OK));
        crew[i] = (struct worker){.connection = connection, .barrier = &barrier, .keys = keys, .number = i, .each = each};
    }
    PGresult *ids = check(
        crew[0].connection,
        PQexecParams(
            crew[0].connection, "SELECT \"_id\" FROM employee ORDER BY \"_id\" LIMIT 100", 0, NULL, NULL, NULL, NULL, 1),
        PGRES_TUPLES_OK);
    for (int i = 0; i < 100; i++) keys[i] = read_int64(PQgetvalue(ids, i, 0));
    for (int i = 0; i < workers; i++) pthread_create(&crew[i].thread, NULL, work, &crew[i]);
    double start = now();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < workers; i++) pthread_join(crew[i].thread, NULL);
    outcome.seconds = now() - start;
    outcome.count = (int64_t)workers * each;
    return outcome;
}

struct outcome cold_start(const char *conninfo) {
    struct outcome outcome = {0};
    double start = now();
    PGconn *connection = connect_to(conninfo);
    PGresult *result = check(
        connection,
        PQexecParams(
            connection, "SELECT " SELECT_LIST " FROM employee ORDER BY \"_id\" LIMIT 1", 0, NULL, NULL, NULL, NULL, 1),
        PGRES_TUPLES_OK);
    struct employee employee;
    struct arena arena = {0};
    read_employee(&employee, result, 0, &arena);
    outcome.count = 1;
    outcome.seconds = now() - start;
    return outcome;
}
