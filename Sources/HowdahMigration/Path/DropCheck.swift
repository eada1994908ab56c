internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// Queries a store for the values that a migration would drop, before it locks anything.
///
/// An unknown answer counts as held: if the query takes longer than ``patience``, if handlers or a mapping write the
/// values in an earlier stage, or if the server refuses the query.
struct DropCheck {
    /// The timeout of one query.
    static let patience = Duration.seconds(2)
    /// The timeout of all queries together; the answers after it are unknown.
    private static let budget = Duration.seconds(6)

    private let connection: Connection
    private let stored: ManagedObjectModel
    private let schema: StoreSchema
    /// From the stored model to the version at hand; nil if more than inference lies between.
    private var pairings: [ModelPairing]? = []
    private let end = ContinuousClock.now.advanced(by: budget)

    /// - Throws: `MigrationError` with `invalidModel`.
    init(
        _ connection: Connection, _ stored: ManagedObjectModel, in schemaName: String
    ) throws(MigrationError) {
        self.connection = connection
        self.stored = stored
        do {
            schema = try StoreSchema(stored, schemaName: schemaName)
        } catch {
            throw MigrationError(.invalidModel, error.description)
        }
    }

    /// Indicates that the migration goes on from the next version.
    ///
    /// - Parameter pairing: nil if more than inference leads there.
    mutating func pass(_ pairing: ModelPairing?) {
        if let pairing { pairings?.append(pairing) } else { pairings = nil }
    }

    /// The answer of the store about a loss.
    enum Answer: Equatable {
        case held, empty
        /// The reason why the store cannot answer.
        case unknown(String)
        /// The reason why it did not answer this time.
        case unanswered(String)
    }

    /// Asks whether the store holds values of a loss of the version at hand.
    ///
    /// Three round trips.
    /// - Throws: `MigrationError` if it was cancelled, or the connection is lost.
    func ask(_ loss: ModelLoss) throws(MigrationError) -> Answer {
        let lost = loss.paths.isEmpty ? "objects" : "values"
        guard let pairings else {
            return .unknown(
                "An earlier stage may add \(lost), which a query before the migration cannot find. Howdah assumes that they exist. Confirm the drop only if you do not need them."
            )
        }
        let places = loss.places.flatMap { origins(of: $0.path, in: $0.entity, pairings[...]) }
        if places.isEmpty { return .empty }
        // Values that are stored in a way that is not known here may be there.
        guard let question = schema.question(for: places) else {
            return .unknown(
                "Howdah cannot query the store for these \(lost), and assumes that they exist. Confirm the drop only if you do not need them."
            )
        }
        do {
            return try answer(question, lost)
        } catch {
            throw MigrationError(
                .database, "The database operation failed. \(PostgresError.remedy)",
                databaseError: error as? PostgresError)
        }
    }

    private func answer(_ question: String, _ lost: String) throws -> Answer {
        let start = ContinuousClock.now
        let time = min(Self.patience, start.duration(to: end))
        if time <= .milliseconds(1) {
            return .unanswered(
                "Howdah ran out of time for the query that finds these \(lost), and assumes that they exist. Confirm the drop only if you do not need them."
            )
        }
        do {
            try connection.begin()
            try connection.executeScript(
                MigrationPlan.stepSettings
                    + "; SET LOCAL statement_timeout = \(SQLLiteral.integer(time.settingInMilliseconds))"
            )
            let found = try connection.query(question, cached: false).map { $0[0].isTrue }.first ?? true
            try connection.rollback()
            return found ? .held : .empty
        } catch let error as PostgresError
            where error.code == .server
            || error.sqlState == "57014" && start.duration(to: .now) >= time - .milliseconds(50)
        {
            try connection.rollback()
            let reason =
                error.code == .server
                ? "failed (\(error.sqlState ?? ""))" : "took too long"
            return .unanswered(
                "The query that finds these \(lost) \(reason), and Howdah assumes that they exist. Confirm the drop only if you do not need them."
            )
        } catch {
            try? connection.rollback()
            throw error
        }
    }

    /// The places of the values in the stored model; empty if it had none. A link may have been stored with its inverse.
    private func origins(
        of path: [String], in entity: String, _ pairings: ArraySlice<ModelPairing>
    ) -> [(entity: String, path: [String])] {
        guard let pairing = pairings.last else { return [(entity, path)] }
        let earlier = pairings.dropLast()
        let source = pairing.source(ofEntity: entity)
        guard let name = path.first, let property = pairing.new.property(named: name, of: entity) else {
            return source.map { origins(of: path, in: $0, earlier) } ?? []
        }
        guard let relationship = property.relationship else {
            guard let source, let before = pairing.leafSource(of: path, in: entity)?.path else { return [] }
            return origins(of: before, in: source, earlier)
        }
        if let source, let before = pairing.source(of: name, in: entity) {
            return origins(of: [before.name], in: source, earlier)
        }
        guard let inverse = relationship.inverse else { return [] }
        return pairing.new.descendants(of: relationship.destination).flatMap { end in
            guard let source = pairing.source(ofEntity: end.name), pairing.old[source]?.isAbstract == false,
                let before = pairing.source(of: inverse, in: end.name)
            else { return [(entity: String, path: [String])]() }
            return origins(of: [before.name], in: source, earlier)
        }
    }

    /// Indicates whether values of the version at hand are those that programs have written, and none that stages have filled in.
    func isAsWritten(_ loss: ModelLoss) -> Bool {
        guard let pairings else { return false }
        return loss.places.allSatisfy { place in
            var (entity, path) = (place.entity, place.path)
            for pairing in pairings.reversed() {
                guard let source = pairing.source(ofEntity: entity) else { return false }
                if let name = path.first {
                    let attribute = pairing.new.property(named: name, of: entity)?.attribute
                    if let attribute, path.count > 1 || !attribute.isOptional || attribute.defaultValue != nil
                    {
                        return false
                    }
                    guard let before = pairing.source(of: name, in: entity) else { return false }
                    path = attribute == nil || path.count == 1 ? [before.name] : path
                }
                entity = source
            }
            return true
        }
    }
}

extension ModelLoss {
    /// Each entity with each path.
    fileprivate var places: [(entity: String, path: [String])] {
        members.flatMap { member in (paths.isEmpty ? [[]] : paths).map { (member, $0) } }
    }

    /// The statement that tells whether a store of the model holds the values; nil if none can.
    func question(in schema: StoreSchema) -> String? { schema.question(for: places) }
}

extension StoreSchema {
    fileprivate func question(for places: [(entity: String, path: [String])]) -> String? {
        let conditions = places.compactMap { presence(of: $0.path, in: $0.entity) }
        return conditions.count == places.count ? "SELECT " + conditions.joined(separator: " OR ") : nil
    }

    /// A condition that holds if there are values of a property, or objects; nil if it cannot be told.
    ///
    /// - Parameter path: empty for objects of the entity.
    fileprivate func presence(of path: [String], in entity: String) -> String? {
        guard let storage = entities[entity] else { return nil }
        var condition: String? = "TRUE"
        var table = storage.table
        var hasOwnRows = true
        /// The column with the keys of the entity's objects, if the values are in rows of others.
        var ownColumn: String?
        if let name = path.first {
            switch storage.property(named: name)?.mapping {
            case .attribute(let mapping):
                condition = mapping.columns.first { $0.path == path }.map(\.name)
                    .map { "r.\(SQLIdentifier.quoted($0)) IS NOT NULL" }
            case .toOne(let mapping): condition = "r.\(SQLIdentifier.quoted(mapping.column)) IS NOT NULL"
            case .inverse(let mapping):
                (table, hasOwnRows, ownColumn) = (mapping.table, false, mapping.column)
                condition = "r.\(SQLIdentifier.quoted(mapping.column)) IS NOT NULL"
            case .join(let mapping):
                (table, hasOwnRows, ownColumn) = (mapping.joinTable, false, mapping.ownColumn)
            case .transient, nil: condition = nil
            }
        }
        guard var condition else { return nil }
        if hasOwnRows, let discriminator = storage.discriminator {
            condition +=
                " AND r.\(SQLIdentifier.quoted(discriminator)) = \(SQLLiteral.string(storage.storedName))"
        }
        if let ownColumn, let discriminator = storage.discriminator {
            condition +=
                " AND EXISTS (SELECT FROM \(SQLIdentifier.quoted(schemaName, storage.table)) AS o "
                + "WHERE o.\(SQLIdentifier.quoted(storage.keyColumn)) = r.\(SQLIdentifier.quoted(ownColumn)) "
                + "AND o.\(SQLIdentifier.quoted(discriminator)) = \(SQLLiteral.string(storage.storedName)))"
        }
        return "EXISTS (SELECT FROM \(SQLIdentifier.quoted(schemaName, table)) AS r WHERE \(condition))"
    }
}
