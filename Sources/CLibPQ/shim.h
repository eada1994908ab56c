#ifndef HOWDAH_CLIBPQ_SHIM_H
#define HOWDAH_CLIBPQ_SHIM_H
#include <libpq-fe.h>
#endif
