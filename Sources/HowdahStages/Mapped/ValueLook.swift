import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

/// A check of the source objects of an entity mapping before their attributes are computed: whether all
/// values fit.
struct ValueLook: Sendable {
    /// The number of objects with misfits that a message names.
    private static let exampleCount = 3

    /// A possible fault of a property.
    struct Question: Sendable {
        let property: PropertyMapping
        let fault: ValueFault
    }

    let entry: MappingLayouts.Entry
    let questions: [Question]

    /// Returns the statement from the conditions of all questions and the keys of the rows concerned.
    static func sql(_ conditions: [String], _ key: String, _ rows: String) -> String {
        let columns = conditions.enumerated().map { "\($1) AS f\($0)" }
        let answers = conditions.indices.map { place in
            "pg_catalog.count(*) FILTER (WHERE s.f\(place)), pg_catalog.array_to_string("
                + "(pg_catalog.array_agg(s.k ORDER BY s.k) FILTER (WHERE s.f\(place)))[1:\(exampleCount)], ',')"
        }
        return "SELECT \(answers.joined(separator: ", ")) FROM "
            + "(SELECT \(([key + " AS k"] + columns).joined(separator: ", ")) FROM \(rows)) AS s"
    }

    /// - Throws: `MigrationError` with `mappingFailed`, naming each property and some of the objects.
    func check(_ answer: QueryResult) throws {
        guard answer.rowCount == 1 else { return }
        let row = answer.row(0)
        let messages = questions.enumerated().compactMap { place, question -> String? in
            let count = row[2 * place].int64
            guard count > 0, let expression = question.property.valueExpression else { return nil }
            let entity = entry.source?.name ?? ""
            let examples = row[2 * place + 1].string().split(separator: ",").map { "\(entity) \($0)" }
            let list = examples.joined(separator: ", ") + (count > examples.count ? ", …" : "")
            return question.fault.message(
                "\(entry.mapping.name).\(question.property.name)", expression,
                "\(count) \(count == 1 ? "object" : "objects") (\(list))")
        }
        guard !messages.isEmpty else { return }
        throw MigrationError(.mappingFailed, messages.joined(separator: "\n"))
    }
}
