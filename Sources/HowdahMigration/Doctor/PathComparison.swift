package import HowdahModel
package import PQClient

/// Migrates two equal stores through two paths, and compares tables, checksums and data afterwards.
///
/// The stores are schemas of a scratch database, which are dropped at the end.
package struct PathComparison {
    /// A path from one version to another.
    package struct Candidate {
        /// The name in differences, such as `the new stage`.
        package let name: String
        /// Returns the path of a store in a schema, whose name scripts in SQL may need.
        package let path: (_ schemaName: String) throws -> MigrationPath

        package init(_ name: String, path: @escaping (_ schemaName: String) throws -> MigrationPath) {
            self.name = name
            self.path = path
        }
    }

    /// The error of a migration, with the path that it belongs to.
    package struct Failure: Error {
        package let candidate: String
        package let error: MigrationError
    }

    /// The contents of a store in a schema, which creates them and reads them as lines of text.
    package struct Contents {
        package let create: (ManagedObjectModel, _ schemaName: String) async throws -> Void
        package let lines: (ManagedObjectModel, _ schemaName: String) async throws -> [String]

        package init(
            create: @escaping (ManagedObjectModel, _ schemaName: String) async throws -> Void,
            lines: @escaping (ManagedObjectModel, _ schemaName: String) async throws -> [String]
        ) {
            self.create = create
            self.lines = lines
        }
    }

    private let contents: Contents
    private let connect: () throws -> Connection

    /// - Parameter connect: Returns a new session of the scratch database.
    package init(_ contents: Contents, connect: @escaping () throws -> Connection) {
        self.contents = contents
        self.connect = connect
    }

    private static let named = 10

    private struct Outcome {
        let catalogue: StoreCatalogue
        let checksum: String
        let lines: [String]
    }

    /// Returns the differences in words; none if both paths have the same result.
    ///
    /// - Throws: `Failure` if a migration fails; an error of the contents; `MigrationError`.
    package func differences(between one: Candidate, and other: Candidate) async throws -> [String] {
        let mark = String(UInt32.random(in: .min ... .max), radix: 36)
        let places = ["howdah_squash_a_\(mark)", "howdah_squash_b_\(mark)"]
        do {
            try make(places)
            let first = try await outcome(of: one, in: places[0])
            let second = try await outcome(of: other, in: places[1])
            try drop(places)
            return differences(first, one.name, second, other.name)
        } catch {
            // The error that led here is the one to report.
            try? drop(places)
            throw error
        }
    }

    private func differences(
        _ one: Outcome, _ name: String, _ other: Outcome, _ otherName: String
    ) -> [String] {
        var result: [String] = []
        if one.checksum != other.checksum { result.append("the checksum differs") }
        result += other.catalogue.differences(from: one.catalogue).map { "catalogue: \($0)" }
        let (lost, added) = (
            Self.surplus(one.lines, over: other.lines), Self.surplus(other.lines, over: one.lines)
        )
        if one.lines.count != other.lines.count {
            result.append(
                "data: \(one.lines.count) objects with \(name), \(other.lines.count) with \(otherName)")
        }
        result += lost.prefix(Self.named).map { "data: only with \(name): \($0)" }
        result += added.prefix(Self.named).map { "data: only with \(otherName): \($0)" }
        return result
    }

    /// The lines that are in `lines` more often than in `others`.
    private static func surplus(_ lines: [String], over others: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for line in others { counts[line, default: 0] += 1 }
        return lines.filter { line in
            counts[line, default: 0] -= 1
            return counts[line, default: 0] < 0
        }
    }

    private func outcome(of candidate: Candidate, in schemaName: String) async throws -> Outcome {
        let path = try candidate.path(schemaName)
        guard let start = path.versions.first?.model, let end = path.versions.last?.model else {
            throw MigrationError(
                .invalidStages,
                "A version of \(candidate.name) has no model. Give each version of these stages a model.")
        }
        try await contents.create(start, schemaName)
        do {
            _ = try withConnection { try StoreMigration($0, path, to: end, schemaName: schemaName).apply() }
        } catch let error as MigrationError {
            throw Failure(candidate: candidate.name, error: error)
        }
        // Without the schema's name, which is another one each time.
        let catalogue = try withConnection {
            try StoreCatalogue.actual(schemaName, on: $0).renamed(
                from: schemaName, to: "howdah_squash", plain: "howdah_squash")
        }
        return Outcome(
            catalogue: catalogue, checksum: end.versionChecksum,
            lines: try await contents.lines(end, schemaName))
    }

    private func make(_ places: [String]) throws {
        try withConnection { connection in
            do {
                for place in places {
                    _ = try connection.query("CREATE SCHEMA \(SQLIdentifier.quoted(place))", cached: false)
                }
            } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
                throw MigrationError(
                    .missingGrant,
                    "The role may not create schemas in the scratch database. Use a role with CREATE on that database.",
                    databaseError: error)
            }
        }
    }

    private func drop(_ places: [String]) throws {
        try withConnection { connection in
            for place in places {
                _ = try connection.query(
                    "DROP SCHEMA IF EXISTS \(SQLIdentifier.quoted(place)) CASCADE", cached: false)
            }
        }
    }

    private func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        let connection = try connect()
        defer { connection.close() }
        return try body(connection)
    }
}
