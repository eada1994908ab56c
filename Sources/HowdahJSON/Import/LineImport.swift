import Foundation
import HowdahModel
import HowdahRuntime

/// Imports JSON lines batch by batch, with a save and an empty context after each.
///
/// Objects and links that cannot be saved yet wait: whole lines as their bytes, links as ids.
struct LineImport {
    private static let batch = 500
    private static let batchBytes = 8 << 20

    private let context: ManagedObjectContext
    private let keys: NaturalKeys
    private var lines: [Line] = []
    private var size = 0
    private var waiting: [Line] = []
    private var links: [WaitingLink] = []
    private var awaited: AwaitedDestinations
    private var halted: Set<Int> = []
    private var names: [String: GraphMatching.StoredRow] = [:]
    /// The existing objects that only a waiting link can change.
    private var unchanged: Set<GraphMatching.StoredRow> = []
    private var summary = GraphImportSummary()

    struct Line {
        let number: Int
        let bytes: [UInt8]
    }

    private struct WaitingLink {
        let owner: GraphMatching.StoredRow
        let link: GraphRecord.Link
    }

    init(_ context: ManagedObjectContext) {
        self.context = context
        keys = context.store.layouts.naturalKeys
        awaited = AwaitedDestinations(context)
    }

    mutating func add(_ line: Line) throws {
        if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
        lines.append(line)
        size += line.bytes.count
        if lines.count >= Self.batch || size >= Self.batchBytes { try flush() }
    }

    /// Saves the rest, and the waiting objects.
    mutating func finish() throws -> GraphImportSummary {
        try flush()
        if !waiting.isEmpty {
            let lines = waiting
            waiting = []
            try save(lines, isLast: true)
        }
        for start in stride(from: 0, to: links.count, by: Self.batch) {
            try save(links[start..<min(start + Self.batch, links.count)])
        }
        try awaited.check()
        context.changes.refuseMissingDestinations()
        return summary
    }

    private mutating func flush() throws {
        let lines = lines
        self.lines = []
        size = 0
        if !lines.isEmpty { try save(lines, isLast: false) }
    }

    private mutating func save(_ lines: [Line], isLast: Bool) throws {
        var reading = GraphReading(context.store.layouts, keys)
        for (group, line) in lines.enumerated() {
            let json = try JSONValue(document: line.bytes, line: line.number, GraphJSONWriter.documentDepth)
            try reading.add(json, nil, at: GraphPlace(line: line.number), group: group)
        }
        let matching = try GraphMatching(context, keys, reading.records, earlier: names)
        var groups: Set<Int> = []
        if !isLast {
            let deferral = GraphDeferral(matching, halted: halted)
            (groups, halted) = (deferral.groups, deferral.halted)
            waiting += groups.sorted().map { lines[$0] }
        }
        var application = GraphApplication(context, matching, waiting: groups, mayPostpone: !isLast)
        do {
            try application.run()
        } catch let error as GraphError where !isLast && isCompletedLater(error) {
            return hold(lines, besides: groups, reading.records)
        }
        let postponed = application.postponed.map { postponed in
            (postponed.owner, postponed.link, postponed.link.targets.map { application.target($0) })
        }
        let skipped = application.skipped(among: postponed.map(\.0))
        do {
            try context.save()
        } catch let error as SaveError where !isLast && isCompletedLater(error, application) {
            return hold(lines, besides: groups, reading.records)
        } catch let error as SaveError {
            throw application.located(error)
        }
        awaited.collect(application.places())
        for (index, record) in matching.records.enumerated() {
            guard let id = record.id, let object = application.object(index) else { continue }
            names[id] = object.storedRow
        }
        for (owner, link, targets) in postponed {
            let rows = targets.map { target in
                switch target {
                case .target(let target): target
                case .object(let object): GraphTarget.stored(entity: object.layout.index, key: object.key)
                }
            }
            if skipped.contains(ObjectIdentifier(owner)) { unchanged.insert(owner.storedRow) }
            links.append(
                WaitingLink(
                    owner: owner.storedRow, link: .init(slot: link.slot, place: link.place, targets: rows)))
        }
        summary.objectCount += matching.records.indices.count {
            matching.canonical[$0] == $0 && !groups.contains(matching.records[$0].group)
        }
        summary.insertedCount += application.insertedCount
        summary.updatedCount += application.updatedCount
        context.reset()
    }

    // MARK: Lines that take away what later lines give

    /// Returns true if another line may name the missing destination of a new object.
    private func isCompletedLater(_ error: GraphError) -> Bool {
        guard error.code == .missingValue,
            let entity = context.store.layouts.entities.first(where: { $0.name == error.entityName }),
            let slot = error.propertyName.flatMap({ entity.slotsByName[$0] }),
            case .toOne(let relationship) = entity.slots[slot].kind
        else { return false }
        return relationship.inverse != nil
    }

    /// Returns true if the save lacks only destinations of objects that these lines do not name.
    private func isCompletedLater(_ error: SaveError, _ application: GraphApplication) -> Bool {
        let named = Set(
            application.matching.records.indices.compactMap { application.object($0)?.objectID })
        return error.code == .validation && !error.issues.isEmpty
            && error.issues.allSatisfy { issue in
                issue.code == ValidationIssue.missingMandatory
                    && issue.objectID.map { !named.contains($0) } == true
            }
    }

    /// Leaves lines to the last save.
    ///
    /// Later lines without a natural key wait as well, so that their ids keep the order of the lines.
    private mutating func hold(_ lines: [Line], besides groups: Set<Int>, _ records: [GraphRecord]) {
        waiting += lines.indices.filter { !groups.contains($0) }.map { lines[$0] }
        waiting.sort { $0.number < $1.number }
        for record in records where keys[record.entity] == nil { halted.insert(record.entity.index) }
        context.changes.deferMissingDestinations()
        context.reset()
    }

    private mutating func save(_ links: ArraySlice<WaitingLink>) throws {
        let matching = try GraphMatching(
            context, keys, [], earlier: names, others: links.flatMap(\.link.targets))
        var owners: [ObjectIdentifier: ManagedObject] = [:]
        var changes: [LinkChange] = []
        var waiting: [Int: [Int: [ManagedObject]]] = [:]
        for link in links {
            let owner = context.object(entity: link.owner.entity, key: link.owner.key)
            let relationship = owner.layout.relationship(link.link.slot)
            owners[ObjectIdentifier(owner)] = owner
            let members = try link.link.targets.map { target in
                guard let handle = matching.resolve(target), case .object(let object) = handle else {
                    throw GraphError(
                        .unknownReference,
                        "The referenced object is neither in the document nor in the store. Add the object, "
                            + "or correct the reference.",
                        at: link.link.place, entity: owner.layout, property: relationship.name)
                }
                let destination = context.layouts[relationship.destination]
                guard destination.family.contains(object.layout.index) else {
                    throw GraphError(
                        .invalidEntity,
                        "The reference is to \(object.layout.name.article) \(object.layout.name). Refer to "
                            + "\(destination.name.article) \(destination.name) instead.",
                        at: link.link.place, entity: owner.layout, property: relationship.name)
                }
                try matching.checkNamedEntity(
                    handle, target, at: link.link.place, of: owner.layout, property: relationship.name)
                return object
            }
            waiting[owner.layout.index, default: [:]][link.link.slot, default: []].append(owner)
            changes.append(LinkChange(owner, link.link.slot, members))
        }
        try context.load(owners.values.filter(\.isFault))
        for (entity, slots) in waiting {
            for (slot, owners) in slots {
                try LinkChange.load(owners, context.layouts[entity].relationship(slot), context)
            }
        }
        var changed: Set<GraphMatching.StoredRow> = []
        for (link, change) in zip(links, changes) where change.toOne() { changed.insert(link.owner) }
        for isOrdered in [false, true] {
            for (link, change) in zip(links, changes) where change.toMany(ordered: isOrdered) {
                changed.insert(link.owner)
            }
        }
        summary.updatedCount += changed.intersection(unchanged).count
        unchanged.subtract(changed)
        try context.throwFailure()
        do {
            try context.save()
        } catch let error as SaveError {
            let id = error.objectIDs.first { id in owners.values.contains { $0.objectID == id } }
            let link = links.first {
                context.object(entity: $0.owner.entity, key: $0.owner.key).objectID == id
            }
            guard let link, let owner = id.flatMap({ id in owners.values.first { $0.objectID == id } }) else {
                throw error
            }
            throw error.refusal(of: owner, at: link.link.place)
        }
        awaited.collect([:])
        context.reset()
    }
}

extension ManagedObject {
    fileprivate var storedRow: GraphMatching.StoredRow { .init(entity: layout.index, key: key) }
}
