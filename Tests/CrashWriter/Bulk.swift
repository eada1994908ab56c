import Foundation
import Howdah

/// Many rows in a process of their own, whose memory is nobody else's; prints how many kilobytes it ever had.
struct Bulk {
    let url: String
    /// `dictionaries`, `objects` and `upserts` insert, `stream` and `batches` read.
    let kind: String
    let rows: Int

    func run() async throws {
        let container = try await PersistentContainer.open(url, model: .init(Line.self))
        let count =
            switch kind {
            case "stream": try await container.perform { try read($0) }
            case "batches": try await readValues(container)
            default: try await container.perform { try insert($0) }
            }
        await container.close()
        print(count, Self.mostKilobytes)
    }

    private func insert(_ context: ManagedObjectContext) throws -> Int {
        var number = 0
        if kind == "objects" {
            let request = BatchInsertRequest(Line.self) { (line: Line) in
                guard number < rows else { return true }
                line.number = number
                line.text = String(repeating: "n", count: 40) + "\(number)"
                number += 1
                return false
            }
            return try context.execute(request).count
        }
        let isUpsert = kind == "upserts"
        let request = BatchInsertRequest(
            Line.self, uniqueness: isUpsert ? .mergeByPropertyObjectTrump : .error
        ) { row in
            guard number < rows else { return true }
            row["number"] = isUpsert ? number % 5_000 : number
            row["text"] = String(repeating: "n", count: 40) + "\(number)"
            number += 1
            return false
        }
        let result = try context.execute(request)
        return isUpsert ? result.insertedCount + result.updatedCount : result.count
    }

    private func read(_ context: ManagedObjectContext) throws -> Int {
        var count = 0
        try context.forEachBatch(of: FetchRequest<Line>(), size: 1_000) { lines in
            count += lines.filter { !$0.text.isEmpty }.count
        }
        return count
    }

    private func readValues(_ container: PersistentContainer) async throws -> Int {
        var count = 0
        for try await texts in container.batches(of: FetchRequest<Line>(), size: 1_000, { $0.text }) {
            count += texts.count
        }
        return count
    }

    private static var mostKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } } ?? 0
    }
}
