import Foundation
import HowdahModel
import HowdahRuntime
import PQClient

/// Writes the lines of an export, batch by batch.
struct LineExport {
    private static let batch = 500
    private static let keysAtOnce = 10_000

    private let context: ManagedObjectContext
    private let references: GraphReferences
    private let export: GraphExport
    private let only: EntityLayout?
    private let plan: GraphExportPlan
    private let write: (Data) throws -> Void
    /// The ids of objects that have names, ascending; the position is the number.
    private var named: [Int: [Int64]] = [:]
    private var summary = GraphExport.Summary()

    init(
        _ context: ManagedObjectContext, _ export: GraphExport, _ write: @escaping (Data) throws -> Void
    ) throws {
        self.context = context
        self.export = export
        self.write = write
        references = GraphReferences(context)
        only = try export.entityName.map {
            try context.layout(for: FetchRequest<ManagedObject>(entityName: $0))
        }
        if let error = export.predicate?.error { throw error }
        guard only != nil || export.predicate == nil && export.keyPaths.isEmpty else {
            throw FetchError(
                .invalidRequest,
                "A predicate and key paths need an entity. Name the entity, or leave out the predicate and "
                    + "the key paths.")
        }
        plan = GraphExportPlan(context.store.layouts, only: only)
    }

    mutating func run() throws -> GraphExport.Summary {
        if let only, !export.keyPaths.isEmpty {
            try exportGraph(of: only)
            return summary
        }
        summary.omitted = plan.omitted.map { "\($0.layout.name).\($0.layout.slots[$0.slot].name)" }
        for entity in plan.entities where entity.hasNames {
            named[entity.layout.index] = try keys(of: entity.layout)
        }
        for entity in plan.entities {
            let keys = try named[entity.layout.index] ?? keys(of: entity.layout)
            for start in stride(from: 0, to: keys.count, by: Self.batch) {
                try write(keys[start..<min(start + Self.batch, keys.count)], entity, first: start)
                context.reset()
            }
            summary.counts.append(.init(entityName: entity.layout.name, lines: keys.count))
        }
        return summary
    }

    /// Returns the ids of an entity's own objects in the order of their lines.
    private func keys(of layout: EntityLayout) throws -> [Int64] {
        let fetch = try RenderedFetch(request(layout), layout: layout, layouts: context.layouts)
        let sql =
            "SELECT \(fetch.scope.key)\(fetch.scope.from)\(fetch.condition) ORDER BY "
            + fetch.order.joined(separator: ", ")
        let subject = StatementSubject(.select, layout.table.subject)
        return try context.withConnection { connection in
            // A result is in memory as a whole, beside the keys that are read from it: many of them come by a cursor.
            let few = try connection.query(
                "\(sql) LIMIT \(Self.keysAtOnce)", fetch.parameters, about: subject)
            if few.rowCount < Self.keysAtOnce { return few.map { $0[0].int64 } }
            let cursor = SQLIdentifier.quoted("_howdah_keys_\(layout.index)")
            var batch = Batch()
            batch.add(
                "DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)", fetch.parameters, cached: false,
                about: subject.with(.declare))
            batch.add("FETCH FORWARD \(Self.keysAtOnce) FROM \(cursor)", cached: false, about: subject)
            var rows = try connection.run(batch)[1]
            var keys: [Int64] = []
            while true {
                rows.forEachRow { keys.append($0[0].int64) }
                if rows.rowCount < Self.keysAtOnce { break }
                rows = try connection.query(
                    "FETCH FORWARD \(Self.keysAtOnce) FROM \(cursor)", cached: false, about: subject)
            }
            _ = try connection.query("CLOSE \(cursor)", cached: false, about: subject.with(.close))
            return keys
        }
    }

    private func request(_ layout: EntityLayout) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: layout.name)
        request.includesSubentities = false
        request.predicate = export.predicate
        request.sortDescriptors = references.keys.paths(of: layout, in: context.layouts).map { .key($0) }
        return request
    }

    // MARK: Lines

    private func write(
        _ keys: ArraySlice<Int64>, _ entity: GraphExportPlan.Entity, first: Int
    ) throws {
        let layout = entity.layout
        let objects = keys.map { context.object(entity: layout.index, key: $0) }
        try context.load(objects)
        var referred: [ObjectIdentifier: ManagedObject] = [:]
        func note(_ object: ManagedObject) {
            if references.keys[object.layout] != nil { referred[ObjectIdentifier(object)] = object }
        }
        for relationship in entity.slots.compactMap({ layout.slots[$0].relationship }) {
            if relationship.isToMany {
                try loadMembers(of: objects[...], relationship)
                for object in objects { object.membersOf(relationship.slot).forEach(note) }
            } else {
                for object in objects { object.destination(relationship.slot).map(note) }
            }
        }
        try references.load(referred.values)
        try context.throwFailure()
        var writer = GraphJSONWriter()
        for (position, object) in objects.enumerated() {
            let id = entity.hasNames ? "\(layout.name)/\(first + position + 1)" : nil
            try writeLine(object, id, entity, &writer)
        }
        try write(Data(writer.take()))
    }

    /// Loads the members of owners. If they are too many for one statement, it takes fewer owners at once.
    private func loadMembers(
        of owners: ArraySlice<ManagedObject>, _ relationship: RelationshipLayout
    ) throws {
        do {
            try context.loadMembers(of: Array(owners), relationship)
        } catch let error as FetchError where error.code == .tooManyRows && owners.count > 1 {
            let middle = owners.startIndex + owners.count / 2
            try loadMembers(of: owners[..<middle], relationship)
            try loadMembers(of: owners[middle...], relationship)
        }
    }

    private func writeLine(
        _ object: ManagedObject, _ id: String?, _ entity: GraphExportPlan.Entity,
        _ writer: inout GraphJSONWriter
    ) throws {
        try writer.object { writer in
            writer.name("@entity")
            writer.string(entity.layout.name)
            if let id {
                writer.name("@id")
                writer.string(id)
            }
            for slot in entity.slots {
                writer.name(entity.layout.slots[slot].name)
                switch entity.layout.slots[slot].kind {
                case .attribute(let attribute):
                    try writer.value(object._value(at: slot), of: attribute.description)
                case .toOne(let relationship):
                    let destination = context.layouts[relationship.destination]
                    if let other = object.destination(slot), isNameable(other) {
                        try references.write(other, as: name(of: other), to: destination, &writer)
                    } else {
                        writer.word("null")
                    }
                case .toMany(let relationship):
                    let destination = context.layouts[relationship.destination]
                    let members = object.membersOf(slot)
                    try writer.array { writer in
                        for member in relationship.isOrdered ? members : references.sorted(members)
                        where isNameable(member) {
                            try references.write(member, as: name(of: member), to: destination, &writer)
                        }
                    }
                }
            }
        }
        writer.newline()
    }

    /// Returns false if a foreign key without a constraint refers to a deleted row.
    private func isNameable(_ object: ManagedObject) -> Bool {
        references.keys[object.layout] == nil ? name(of: object) != nil : !object.isFault
    }

    private func name(of object: ManagedObject) -> String? {
        guard let keys = named[object.layout.index] else { return nil }
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < object.key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == object.key ? "\(object.layout.name)/\(low + 1)" : nil
    }

    // MARK: Key paths

    /// Exports all objects at once, so that an object at several places is written once.
    private mutating func exportGraph(of layout: EntityLayout) throws {
        let tree = try GraphTree(export.keyPaths, layout, context.layouts)
        var objects: [ManagedObject] = []
        for entity in plan.entities { objects += try context.fetch(request(entity.layout)) }
        let encoder = try GraphEncoder(context, objects, tree)
        for object in objects {
            if summary.counts.last?.entityName != object.layout.name {
                summary.counts.append(.init(entityName: object.layout.name, lines: 0))
            }
            summary.counts[summary.counts.count - 1].lines += 1
        }
        var lines: [UInt8] = []
        try encoder.forEachLine { line in
            lines += line
            lines.append(UInt8(ascii: "\n"))
            guard lines.count > 1 << 20 else { return }
            try write(Data(lines))
            lines.removeAll(keepingCapacity: true)
        }
        try write(Data(lines))
    }
}
