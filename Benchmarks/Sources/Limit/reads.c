#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outcome fetch_all(PGconn *connection) {
    struct outcome outcome = {0};
    struct arena arena = {0};
    double start = now();
    size_t count;
    struct employee *employees = copy_employees(connection, "", &count, &arena);
    for (size_t i = 0; i < count; i++) outcome.sum += touch(&employees[i]);
    outcome.seconds = now() - start;
    outcome.count = (int64_t)count;
    return outcome;
}

struct outcome point_lookups(PGconn *connection, int n) {
    struct outcome outcome = {0};
    PGresult *ids = check(
        connection,
        PQexecParams(connection, "SELECT \"_id\" FROM employee ORDER BY \"_id\"", 0, NULL, NULL, NULL, NULL, 1),
        PGRES_TUPLES_OK);
    int all = PQntuples(ids);
    prepare(connection, "lookup", "SELECT " SELECT_LIST " FROM employee WHERE \"_id\" = $1");
    double start = now();
    struct employee session[100];
    struct arena arena = {0};
    for (int i = 0; i < n; i++) {
        if (i % 100 == 0) arena.used = 0;
        // A stride that is coprime to the number of rows visits them all out of order.
        int row = (int)((int64_t)i * 7919 % all);
        const char *values[1] = {PQgetvalue(ids, row, 0)};
        const int lengths[1] = {8}, formats[1] = {1};
        PGresult *result = check(
            connection, PQexecPrepared(connection, "lookup", 1, values, lengths, formats, 1), PGRES_TUPLES_OK);
        struct employee *employee = &session[i % 100];
        read_employee(employee, result, 0, &arena);
        PQclear(result);
        outcome.sum += (double)employee->visits;
        outcome.count++;
    }
    outcome.seconds = now() - start;
    return outcome;
}

struct outcome predicate_queries(PGconn *connection, int n) {
    struct outcome outcome = {0};
    prepare(
        connection, "query",
        "SELECT " SELECT_LIST " FROM employee WHERE last_name = $1 AND salary > $2 ORDER BY hired_at LIMIT 20");
    double start = now();
    struct employee page[20];
    struct arena arena = {0};
    for (int i = 0; i < n; i++) {
        char name[32], salary[8];
        snprintf(name, sizeof name, "Last%03d", i % 1000);
        put_double(salary, 1000.0);
        const char *values[2] = {name, salary};
        const int lengths[2] = {(int)strlen(name), 8}, formats[2] = {1, 1};
        PGresult *result = check(
            connection, PQexecPrepared(connection, "query", 2, values, lengths, formats, 1), PGRES_TUPLES_OK);
        arena.used = 0;
        for (int row = 0; row < PQntuples(result); row++) {
            read_employee(&page[row], result, row, &arena);
            outcome.sum += touch(&page[row]);
            outcome.count++;
        }
        PQclear(result);
    }
    outcome.seconds = now() - start;
    return outcome;
}

struct department {
    int64_t id;
    struct employee **employees;
    size_t count, capacity;
};

static void add(struct department *department, struct employee *employee) {
    if (department->count == department->capacity) {
        department->capacity = department->capacity ? department->capacity * 2 : 16;
        department->employees = realloc(department->employees, department->capacity * sizeof(void *));
    }
    department->employees[department->count++] = employee;
}

static struct department *load_departments(PGconn *connection, int *count) {
    PGresult *result = check(
        connection,
        PQexecParams(
            connection, "SELECT \"_id\", \"_version\", name FROM department", 0, NULL, NULL, NULL, NULL, 1),
        PGRES_TUPLES_OK);
    *count = PQntuples(result);
    struct department *departments = calloc((size_t)*count, sizeof *departments);
    for (int i = 0; i < *count; i++) departments[i].id = read_int64(PQgetvalue(result, i, 0));
    PQclear(result);
    return departments;
}

// One query per department, as a loop over them would send.
static void load_lazily(PGconn *connection, struct department *departments, int count, struct arena *arena) {
    prepare(connection, "members", "SELECT " SELECT_LIST " FROM employee WHERE department = $1");
    for (int i = 0; i < count; i++) {
        char key[8];
        put_int64(key, departments[i].id);
        const char *values[1] = {key};
        const int lengths[1] = {8}, formats[1] = {1};
        PGresult *result = check(
            connection, PQexecPrepared(connection, "members", 1, values, lengths, formats, 1), PGRES_TUPLES_OK);
        struct employee *members = malloc((size_t)PQntuples(result) * sizeof *members);
        for (int row = 0; row < PQntuples(result); row++) {
            read_employee(&members[row], result, row, arena);
            add(&departments[i], &members[row]);
        }
        PQclear(result);
    }
}

// Keys of departments are small and dense, so that a table is the fastest hash of them.
static void load_at_once(PGconn *connection, struct department *departments, int count, struct arena *arena) {
    int64_t highest = 0;
    for (int i = 0; i < count; i++) if (departments[i].id > highest) highest = departments[i].id;
    struct department **by_id = calloc((size_t)highest + 1, sizeof *by_id);
    for (int i = 0; i < count; i++) by_id[departments[i].id] = &departments[i];
    size_t members;
    struct employee *employees = copy_employees(connection, "WHERE department IS NOT NULL", &members, arena);
    for (size_t i = 0; i < members; i++) add(by_id[employees[i].department], &employees[i]);
    free(by_id);
}

struct outcome traverse(PGconn *connection, bool lazy) {
    struct outcome outcome = {0};
    struct arena arena = {0};
    double start = now();
    int count;
    struct department *departments = load_departments(connection, &count);
    if (lazy) load_lazily(connection, departments, count, &arena);
    else load_at_once(connection, departments, count, &arena);
    for (int i = 0; i < count; i++) {
        for (size_t member = 0; member < departments[i].count; member++) {
            outcome.sum += departments[i].employees[member]->salary;
            outcome.count++;
        }
    }
    outcome.seconds = now() - start;
    return outcome;
}
