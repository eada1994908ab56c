#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void fail(PGconn *connection, const char *what) {
    fprintf(stderr, "limit: %s: %s\n", what, connection ? PQerrorMessage(connection) : "");
    exit(1);
}

PGconn *connect_to(const char *conninfo) {
    PGconn *connection = PQconnectdb(conninfo);
    if (PQstatus(connection) != CONNECTION_OK) fail(connection, "connect");
    return connection;
}

PGresult *check(PGconn *connection, PGresult *result, ExecStatusType wanted) {
    if (PQresultStatus(result) != wanted) fail(connection, "statement");
    return result;
}

void command(PGconn *connection, const char *sql) { PQclear(check(connection, PQexec(connection, sql), PGRES_COMMAND_OK)); }

void prepare(PGconn *connection, const char *name, const char *sql) {
    PQclear(check(connection, PQprepare(connection, name, sql, 0, NULL), PGRES_COMMAND_OK));
}

const char *arena_copy(struct arena *arena, const char *text, int32_t length) {
    if (arena->used + (size_t)length > arena->size || arena->block == NULL) {
        arena->size = 1 << 20;
        arena->block = malloc(arena->size);
        arena->used = 0;
    }
    char *copy = arena->block + arena->used;
    memcpy(copy, text, (size_t)length);
    arena->used += (size_t)length;
    return copy;
}

int64_t read_int64(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return (int64_t)__builtin_bswap64(value);
}

int32_t read_int32(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return (int32_t)__builtin_bswap32(value);
}

double read_double(const char *bytes) {
    int64_t bits = read_int64(bytes);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

char *put_int16(char *place, int16_t value) {
    uint16_t bits = __builtin_bswap16((uint16_t)value);
    memcpy(place, &bits, 2);
    return place + 2;
}

char *put_int32(char *place, int32_t value) {
    uint32_t bits = __builtin_bswap32((uint32_t)value);
    memcpy(place, &bits, 4);
    return place + 4;
}

char *put_int64(char *place, int64_t value) {
    uint64_t bits = __builtin_bswap64((uint64_t)value);
    memcpy(place, &bits, 8);
    return place + 8;
}

char *put_double(char *place, double value) {
    int64_t bits;
    memcpy(&bits, &value, 8);
    return put_int64(place, bits);
}

double touch(const struct employee *employee) {
    return (double)employee->visits + employee->salary + employee->rating + (double)employee->hired_at / 1e6
        + (double)employee->level + (double)employee->active + (double)employee->first_length
        + (double)employee->last_length + (double)employee->email_length + (double)employee->department * 0
        + (double)(employee->first_name[0] == 0);
}

void read_employee(struct employee *employee, const PGresult *result, int row, struct arena *arena) {
    employee->id = read_int64(PQgetvalue(result, row, 0));
    employee->version = read_int64(PQgetvalue(result, row, 1));
    employee->first_length = PQgetlength(result, row, 2);
    employee->first_name = arena_copy(arena, PQgetvalue(result, row, 2), employee->first_length);
    employee->last_length = PQgetlength(result, row, 3);
    employee->last_name = arena_copy(arena, PQgetvalue(result, row, 3), employee->last_length);
    employee->email_length = PQgetlength(result, row, 4);
    employee->email = arena_copy(arena, PQgetvalue(result, row, 4), employee->email_length);
    employee->salary = read_double(PQgetvalue(result, row, 5));
    employee->rating = read_double(PQgetvalue(result, row, 6));
    employee->hired_at = read_int64(PQgetvalue(result, row, 7));
    employee->visits = read_int64(PQgetvalue(result, row, 8));
    employee->level = read_int32(PQgetvalue(result, row, 9));
    employee->active = PQgetvalue(result, row, 10)[0] != 0;
    employee->department = PQgetisnull(result, row, 11) ? 0 : read_int64(PQgetvalue(result, row, 11));
}

static const char *next_cell(const char **place, int32_t *length) {
    *length = read_int32(*place);
    const char *cell = *place + 4;
    *place = cell + (*length > 0 ? *length : 0);
    return cell;
}

static void read_tuple(struct employee *employee, const char *place, struct arena *arena) {
    int32_t length;
    employee->id = read_int64(next_cell(&place, &length));
    employee->version = read_int64(next_cell(&place, &length));
    const char *text = next_cell(&place, &employee->first_length);
    employee->first_name = arena_copy(arena, text, employee->first_length);
    text = next_cell(&place, &employee->last_length);
    employee->last_name = arena_copy(arena, text, employee->last_length);
    text = next_cell(&place, &employee->email_length);
    employee->email = arena_copy(arena, text, employee->email_length);
    employee->salary = read_double(next_cell(&place, &length));
    employee->rating = read_double(next_cell(&place, &length));
    employee->hired_at = read_int64(next_cell(&place, &length));
    employee->visits = read_int64(next_cell(&place, &length));
    employee->level = read_int32(next_cell(&place, &length));
    employee->active = next_cell(&place, &length)[0] != 0;
    text = next_cell(&place, &length);
    employee->department = length < 0 ? 0 : read_int64(text);
}

struct employee *copy_employees(PGconn *connection, const char *condition, size_t *count, struct arena *arena) {
    char sql[512];
    snprintf(sql, sizeof sql, "COPY (SELECT " SELECT_LIST " FROM employee %s) TO STDOUT (FORMAT binary)", condition);
    PQclear(check(connection, PQexec(connection, sql), PGRES_COPY_OUT));
    size_t capacity = 1024;
    struct employee *employees = malloc(capacity * sizeof *employees);
    *count = 0;
    bool is_first = true;
    char *message;
    int length;
    while ((length = PQgetCopyData(connection, &message, 0)) > 0) {
        const char *place = message;
        if (is_first) place += 19;
        is_first = false;
        // The end of the data is a field count of -1.
        if (place < message + length && !(place[0] == (char)0xFF && place[1] == (char)0xFF)) {
            if (*count == capacity) {
                capacity *= 2;
                employees = realloc(employees, capacity * sizeof *employees);
            }
            read_tuple(&employees[(*count)++], place + 2, arena);
        }
        PQfreemem(message);
    }
    if (length == -2) fail(connection, "copy");
    PQclear(check(connection, PQgetResult(connection), PGRES_COMMAND_OK));
    while (PQgetResult(connection) != NULL) {}
    return employees;
}
