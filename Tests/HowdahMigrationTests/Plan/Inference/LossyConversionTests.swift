import HowdahMigration
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Conversions that may lose values look at the rows: those that go on exactly are taken.
@Suite struct LossyConversionTests {
    struct Trial: CustomTestStringConvertible, Sendable {
        let old: AttributeType
        let new: AttributeType
        let fitting: [String]
        let losing: [String]

        var testDescription: String { "\(old) → \(new)" }
    }

    static let trials = [
        Trial(
            old: .integer64, new: .double,
            fitting: [
                "1152921504606846976", "-9223372036854775808", "9007199254740994", "9223372036854774784", "0",
            ],
            losing: [
                "9007199254740993", "9223372036854775807", "9223372036854774785", "-9223372036854775807",
            ]),
        Trial(
            old: .integer64, new: .float,
            fitting: ["1099511627776", "-9223372036854775808", "9223371487098961920", "-16777218"],
            losing: ["16777217", "9223372036854775807", "9223371487098961921", "-9223372036854775807"]),
        Trial(
            old: .integer32, new: .float, fitting: ["16777218", "-2147483648", "2147483520"],
            losing: ["16777217", "2147483647", "-2147483647"]),
        Trial(
            old: .decimal, new: .float, fitting: ["1.5", "0", "-0.25", "1234.5", "1.2345679"],
            losing: ["1.23456789", "1e39", "1e-60"]),
        Trial(
            old: .decimal, new: .integer64,
            fitting: ["1152921504606846976", "9223372036854775807", "-9223372036854775808", "-0.0"],
            losing: ["9223372036854775808", "-9223372036854775809", "0.5", "'NaN'"]),
        Trial(
            old: .double, new: .integer64,
            fitting: ["1152921504606846976", "9223372036854774784", "-9223372036854775808"],
            losing: ["9223372036854775808", "-9223372036854777856", "0.5", "'NaN'", "'Infinity'"]),
        Trial(
            old: .float, new: .integer64, fitting: ["1152921504606846976", "9223371487098961920"],
            losing: ["9223372036854775808", "1.5"]),
        Trial(
            old: .decimal, new: .double,
            fitting: ["9007199254740992", "0.30000000000000004", "0.1", "-123456.789"],
            losing: ["9007199254740993", "0.300000000000000041", "1e301"]),
        Trial(old: .decimal, new: .boolean, fitting: ["0", "1"], losing: ["0.5", "2", "-1"]),
        Trial(old: .double, new: .boolean, fitting: ["0", "1"], losing: ["0.5", "'NaN'", "'Infinity'"]),
        Trial(old: .float, new: .boolean, fitting: ["0", "1"], losing: ["0.5", "2"]),
    ]

    @Test(arguments: trials) func rowsDecide(_ trial: Trial) async throws {
        let models = try [trial.old, trial.new].map {
            try ManagedObjectModel(entities: [entity("A", [.attribute("x", $0)])])
        }
        for (value, fits) in trial.fitting.map({ ($0, true) }) + trial.losing.map({ ($0, false) }) {
            try await withTemporaryDatabase(for: models[0]) { database in
                let connection = try Connection(ConnectionConfiguration(database.url))
                defer { connection.close() }
                _ = try connection.query("INSERT INTO a (_id, _version, x) VALUES (1, 1, \(value))")
                let former = try text(connection)
                do {
                    _ = try StoreMigration(connection, to: models[1]).apply()
                    #expect(fits, "\(value)")
                    // A Float has no digits of a number in its text but those that it needs.
                    let isShort = [trial.old, trial.new].contains(.float)
                    let short = isShort ? " OR CAST(x AS real) = CAST(\(former) AS real)" : ""
                    // The server says that the numbers are equal, however they are written.
                    if trial.new != .boolean {
                        let isEqual = try connection.query(
                            "SELECT FROM a WHERE CAST(x AS numeric(60, 20)) = CAST(\(former) AS numeric(60, 20)) "
                                + "OR x = CAST(\(former) AS double precision)\(short)")
                        #expect(isEqual.rowCount == 1, "\(value)")
                    }
                } catch let error as MigrationError {
                    #expect(!fits && error.code == .unfitData, "\(value): \(error)")
                    #expect(!error.message.contains(value), "\(error)")
                    #expect(try text(connection) == former)
                }
            }
        }
    }

    private func text(_ connection: Connection) throws -> String {
        var found = ""
        try connection.query("SELECT CAST(x AS text) FROM a").forEachRow { found = $0[0].string() }
        return found
    }
}
