#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Kilobytes of resident memory, or of its peak, from the kernel.
static long memory(const char *field) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long value = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) value = atol(line + strlen(field) + 1);
    }
    if (file != NULL) fclose(file);
    return value;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: Limit WORKLOAD CONNINFO N\n");
        return 2;
    }
    const char *workload = argv[1], *conninfo = argv[2];
    int n = atoi(argv[3]);
    struct outcome outcome;
    long before = 0;
    if (strcmp(workload, "W8") == 0 || strcmp(workload, "W8own") == 0) {
        outcome = small_transactions(conninfo, 8, n / 8);
    } else if (strcmp(workload, "W9") == 0) {
        outcome = cold_start(conninfo);
    } else {
        PGconn *connection = connect_to(conninfo);
        // The first use of a table fills the session's caches, and the server's after a fresh copy; both belong to
        // cold starts only. All peers read the tables once like this.
        PQclear(PQexec(connection, "SELECT " SELECT_LIST " FROM employee WHERE salary < 0"));
        PQclear(PQexec(connection, "SELECT * FROM department WHERE name = ''"));
        before = memory("VmRSS:");
        if (strcmp(workload, "W1") == 0) outcome = insert_graph(connection, n);
        else if (strcmp(workload, "W2") == 0) outcome = fetch_all(connection);
        else if (strcmp(workload, "W3") == 0) outcome = point_lookups(connection, n);
        else if (strcmp(workload, "W4") == 0) outcome = predicate_queries(connection, n);
        else if (strcmp(workload, "W5") == 0) outcome = update_objects(connection, n);
        else if (strcmp(workload, "W6") == 0) outcome = traverse(connection, false);
        else if (strcmp(workload, "W6lazy") == 0) outcome = traverse(connection, true);
        else if (strcmp(workload, "W7") == 0) outcome = delete_objects(connection, n);
        else if (strcmp(workload, "W7b") == 0) outcome = delete_by_predicate(connection, n);
        else if (strcmp(workload, "W10") == 0) outcome = export_json(connection);
        else if (strcmp(workload, "W12") == 0) outcome = insert_graph(connection, n);
        else if (strcmp(workload, "W11") == 0) outcome = import_json(connection, n);
        else { fprintf(stderr, "limit: no workload %s\n", workload); return 2; }
    }
    printf(
        "{\"seconds\": %.9f, \"count\": %lld, \"sum\": %.3f, \"held\": %ld, \"peak\": %ld}\n", outcome.seconds,
        (long long)outcome.count, outcome.sum, before == 0 ? 0 : memory("VmRSS:") - before, memory("VmHWM:"));
    return 0;
}
