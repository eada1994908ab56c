import Howdah
import HowdahModel
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

extension RuleStore {
    /// What stood against a deletion.
    enum Refusal: Equatable {
        case denied(String)
        case missing(String)
        /// The class of the server's error.
        case server(String)
    }

    /// Deletes an object; nil where it went. After a save, the context must show what is stored.
    nonisolated(nonsending)
        func delete(_ victim: String, _ ids: [String: ObjectID<ManagedObject>], _ way: Way) async throws
        -> Refusal?
    {
        let id = try #require(ids[victim])
        switch way {
        case .batch:
            var request = FetchRequest<ManagedObject>(entityName: shape.entity(of: victim, rule))
            request.predicate = .format("name == %@", tag + victim)
            let batch = request
            return try await container.perform { context in
                do {
                    let count = try context.execute(BatchDeleteRequest(batch)).count
                    #expect(count == 1)
                    return nil
                } catch let error as SaveError {
                    #expect(error.code == .referentialIntegrity || error.code == .validation)
                    return .server(String((error.databaseError?.sqlState ?? "").prefix(2)))
                }
            }
        case .sql:
            let mapping = try #require(schema.entities[shape.entity(of: victim, rule)])
            do {
                try sql.run(
                    "DELETE FROM \(SQLIdentifier.quoted(schema.schemaName, mapping.table)) "
                        + "WHERE \(SQLIdentifier.quoted(mapping.keyColumn)) = $1", id.key)
                return nil
            } catch let error as PostgresError {
                return .server(String((error.sqlState ?? "").prefix(2)))
            }
        case .loaded, .unloaded, .propagated:
            return try await container.perform { context in
                context.propagatesDeletesAtEndOfEvent = way == .propagated
                var known: [ManagedObject] = []
                if way != .unloaded {
                    known = try ids.values.map { try context.existingObject(with: $0) }
                    _ = try seen(ids, by: context)
                }
                context.delete(context.object(with: id))
                let error = saveError { try context.save() }
                guard let error else {
                    try check(context, ids, known)
                    return nil
                }
                let places = Set(error.issues.map { "\($0.entityName).\($0.propertyName ?? "")" })
                #expect(places.count == 1, "\(error)")
                context.rollback()
                let afterwards = try seen(ids, by: context)
                #expect(afterwards == (try stored(ids)))
                return error.code == .referentialIntegrity
                    ? .denied(places.first ?? "") : .missing(places.first ?? "")
            }
        }
    }

    private func check(
        _ context: ManagedObjectContext, _ ids: [String: ObjectID<ManagedObject>], _ known: [ManagedObject]
    ) throws {
        let comment = Comment(rawValue: "\(shape) \(rule.rawValue)")
        let stored = try stored(ids)
        #expect(try seen(ids, by: context) == stored, comment)
        for object in known {
            let name = ids.first { $1 == object.objectID }?.key ?? ""
            #expect(object.isDeleted != stored.objects.contains(name), comment)
        }
    }

    /// What must be told where the outcome is a refusal.
    func refusal(_ outcome: RuleGraph.Outcome, _ way: Way) -> Refusal? {
        let isServer = way == .batch || way == .sql
        switch outcome {
        case .graph: return nil
        case .denied: return isServer ? .server("23") : .denied("\(shape.owner(rule)).items")
        case .missing(let isOwner):
            let place = isOwner ? "\(shape.owner(rule)).items" : "\(shape.item(rule)).owners"
            return isServer ? .server("23") : .missing(place)
        }
    }
}
