#ifndef HOWDAH_CLIBPQ_SHIM_H
#define HOWDAH_CLIBPQ_SHIM_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Swift does not import character-literal macros, so the field codes are repeated as an enum.
enum howdah_error_field {
    HOWDAH_FIELD_SEVERITY = 'V',  // PG_DIAG_SEVERITY_NONLOCALIZED
    HOWDAH_FIELD_SQLSTATE = PG_DIAG_SQLSTATE,
    HOWDAH_FIELD_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
    HOWDAH_FIELD_DETAIL = PG_DIAG_MESSAGE_DETAIL,
    HOWDAH_FIELD_HINT = PG_DIAG_MESSAGE_HINT,
    HOWDAH_FIELD_POSITION = PG_DIAG_STATEMENT_POSITION,
    HOWDAH_FIELD_INTERNAL_POSITION = PG_DIAG_INTERNAL_POSITION,
    HOWDAH_FIELD_INTERNAL_QUERY = PG_DIAG_INTERNAL_QUERY,
    HOWDAH_FIELD_CONTEXT = PG_DIAG_CONTEXT,
    HOWDAH_FIELD_SCHEMA = PG_DIAG_SCHEMA_NAME,
    HOWDAH_FIELD_TABLE = PG_DIAG_TABLE_NAME,
    HOWDAH_FIELD_COLUMN = PG_DIAG_COLUMN_NAME,
    HOWDAH_FIELD_DATATYPE = PG_DIAG_DATATYPE_NAME,
    HOWDAH_FIELD_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
    HOWDAH_FIELD_SOURCE_FILE = PG_DIAG_SOURCE_FILE,
    HOWDAH_FIELD_SOURCE_LINE = PG_DIAG_SOURCE_LINE,
    HOWDAH_FIELD_SOURCE_FUNCTION = PG_DIAG_SOURCE_FUNCTION,
};

static inline const char *_Nullable howdah_error_field(
    const PGresult *_Nonnull result, enum howdah_error_field field) {
    return PQresultErrorField(result, (int)field);
}

// One value of a row: where it is, and its length in bytes, or -1 for SQL NULL.
struct howdah_cell {
    const uint8_t *_Nullable bytes;
    int32_t length;
};

// Fills `cells` with row `row`. The caller has checked `row` and `columns`: libpq would report a bad index
// through the notice hooks of a connection that may be gone.
static inline void howdah_fill_row(
    const PGresult *_Nonnull result, int row, int columns, struct howdah_cell *_Nonnull cells) {
    for (int column = 0; column < columns; column++) {
        int length = PQgetlength(result, row, column);
        if (length == 0 && PQgetisnull(result, row, column)) length = -1;
        cells[column].bytes = (const uint8_t *)PQgetvalue(result, row, column);
        cells[column].length = length;
    }
}

// libpq 17 can close a statement by protocol message, which also works inside a failed transaction.
static inline bool howdah_has_close_prepared(void) {
#ifdef LIBPQ_HAS_CLOSE_PREPARED
    return true;
#else
    return false;
#endif
}

// Queues the end of a prepared statement; `name` is one of ours and needs no escaping.
static inline int howdah_send_deallocate(PGconn *_Nonnull connection, const char *_Nonnull name) {
#ifdef LIBPQ_HAS_CLOSE_PREPARED
    return PQsendClosePrepared(connection, name);
#else
    char sql[96];
    snprintf(sql, sizeof sql, "DEALLOCATE %s", name);
    return PQsendQueryParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1);
#endif
}

// libpq 17 encrypts a cancel request if the session is encrypted. Before, its key crosses the network in clear.
#ifdef LIBPQ_HAS_ASYNC_CANCEL
typedef PGcancelConn howdah_cancel;

static inline howdah_cancel *_Nullable howdah_make_cancel(PGconn *_Nonnull connection) {
    return PQcancelCreate(connection);
}

// Sends one request and waits until the server has taken it; for one thread at a time.
static inline bool howdah_send_cancel(howdah_cancel *_Nonnull cancel) {
    PQcancelReset(cancel);
    return PQcancelBlocking(cancel) == 1;
}

static inline void howdah_free_cancel(howdah_cancel *_Nullable cancel) { PQcancelFinish(cancel); }
#else
typedef PGcancel howdah_cancel;

static inline howdah_cancel *_Nullable howdah_make_cancel(PGconn *_Nonnull connection) {
    return PQgetCancel(connection);
}

static inline bool howdah_send_cancel(howdah_cancel *_Nonnull cancel) {
    char message[256];
    return PQcancel(cancel, message, sizeof message) == 1;
}

static inline void howdah_free_cancel(howdah_cancel *_Nullable cancel) { PQfreeCancel(cancel); }
#endif

#endif
