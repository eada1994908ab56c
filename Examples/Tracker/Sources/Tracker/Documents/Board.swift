import Crypto
import Foundation
import Howdah

/// A board at one moment, ready to be sent.
struct Board: Sendable {
    struct Part: Sendable {
        let json: String
        let digest: String
    }

    /// The columns, in their order.
    let columns: [Part]

    init(columns: [Part]) { self.columns = columns }

    init(of project: ObjectID<Project>, in context: ManagedObjectContext) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        columns = try context.fetch(Self.request(project)).map { column in
            let json = try encoder.encode(ColumnDocument(column))
            return Part(
                json: String(decoding: json, as: UTF8.self),
                digest: SHA256.hash(data: json).prefix(8).map { String($0, radix: 16) }.joined(separator: "-")
            )
        }
    }

    /// The columns with their issues. A live result of it follows the issues too.
    static func request(_ project: ObjectID<Project>) -> FetchRequest<Column> {
        var request = FetchRequest<Column>(where: #Predicate { $0.project?.objectID == project })
        request.sortDescriptors = [.ascending(\.position)]
        request.relationshipKeyPathsForPrefetching = ["issues", "issues.assignee"]
        return request
    }
}
