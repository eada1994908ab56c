import Foundation
import HowdahModel
import PQClient

/// A filter with stored names, as parameters of a condition whose text is always the same.
struct HistoryConditions: Sendable {
    /// The number of parameters.
    static let count = 13

    private var entities: [String]?
    private var kinds: [Int16]?
    private var properties: [String]?
    private var ids: Set<ObjectID<ManagedObject>>?
    private var origins: [Int16]?
    private var author: HistoryTextMatch?
    private var context: HistoryTextMatch?
    private var process: HistoryTextMatch?
    /// The time after which the rows were stored.
    var after: Date?

    private let hasFilter: Bool
    /// A Boolean value that indicates whether nothing is left out.
    var isEmpty: Bool { !hasFilter && after == nil }

    /// Resolves the names of a filter in a model.
    ///
    /// - Throws: `FetchError` with `unknownEntity`, `invalidRequest` for an unknown property, or `foreignID`
    ///   for an object of another store.
    ///   `HistoryError` with `noHistory` if the container only reads, and the store lacked tables when it was opened.
    init(_ filter: HistoryFilter?, in store: Store) throws {
        if store.history == nil, store.settings.isReadOnly { throw HistoryError.missing }
        hasFilter = filter != nil
        guard let filter else { return }
        author = filter.author
        context = filter.contextName
        process = filter.processID
        kinds = filter.changeTypes.map { $0.map(\.rawValue).sorted() }
        origins = filter.origins.map { $0.map(\.rawValue).sorted() }
        var layouts: [EntityLayout]?
        if filter.entityNames != nil || filter.classes != nil {
            var found = try (filter.entityNames ?? []).map { try store.layouts.required($0) }
            for type in filter.classes ?? [] {
                guard let layout = store.layout(of: type) else {
                    throw FetchError(
                        .unknownEntity,
                        "The model has no entity with the class \(type). Name a class of the model.")
                }
                found.append(layout)
            }
            layouts = found.flatMap { $0.family.map { store.layouts.entities[$0] } }
            entities = Set(found.flatMap(\.concreteStoredNames)).sorted()
        }
        if let names = filter.updatedProperties {
            let candidates = layouts ?? store.layouts.entities
            properties = try Self.stored(names, in: candidates)
            // Insertions and deletions name no properties. Those of entities without the properties do not match.
            let concerned = candidates.filter { layout in
                names.contains { layout.slotsByName[$0] != nil }
            }
            let having = Set(concerned.flatMap(\.concreteStoredNames))
            entities = (entities.map { having.intersection($0) } ?? having).sorted()
        }
        if let objects = filter.objectIDs {
            for id in objects where id.storeIdentifier != store.identifier || id.isTemporaryID {
                throw FetchError(
                    .foreignID,
                    "An object of the history's filter is of another store, or was never saved. Pass ids of saved "
                        + "objects of this store.", objectURI: id.uriRepresentation.absoluteString)
            }
            ids = Set(objects)
        }
    }

    private static func stored(_ names: Set<String>, in layouts: [EntityLayout]) throws -> [String] {
        var stored: Set<String> = []
        for name in names {
            let found = layouts.compactMap { layout in
                layout.slotsByName[name].map { layout.slots[$0].renamingIdentifier ?? name }
            }
            if found.isEmpty {
                throw FetchError(
                    .invalidRequest,
                    "None of the entities of the history's filter has a property '\(name)'. Correct the name."
                )
            }
            stored.formUnion(found)
        }
        return stored.sorted()
    }

    /// Returns the condition with its parameters from `$first` on.
    static func condition(from first: Int) -> String {
        let p = (0..<count).map { "$\(first + $0)" }
        func text(_ column: String, _ any: String, _ none: String) -> String {
            "(\(any)::pg_catalog.text[] IS NULL OR \"\(column)\" = ANY (\(any))) AND "
                + "(\(none)::pg_catalog.text[] IS NULL OR \"\(column)\" IS NULL OR \"\(column)\" <> ALL (\(none)))"
        }
        return [
            "(\(p[0])::pg_catalog.text[] IS NULL OR \"entity\" = '' OR \"entity\" = ANY (\(p[0])))",
            "(\(p[1])::pg_catalog.int2[] IS NULL OR \"entity\" = '' OR \"kind\" = ANY (\(p[1])))",
            "(\(p[2])::pg_catalog.text[] IS NULL OR \"entity\" = '' OR \"properties\" IS NULL OR \"properties\" && \(p[2]))",
            "(\(p[3])::pg_catalog.int8[] IS NULL OR \"entity\" = '' OR \"ids\" && \(p[3]) OR \"ids\" = '{}')",
            "(\(p[4])::pg_catalog.int2[] IS NULL OR \"origin\" = ANY (\(p[4])))",
            text("author", p[5], p[6]), text("context", p[7], p[8]), text("process", p[9], p[10]),
            "(\(p[11])::timestamp with time zone IS NULL OR \"stored_at\" > \(p[11]))",
            "(\(p[12])::pg_catalog.text[] IS NULL OR \"entity\" = '' OR \"entity\" = ANY (\(p[12])))",
        ].joined(separator: " AND ")
    }

    /// Appends the parameters of the condition.
    func append(to parameters: inout Parameters) throws {
        try Self.append(entities, to: &parameters)
        Self.append(kinds, to: &parameters)
        try Self.append(properties, to: &parameters)
        if let ids {
            parameters.append(Set(ids.map(\.key)).sorted())
        } else {
            parameters.appendNull(Self.array(of: .int8))
        }
        Self.append(origins, to: &parameters)
        for match in [author, context, process] {
            try Self.append(match.flatMap { $0.isNegated ? nil : $0.texts }, to: &parameters)
            try Self.append(match.flatMap { $0.isNegated ? $0.texts : nil }, to: &parameters)
        }
        if let after {
            try parameters.append(.timestamptz) { try $0.date(after) }
        } else {
            parameters.appendNull(.timestamptz)
        }
        try Self.append(ids.map { Set($0.map(\.entityName)).sorted() }, to: &parameters)
    }

    /// Returns a Boolean value that indicates whether the change of an object is requested, in a row that
    /// matches.
    func includes(_ id: ObjectID<ManagedObject>) -> Bool { ids.map { $0.contains(id) } ?? true }

    private static func append(_ texts: [String]?, to parameters: inout Parameters) throws {
        guard let texts else { return parameters.appendNull(array(of: .text)) }
        try parameters.appendArray(of: .text, count: texts.count) { cells in
            for text in texts { try cells.string(text) }
        }
    }

    private static func append(_ numbers: [Int16]?, to parameters: inout Parameters) {
        guard let numbers else { return parameters.appendNull(array(of: .int2)) }
        parameters.appendArray(of: .int2, count: numbers.count) { cells in
            for number in numbers { cells.int16(number) }
        }
    }

    private static func array(of element: OID) -> OID { element.array ?? element }
}
