import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport

/// A store of letters, with a way to act on its database behind its back.
struct LetterStore: Sendable {
    let container: PersistentContainer
    let url: String

    nonisolated(nonsending)
        static func with<T>(_ body: (LetterStore) async throws -> T) async throws -> T
    {
        let model = try DeclaredLetters.model()
        return try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            do {
                let result = try await body(LetterStore(container: container, url: database.url))
                await container.close(drainingFor: .seconds(5))
                return result
            } catch {
                await container.close(drainingFor: .seconds(5))
                throw error
            }
        }
    }

    /// Runs one statement in a session of its own, and returns the first column as text.
    @discardableResult
    func execute(_ sql: String) throws -> [String?] {
        let session = try Connection(ConnectionConfiguration(TestPooler.direct(url)))
        defer { session.close() }
        let result = try session.query(sql)
        return (0..<result.rowCount).map {
            let cell = result.row($0)[0]
            return cell.isNull ? nil : cell.string()
        }
    }
}
