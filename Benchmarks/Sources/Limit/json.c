#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outcome export_json(PGconn *connection) {
    struct outcome outcome = {0};
    double start = now();
    command(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const char *statements[2] = {
        "COPY (SELECT row_to_json(d) FROM department d) TO STDOUT",
        "COPY (SELECT row_to_json(e) FROM employee e ORDER BY \"_id\") TO STDOUT"};
    for (int i = 0; i < 2; i++) {
        PQclear(check(connection, PQexec(connection, statements[i]), PGRES_COPY_OUT));
        char *line;
        while (PQgetCopyData(connection, &line, 0) > 0) {
            outcome.count++;
            PQfreemem(line);
        }
        PQclear(check(connection, PQgetResult(connection), PGRES_COMMAND_OK));
        PQclear(PQgetResult(connection));
    }
    command(connection, "COMMIT");
    outcome.seconds = now() - start;
    return outcome;
}

// The rows as the database reads JSON; the text is made before the clock starts.
struct outcome import_json(PGconn *connection, int n) {
    struct outcome outcome = {0};
    size_t size = (size_t)n * 256, used = 0;
    char *text = malloc(size);
    for (int i = 0; i < n; i++) {
        used += (size_t)snprintf(
            text + used, size - used,
            "{\"first_name\":\"First%d\",\"last_name\":\"Last%03d\",\"email\":\"first%d@example.com\",\"salary\":%d,"
            "\"rating\":%d.%d,\"hired_at\":\"2020-01-01T00:00:00Z\",\"visits\":%d,\"level\":%d,\"active\":%s}\n",
            i, i % 1000, i, i % 5000, i % 50 / 10, i % 10, i, i % 10, i % 2 == 0 ? "true" : "false");
    }
    double start = now();
    command(connection, "BEGIN");
    command(connection, "CREATE TEMPORARY TABLE line (value json) ON COMMIT DROP");
    PQclear(check(connection, PQexec(connection, "COPY line FROM STDIN"), PGRES_COPY_IN));
    for (size_t sent = 0; sent < used; sent += 65536) {
        size_t length = used - sent < 65536 ? used - sent : 65536;
        if (PQputCopyData(connection, text + sent, (int)length) != 1) fail(connection, "copy");
    }
    if (PQputCopyEnd(connection, NULL) != 1) fail(connection, "copy");
    PQclear(check(connection, PQgetResult(connection), PGRES_COMMAND_OK));
    PQclear(PQgetResult(connection));
    PGresult *keys = check(
        connection,
        PQexec(
            connection,
            "INSERT INTO department (\"_id\", \"_version\", name) VALUES (nextval('_howdah_id'), 1, 'New') RETURNING \"_id\""),
        PGRES_TUPLES_OK);
    const char *values[1] = {PQgetvalue(keys, 0, 0)};
    PGresult *result = check(
        connection,
        PQexecParams(
            connection,
            "INSERT INTO employee (\"_id\", \"_version\", first_name, last_name, email, salary, rating, hired_at, visits, "
            "level, active, department) SELECT nextval('_howdah_id'), 1, r.*, $1::int8 FROM line, "
            "json_to_record(value) AS r (first_name text, last_name text, email text, salary float8, rating float8, "
            "hired_at timestamptz, visits int8, level int4, active bool)",
            1, NULL, values, NULL, NULL, 0),
        PGRES_COMMAND_OK);
    outcome.count = atoll(PQcmdTuples(result)) + 1;
    command(connection, "COMMIT");
    outcome.seconds = now() - start;
    free(text);
    return outcome;
}
