import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// An entity with an attribute of the name of each public member of managed objects, except `objectID`, which is the id in
/// predicates.
@Entity class Namesake: ManagedObject {
    var awakeFromFetch: String
    var awakeFromInsert: String
    var awakeFromSnapshotEvents: String
    var changedPropertyNames: String
    var changedValues: String
    var changedValuesForCurrentEvent: String
    var committedValues: String
    var dictionaryWithValues: String
    var didSave: String
    var didTurnIntoFault: String
    var entity: String
    var entityName: String
    var fetchRequest: String
    var fetchedObjects: String
    var get: String
    var hasChanges: String
    var hasFault: String
    var hasPersistentChangedValues: String
    var hash: String
    var hashValue: String
    var isDeleted: String
    var isFault: String
    var isInserted: String
    var isUpdated: String
    var managedObjectContext: String
    var members: String
    var objectIDs: String
    var orderedMembers: String
    var prepareForDeletion: String
    var set: String
    var setValue: String
    var setValuesForKeys: String
    var validateForDelete: String
    var validateForInsert: String
    var validateForUpdate: String
    var validateValue: String
    var validatedKeys: String
    var value: String
    var version: String
    var willSave: String
    var willTurnIntoFault: String
    @Relationship(inverse: "context") var partner: Namesake?
    @Relationship(inverse: "partner") var context: ToMany<Namesake>
}

/// A subentity that overrides hooks whose names its superclass has attributes of.
@Entity final class NamesakeWithHooks: Namesake {
    var saves: Int = 0

    override func willSave() { saves += 1 }
    override func validateForInsert() throws {
        try super.validateForInsert()
        if value == "wrong" { throw ValidationIssue(self, ["value"], "is wrong") }
    }
}

@Suite struct MemberNameTests {
    private static var keyPaths: [(ReferenceWritableKeyPath<Namesake, String>, String)] {
        Namesake._keyPaths.compactMap { entry in
            (entry.keyPath as? ReferenceWritableKeyPath<Namesake, String>).map { ($0, entry.name) }
        }
    }

    @Test(.enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"))
    func theEntityHasEachName() async throws {
        let toolchain = try SwiftToolchain(#require(SwiftToolchain.installed))
        guard
            let members = try await toolchain.publicMembers(
                of: ["ManagedObject", "ManagedObjectIdentity"], in: "HowdahRuntime")
        else { return }
        let names = members.filter {
            $0.wholeMatch(of: /[A-Za-z]\w*/) != nil && !["init", "subscript"].contains($0)
        }
        #expect(names.subtracting(["objectID"]) == Set(Self.keyPaths.map(\.1)))
    }

    @Test func valuesOfEachNameAreStored() async throws {
        let model = try ManagedObjectModel(Namesake.self, NamesakeWithHooks.self)
        try await withTemporaryStore(model) { container in
            let id = try await container.perform { context in
                let object = NamesakeWithHooks(context: context)
                for (path, name) in Self.keyPaths { object[keyPath: path] = "mine: " + name }
                let other = Namesake(context: context)
                for (_, name) in Self.keyPaths { other.setValue("by name: " + name, forKey: name) }
                object.partner = other
                try context.save()
                #expect(object.saves == 1 && (object as ManagedObject).hasChanges == false)
                #expect((object as ManagedObject).entity.name == "NamesakeWithHooks")
                return (object as ManagedObject).objectID
            }
            try await container.perform { context in
                let object = try #require(try context.existingObject(with: id) as? NamesakeWithHooks)
                for (path, name) in Self.keyPaths {
                    #expect(object[keyPath: path] == "mine: " + name)
                    #expect(object.value(forKey: name) as? String == "mine: " + name)
                    #expect(object.partner?[keyPath: path] == "by name: " + name)
                }
                #expect(object.partner?.context.first === object)
                let found = try context.fetch(
                    Namesake.self,
                    where: #Predicate {
                        $0.isFault == "mine: isFault" && $0.hash != "x"
                    }, sortedBy: .ascending(\.entity), .descending(\.willSave))
                #expect(found.count == 1 && found.first === object)
                object.isDeleted = "changed"
                #expect((object as ManagedObject).changedPropertyNames == ["isDeleted"])
                #expect((object as ManagedObject).isDeleted == false && (object as ManagedObject).isUpdated)
                try context.save()
                #expect(object.saves == 2 && Set([object as ManagedObject]).contains(object))
                let wrong = NamesakeWithHooks(context: context)
                for (path, _) in Self.keyPaths { wrong[keyPath: path] = "wrong" }
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
            }
        }
    }
}
