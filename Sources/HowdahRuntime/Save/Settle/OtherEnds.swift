import HowdahModel
import PQClient

/// Finds the rows at the other ends of deleted rows, whose relationships change with the deletion.
///
/// A save does not write these rows, so only the history needs them. The deleted rows are locked: no other session
/// can refer to them until the end of the transaction.
struct OtherEnds {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    /// A query for rows of an entity that lose a member or a destination in a slot.
    private struct Question {
        let layout: EntityLayout
        let slot: Int
        let statement: SaveStatement
    }

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// Returns the keys of the rows by entity and relationship, in one round trip.
    ///
    /// - Parameters:
    ///   - rows: The deleted rows, by root entity and key.
    ///   - read: Objects whose versions are compared, so that their own to-ones are as read.
    func find(
        of rows: [Int: [Int64: SettledChanges.DeletedRow]], asRead read: [ManagedObject]
    ) throws -> [SettledChanges.Nullification: [Int64]] {
        let known = Set(read.filter { !$0.isFault }.map(ObjectIdentifier.init))
        var (keys, unread): ([Int: [Int64]], [Int: [Int64]]) = ([:], [:])
        for (key, row) in rows.values.joined() {
            keys[row.entity, default: []].append(key)
            let isKnown = row.object.map { known.contains(ObjectIdentifier($0)) } ?? false
            if !isKnown { unread[row.entity, default: []].append(key) }
        }
        let questions = keys.sorted { $0.key < $1.key }.flatMap { entity, keys in
            self.questions(context.layouts[entity], keys.sorted(), unread: (unread[entity] ?? []).sorted())
        }
        if questions.isEmpty { return [:] }
        var ends: [SettledChanges.Nullification: [Int64]] = [:]
        for (question, result) in zip(questions, try transaction.run(questions.map(\.statement))) {
            let layout = question.layout
            result.forEachRow { row in
                let entity =
                    layout.discriminator == nil
                    ? nil : layout.directory.index(ofStoredName: row[1].string())
                ends[.init(entity: entity ?? layout.index, slot: question.slot), default: []]
                    .append(row[0].int64)
            }
        }
        return ends
    }

    private func questions(_ layout: EntityLayout, _ keys: [Int64], unread: [Int64]) -> [Question] {
        var questions = layout.relationshipSlots.map(layout.relationship).compactMap { end -> Question? in
            guard let inverse = end.inverse else { return nil }
            let destination = context.layouts[end.destination]
            return switch end.storage {
            case .foreignKey(let columns):
                question(
                    destination, inverse, columns.table.name, columns.table.key.name, columns.column, unread)
            case .join(let columns):
                question(
                    destination, inverse, columns.table, columns.ownColumn, columns.otherColumn, keys)
            case .inverse, .memory: nil
            }
        }
        questions += context.store.layouts.oneWayLinks(to: layout).compactMap { link in
            question(
                context.layouts[link.entity], link.slot, link.columns.table, link.columns.otherColumn,
                link.columns.ownColumn, keys)
        }
        return questions
    }

    /// Returns the query for the rows to which others refer; nil for no others.
    private func question(
        _ layout: EntityLayout, _ slot: Int, _ source: String, _ column: String, _ reference: String,
        _ keys: [Int64]
    ) -> Question? {
        if keys.isEmpty { return nil }
        var parameters = Parameters()
        parameters.append(keys)
        let key = layout.table.key("t")
        let entity = layout.discriminator.map { ", t.\($0)" } ?? ""
        return Question(
            layout: layout, slot: slot,
            statement: SaveStatement(
                "SELECT \(key)\(entity) FROM \(layout.table) t WHERE \(key) IN "
                    + "(SELECT o.\(reference) FROM \(source) o WHERE o.\(column) = ANY($1))", parameters,
                about: .init(.select, layout.table.subject)))
    }
}
