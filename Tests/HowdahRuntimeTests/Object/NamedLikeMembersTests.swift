import Howdah
import TestSupport
import Testing

/// An attribute may be named like a member of every object; the name then means the attribute.
@Suite struct NamedLikeMembersTests {
    /// Swift would rather take a member of type `Bool` than an attribute of type `Bool?`.
    @Test func optionalAttributesAreWhatTheirNamesMean() async throws {
        try await withTestStore(ManagedObjectModel(NamedLikeMembers.self)) { container in
            try await container.perform { context in
                let object = NamedLikeMembers(context: context)
                #expect(object.isDeleted == nil && object.hasChanges == nil && object.entityName == nil)
                object.isDeleted = true
                object.isFault = true
                object.isInserted = false
                object.isUpdated = true
                object.hasChanges = false
                object.hasPersistentChangedValues = false
                object.entityName = "mine"
                #expect(object.isDeleted == true && object.isFault == true && object.isInserted == false)
                #expect(object.isUpdated == true && object.hasChanges == false)
                #expect(object.hasPersistentChangedValues == false)
                #expect(object.entityName == "mine" && (object.entityName ?? "none") == "mine")
                if object.isDeleted == true {} else { Issue.record("the member was taken") }
                let member = object as ManagedObject
                #expect(!member.isDeleted && member.isInserted && member.hasChanges && !member.isFault)
                #expect(member.entityName == "NamedLikeMembers")
                try context.save()
            }
        }
    }
}

@Entity private final class NamedLikeMembers: ManagedObject {
    var isDeleted: Bool?
    var isFault: Bool?
    var isInserted: Bool?
    var isUpdated: Bool?
    var hasChanges: Bool?
    var hasPersistentChangedValues: Bool?
    var entityName: String?
}
