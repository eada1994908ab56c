@_exported import HowdahJSON
@_exported import HowdahModel
@_exported import HowdahRuntime

// What the runtime's own API is made of; without these, members of them are out of reach for modules that must
// import what they use. The rest of the client stays out of users' name spaces.
@_exported import enum HowdahSchema.LockLevel
@_exported import struct HowdahSchema.MigrationStep
@_exported import struct HowdahSchema.PendingMigrationStep
@_exported import enum PQClient.Isolation
@_exported import struct PQClient.PoolStatus
@_exported import struct PQClient.PoolerMode
@_exported import struct PQClient.PostgresError
@_exported import struct PQClient.SQLState
@_exported import struct PQClient.StatementEvent

#if Full || Server || Browser || All || Migrations
@_exported import HowdahStages
@_exported import struct HowdahMigration.MigrationError
@_exported import struct HowdahMigration.MigrationPlan
@_exported import struct HowdahMigration.StagedMigrationPlan
#endif
