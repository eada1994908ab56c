// The limit: each workload in C on libpq, by the fastest way known, with rows copied into structs.
#ifndef LIMIT_H
#define LIMIT_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SELECT_LIST                                                                                      \
    "\"_id\", \"_version\", first_name, last_name, email, salary, rating, hired_at, visits, level, active, " \
    "department"
#define COLUMNS 12

struct employee {
    int64_t id, version, visits, hired_at, department;
    double salary, rating;
    const char *first_name, *last_name, *email;
    int32_t first_length, last_length, email_length, level;
    bool active;
};

// Strings live in blocks that are never freed one by one.
struct arena {
    char *block;
    size_t used, size;
};

// What a run found out; the driver compares it with what the database says.
struct outcome {
    double seconds;
    int64_t count;
    double sum;
};

const char *arena_copy(struct arena *arena, const char *text, int32_t length);

double now(void);
PGconn *connect_to(const char *conninfo);
void fail(PGconn *connection, const char *what);
PGresult *check(PGconn *connection, PGresult *result, ExecStatusType wanted);
void command(PGconn *connection, const char *sql);
void prepare(PGconn *connection, const char *name, const char *sql);

int64_t read_int64(const char *bytes);
int32_t read_int32(const char *bytes);
double read_double(const char *bytes);
char *put_int16(char *place, int16_t value);
char *put_int32(char *place, int32_t value);
char *put_int64(char *place, int64_t value);
char *put_double(char *place, double value);

// Reads row `row` of a binary result whose columns are SELECT_LIST.
void read_employee(struct employee *employee, const PGresult *result, int row, struct arena *arena);
// Adds up every attribute, so that none of them can go unread.
double touch(const struct employee *employee);

// Employees by COPY; `condition` is what follows FROM in the query.
struct employee *copy_employees(PGconn *connection, const char *condition, size_t *count, struct arena *arena);

struct outcome insert_graph(PGconn *connection, int n);
struct outcome fetch_all(PGconn *connection);
struct outcome point_lookups(PGconn *connection, int n);
struct outcome predicate_queries(PGconn *connection, int n);
struct outcome update_objects(PGconn *connection, int n);
struct outcome traverse(PGconn *connection, bool lazy);
struct outcome delete_objects(PGconn *connection, int n);
struct outcome delete_by_predicate(PGconn *connection, int n);
struct outcome export_json(PGconn *connection);
struct outcome import_json(PGconn *connection, int n);
struct outcome small_transactions(const char *conninfo, int workers, int each);
struct outcome cold_start(const char *conninfo);

#endif
