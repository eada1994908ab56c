#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char copy_header[19] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";

static char *put_text(char *place, const char *text) {
    int32_t length = (int32_t)strlen(text);
    place = put_int32(place, length);
    memcpy(place, text, (size_t)length);
    return place + length;
}

static void send_copy(PGconn *connection, const char *bytes, size_t length) {
    if (PQputCopyData(connection, bytes, (int)length) != 1) fail(connection, "copy");
}

struct outcome insert_graph(PGconn *connection, int n) {
    struct outcome outcome = {0};
    double start = now();
    int64_t department = 0;
    command(connection, "BEGIN");
    char amount[4];
    put_int32(amount, n + 1);
    const char *values[1] = {amount};
    const int lengths[1] = {4}, formats[1] = {1};
    PGresult *ids = check(
        connection,
        PQexecParams(
            connection, "SELECT nextval('_howdah_id') FROM generate_series(1, $1::int4)", 1, NULL, values, lengths,
            formats, 1),
        PGRES_TUPLES_OK);
    department = read_int64(PQgetvalue(ids, 0, 0));
    char sql[160];
    snprintf(sql, sizeof sql, "INSERT INTO department (\"_id\", \"_version\", name) VALUES (%lld, 1, 'New')", (long long)department);
    command(connection, sql);
    PQclear(check(
        connection, PQexec(connection, "COPY employee (" SELECT_LIST ") FROM STDIN (FORMAT binary)"), PGRES_COPY_IN));
    char block[65536];
    memcpy(block, copy_header, sizeof copy_header);
    char *place = block + sizeof copy_header;
    for (int i = 0; i < n; i++) {
        if (place - block > (ptrdiff_t)sizeof block - 512) {
            send_copy(connection, block, (size_t)(place - block));
            place = block;
        }
        char first[32], last[32], email[64];
        snprintf(first, sizeof first, "First%d", i);
        snprintf(last, sizeof last, "Last%03d", i % 1000);
        snprintf(email, sizeof email, "first%d@example.com", i);
        place = put_int16(place, COLUMNS);
        place = put_int64(put_int32(place, 8), read_int64(PQgetvalue(ids, i + 1, 0)));
        place = put_int64(put_int32(place, 8), 1);
        place = put_text(put_text(put_text(place, first), last), email);
        place = put_double(put_int32(place, 8), (double)(i % 5000));
        place = put_double(put_int32(place, 8), (double)(i % 50) / 10);
        place = put_int64(put_int32(place, 8), (int64_t)i * 1000000);
        place = put_int64(put_int32(place, 8), i);
        place = put_int32(put_int32(place, 4), i % 10);
        place = put_int32(place, 1);
        *place++ = (char)(i % 2 == 0);
        place = put_int64(put_int32(place, 8), department);
        outcome.count++;
    }
    place = put_int16(place, -1);
    send_copy(connection, block, (size_t)(place - block));
    if (PQputCopyEnd(connection, NULL) != 1) fail(connection, "copy");
    PQclear(check(connection, PQgetResult(connection), PGRES_COMMAND_OK));
    while (PQgetResult(connection) != NULL) {}
    command(connection, "COMMIT");
    outcome.seconds = now() - start;
    return outcome;
}

// A binary array of int8 or float8 in a buffer of its own.
struct array {
    char *bytes, *place;
    int length;
};

static struct array make_array(int count, int32_t type) {
    struct array array;
    array.length = 20 + 12 * count;
    array.bytes = malloc((size_t)array.length);
    char *place = put_int32(put_int32(put_int32(array.bytes, 1), 0), type);
    array.place = put_int32(put_int32(place, count), 1);
    return array;
}

static void push(struct array *array, int64_t value) { array->place = put_int64(put_int32(array->place, 8), value); }

static struct employee *load(PGconn *connection, int n, int *count, struct arena *arena) {
    char condition[64];
    snprintf(condition, sizeof condition, "ORDER BY \"_id\" LIMIT %d", n);
    size_t rows;
    struct employee *employees = copy_employees(connection, condition, &rows, arena);
    *count = (int)rows;
    return employees;
}

struct outcome update_objects(PGconn *connection, int n) {
    struct outcome outcome = {0};
    struct arena arena = {0};
    double start = now();
    int count;
    struct employee *employees = load(connection, n, &count, &arena);
    struct array keys = make_array(count, 20), versions = make_array(count, 20), visits = make_array(count, 20),
                 salaries = make_array(count, 701);
    for (int i = 0; i < count; i++) {
        push(&keys, employees[i].id);
        push(&versions, employees[i].version);
        push(&visits, employees[i].visits + 1);
        salaries.place = put_double(put_int32(salaries.place, 8), employees[i].salary + 10);
    }
    const char *values[4] = {keys.bytes, versions.bytes, visits.bytes, salaries.bytes};
    const int lengths[4] = {keys.length, versions.length, visits.length, salaries.length}, formats[4] = {1, 1, 1, 1};
    command(connection, "BEGIN");
    PGresult *result = check(
        connection,
        PQexecParams(
            connection,
            "UPDATE employee t SET visits = v.visits, salary = v.salary, \"_version\" = t.\"_version\" + 1 "
            "FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::float8[]) AS v(id, version, visits, salary) "
            "WHERE t.\"_id\" = v.id AND t.\"_version\" = v.version",
            4, NULL, values, lengths, formats, 1),
        PGRES_COMMAND_OK);
    outcome.count = atoll(PQcmdTuples(result));
    command(connection, outcome.count == count ? "COMMIT" : "ROLLBACK");
    outcome.seconds = now() - start;
    return outcome;
}

struct outcome delete_objects(PGconn *connection, int n) {
    struct outcome outcome = {0};
    struct arena arena = {0};
    double start = now();
    int count;
    struct employee *employees = load(connection, n, &count, &arena);
    struct array keys = make_array(count, 20);
    for (int i = 0; i < count; i++) push(&keys, employees[i].id);
    // All objects of the workload have one version, which makes them one group.
    char version[8];
    put_int64(version, employees[0].version);
    const char *values[2] = {keys.bytes, version};
    const int lengths[2] = {keys.length, 8}, formats[2] = {1, 1};
    command(connection, "BEGIN");
    PGresult *result = check(
        connection,
        PQexecParams(
            connection, "DELETE FROM employee WHERE \"_id\" = ANY($1::int8[]) AND \"_version\" = $2::int8", 2, NULL,
            values, lengths, formats, 1),
        PGRES_COMMAND_OK);
    outcome.count = atoll(PQcmdTuples(result));
    command(connection, outcome.count == count ? "COMMIT" : "ROLLBACK");
    outcome.seconds = now() - start;
    return outcome;
}

struct outcome delete_by_predicate(PGconn *connection, int n) {
    struct outcome outcome = {0};
    double start = now();
    char limit[8];
    put_int64(limit, n);
    const char *values[1] = {limit};
    const int lengths[1] = {8}, formats[1] = {1};
    PGresult *result = check(
        connection,
        PQexecParams(
            connection, "DELETE FROM employee WHERE visits < $1::int8", 1, NULL, values, lengths, formats, 1),
        PGRES_COMMAND_OK);
    outcome.count = atoll(PQcmdTuples(result));
    outcome.seconds = now() - start;
    return outcome;
}
