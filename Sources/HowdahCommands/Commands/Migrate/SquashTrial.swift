import Foundation
import HowdahJSON
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import PQClient
import Synchronization

/// Takes two equal stores two ways and looks for differences.
struct SquashTrial {
    let file: PlanFile
    /// The scratch database.
    let url: String
    let seed: UInt64
    let count: Int

    private static let named = 10

    /// What differs in the end, in words; empty where nothing does.
    ///
    /// - Throws: what either way fails with.
    func differences(between one: [PlanFile.Stage], and other: [PlanFile.Stage]) async throws -> [String] {
        let mark = String(UInt32.random(in: .min ... .max), radix: 36)
        let places = ["howdah_squash_a_\(mark)", "howdah_squash_b_\(mark)"]
        do {
            let first = try await outcome(of: one, in: places[0], as: "the listed stages")
            let second = try await outcome(of: other, in: places[1], as: "the new stage")
            try drop(places)
            return differences(first, second)
        } catch {
            // The error that led here is the one to report.
            try? drop(places)
            throw error
        }
    }

    /// What an export writes.
    private final class Text: Sendable {
        private let data = Mutex(Data())

        var all: String { String(decoding: data.withLock { $0 }, as: UTF8.self) }

        func append(_ more: Data) { data.withLock { $0.append(more) } }
    }

    private struct Outcome {
        let catalogue: StoreCatalogue
        let checksum: String
        let lines: [String]
    }

    private func differences(_ one: Outcome, _ other: Outcome) -> [String] {
        var result: [String] = []
        if one.checksum != other.checksum { result.append("the checksum differs") }
        result += other.catalogue.differences(from: one.catalogue).map { "catalogue: \($0)" }
        let (lost, added) = (
            Self.surplus(one.lines, over: other.lines), Self.surplus(other.lines, over: one.lines)
        )
        if one.lines.count != other.lines.count {
            result.append(
                "data: \(one.lines.count) objects with the listed stages, \(other.lines.count) with the new one"
            )
        }
        result += lost.prefix(Self.named).map { "data: only with the listed stages: \($0)" }
        result += added.prefix(Self.named).map { "data: only with the new stage: \($0)" }
        return result
    }

    /// What is in `lines` more often than in `others`.
    private static func surplus(_ lines: [String], over others: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for line in others { counts[line, default: 0] += 1 }
        return lines.filter { line in
            counts[line, default: 0] -= 1
            return counts[line, default: 0] < 0
        }
    }

    private func outcome(
        of stages: [PlanFile.Stage], in schemaName: String, as name: String
    ) async throws -> Outcome {
        let path = try MigrationPath(stages.map { try file.segment($0, schemaName) })
        guard let start = path.versions.first?.model, let end = path.versions.last?.model else {
            throw CommandError(
                "The listed stages have no versions. Add \"from\" and \"to\" to each of these stages in the "
                    + "plan.")
        }
        try await fill(start, in: schemaName)
        do {
            try migrate(path, to: end, in: schemaName)
        } catch let error as MigrationError {
            let place = "\(error)".hasSuffix(".") ? "" : "."
            throw CommandError(
                FailureReport.Failure(error, message: "With \(name): \(error.message)"),
                text:
                    "The trial with \(name) failed: \(error)\(place)\nThe plan is unchanged. The trial used generated objects "
                    + "(--count \(count), --seed \(seed)), which may lack values that a stage needs. "
                    + "Use another --seed or --count, or keep the stages.")
        }
        return Outcome(
            catalogue: try catalogue(of: schemaName), checksum: end.versionChecksum,
            lines: try await lines(end, in: schemaName))
    }

    private func fill(_ model: ManagedObjectModel, in schemaName: String) async throws {
        let container = try await NewStore(url, model, schemaName: schemaName).open()
        do {
            _ = try await SampleData(model: model, seed: seed, countPerEntity: count).insert(into: container)
            await container.close()
        } catch {
            await container.close()
            throw error
        }
    }

    private func lines(_ model: ManagedObjectModel, in schemaName: String) async throws -> [String] {
        let container = try await NewStore(url, model, schemaName: schemaName).open()
        let text = Text()
        do {
            _ = try await container.exportGraph(GraphExport()) { text.append($0) }
            await container.close()
        } catch {
            await container.close()
            throw error
        }
        return text.all.split(separator: "\n").map(String.init)
    }

    private func migrate(_ path: MigrationPath, to end: ManagedObjectModel, in schemaName: String) throws {
        let connection = try StoreAddress.connect(to: url, as: "howdah migrate")
        defer { connection.close() }
        try StoreMigration(connection, path, to: end, schemaName: schemaName).apply()
    }

    /// With the schema's name taken out, which is another one each time.
    private func catalogue(of schemaName: String) throws -> StoreCatalogue {
        let connection = try StoreAddress.connect(to: url, as: "howdah migrate")
        defer { connection.close() }
        return try StoreCatalogue.actual(schemaName, on: connection).renamed(
            from: schemaName, to: "howdah_squash")
    }

    private func drop(_ places: [String]) throws {
        let connection = try StoreAddress.connect(to: url, as: "howdah migrate")
        defer { connection.close() }
        for place in places {
            _ = try connection.query(
                "DROP SCHEMA IF EXISTS \(SQLIdentifier.quoted(place)) CASCADE", cached: false)
        }
    }
}
