import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What parent and child changed both is decided by the child's policy, by property, with what the child read as the
/// common base.
@Suite struct ChildConflictTests {
    private static let types = MergePolicy.MergeType.allCases

    /// What one property ends as, where at least one other is in conflict.
    private func expected(_ type: MergePolicy.MergeType, here: Bool, there: Bool) -> String {
        switch type {
        case .mergeByPropertyStoreTrump: there ? "there" : here ? "here" : "read"
        case .mergeByPropertyObjectTrump: here ? "here" : there ? "there" : "read"
        case .overwrite: here ? "here" : "read"
        case .rollback: there ? "there" : "read"
        case .error: there ? "there" : "read"
        }
    }

    @Test(arguments: types) func theTableHolds(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let departments = try await store.container.perform { context in
                let departments = ["read", "here", "there"].map { name in
                    let department = Department(context: context)
                    department.name = name
                    return department
                }
                try context.save()
                return departments.map(\.objectID)
            }
            for bits in 0..<64 {
                let here = (0..<3).map { bits & (1 << $0) != 0 }
                let there = (0..<3).map { bits & (8 << $0) != 0 }
                let isConflict = zip(here, there).contains { $0 && $1 }
                try await store.container.perform { context in
                    let above = Employee(context: context)
                    (above.firstName, above.lastName) = ("read", "read")
                    above.department = context.object(with: departments[0])
                    // Saved or not makes no difference.
                    if bits % 2 == 0 { try context.save() }
                    let child = context.newChildContext()
                    child.mergePolicy = MergePolicy(merge: type)
                    let person = try child.existingObject(with: above.objectID)
                    if there[0] { above.firstName = "there" }
                    if there[1] { above.lastName = "there" }
                    if there[2] { above.department = context.object(with: departments[2]) }
                    if here[0] { person.firstName = "here" }
                    if here[1] { person.lastName = "here" }
                    if here[2] { person.department = child.object(with: departments[1]) }
                    if isConflict, type == .error {
                        let error = #expect(throws: SaveError.self) { try child.save() }
                        #expect(error?.code == .conflict && error?.conflicts.count == 1)
                        #expect(error?.conflicts.first?.isDeleted == false && child.hasChanges)
                    } else {
                        try child.save()
                        #expect(!child.hasChanges)
                    }
                    let found = [above.firstName, above.lastName, above.department?.name]
                    for (slot, value) in found.enumerated() {
                        let wanted =
                            isConflict
                            ? expected(type, here: here[slot], there: there[slot])
                            : here[slot] ? "here" : there[slot] ? "there" : "read"
                        #expect(value == wanted, "\(type) here \(here) there \(there) property \(slot)")
                    }
                    if isConflict, type != .error {
                        #expect([person.firstName, person.lastName, person.department?.name] == found)
                    }
                    try context.save()
                }
            }
        }
    }

    @Test(arguments: types) func whatTheParentDeletes(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            for isSaved in [false, true] {
                let ids = try await store.hire(1)
                try await store.container.perform { context in
                    let child = context.newChildContext()
                    child.mergePolicy = MergePolicy(merge: type)
                    let person = try child.existingObject(with: ids[0])
                    person.lastName = "here"
                    context.delete(try context.existingObject(with: ids[0]))
                    if isSaved { try context.save() }
                    let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
                    if type == .error {
                        let error = #expect(throws: SaveError.self) { try child.save() }
                        #expect(error?.code == .conflict && error?.conflicts.first?.isDeleted == true)
                    } else {
                        try child.save()
                        #expect(!child.hasChanges && (person.managedObjectContext != nil) == isOurs)
                    }
                    try context.save()
                    #expect(try context.fetch(Employee.self).map(\.lastName) == (isOurs ? ["here"] : []))
                    for person in try context.fetch(Employee.self) { context.delete(person) }
                    try context.save()
                }
            }
        }
    }

    @Test(arguments: types) func whatTheChildDeletes(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let child = context.newChildContext()
                child.mergePolicy = MergePolicy(merge: type)
                let people = try ids.map { try child.existingObject(with: $0) }
                let above = try ids.map { try context.existingObject(with: $0) }
                above[0].lastName = "there"
                people.forEach(child.delete)
                // What both delete is no conflict.
                context.delete(above[1])
                if type == .error {
                    let error = #expect(throws: SaveError.self) { try child.save() }
                    #expect(error?.code == .conflict && error?.conflicts.count == 1)
                    #expect(!above[0].isDeleted)
                } else {
                    try child.save()
                }
                try context.save()
            }
            let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
            try #expect(store.storedNames() == (isOurs ? [] : ["E0"]))
        }
    }

    @Test(arguments: types) func listsThatBothReorder(type: MergePolicy.MergeType) async throws {
        try await withTestStore(Garden.model()) { container in
            let id = try await container.perform { context in
                let bed = context.insert("Bed")
                bed["number"] = 0
                for number in 1...3 {
                    let plant = context.insert("Plant")
                    plant["number"] = number
                    bed.orderedMembers(forKey: "plants").append(plant)
                }
                try context.save()
                return bed.objectID as ObjectID<ManagedObject>
            }
            func numbers(_ bed: ManagedObject) -> [Int64] {
                bed.orderedMembers(forKey: "plants").compactMap { $0["number"] as? Int64 }
            }
            try await container.perform { context in
                let child = context.newChildContext()
                child.mergePolicy = MergePolicy(merge: type)
                let bed = try child.existingObject(with: id)
                let list = bed.orderedMembers(forKey: "plants")
                list.move(list[2], to: 0)
                let above = try context.existingObject(with: id)
                let theirs = above.orderedMembers(forKey: "plants")
                theirs.move(theirs[0], to: 1)
                if type == .error {
                    let error = #expect(throws: SaveError.self) { try child.save() }
                    #expect(error?.code == .conflict)
                } else {
                    try child.save()
                }
                let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
                #expect(numbers(above) == (isOurs ? [3, 1, 2] : [2, 1, 3]))
                try context.save()
                #expect(try Garden.stored(container).count == 4)
                context.reset()
                #expect(try numbers(context.existingObject(with: id)) == (isOurs ? [3, 1, 2] : [2, 1, 3]))
            }
        }
    }

    @Test func whatOthersStoredMeanwhileIsAConflictOfRows() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let child = context.newChildContext()
                let person = try child.existingObject(with: id)
                try store.execute("UPDATE employee SET last_name = 'other', _version = _version + 1")
                person.firstName = "here"
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.code == .conflict)
                #expect(error?.conflicts.first?.properties == ["lastName"])
                try child.refresh(person, mergeChanges: true)
                try child.save()
                try context.save()
                #expect(person.lastName == "other")
            }
            try #expect(store.storedNames() == ["here"])
        }
    }

    @Test func whatTheParentSavedItselfIsNoConflict() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let child = context.newChildContext()
                let person = try child.existingObject(with: id)
                for round in 0..<3 {
                    try context.existingObject(with: id).visits = 10 + round
                    try context.save()
                    person.firstName = "\(round)"
                    try child.save()
                    try context.save()
                }
            }
            try #expect(store.storedNames() == ["2"])
        }
    }

    @Test func unchangedObjectsCanBeGuarded() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let child = context.newChildContext()
                let people = try ids.map { try child.existingObject(with: $0) }
                child.detectConflicts(for: people[0])
                people[1].visits = 1
                let above = try context.existingObject(with: ids[0])
                above.lastName = "there"
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.code == .conflict && !context.updatedObjects.contains { $0.key == ids[1].key })
                context.rollback()
                try child.save()
                // The parent's save compares the row then.
                try store.execute("UPDATE employee SET _version = _version + 1 WHERE first_name = 'E0'")
                let later = #expect(throws: SaveError.self) { try context.save() }
                #expect(later?.code == .conflict)
            }
        }
    }

    /// A child's reference to what the parent is about to delete: as a save's to a row that is gone.
    @Test(arguments: types) func whatTheParentIsAboutToDelete(type: MergePolicy.MergeType)
        async throws
    {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let (old, above) = (Department(context: context), Department(context: context))
                (old.name, above.name) = ("old", "D")
                try context.existingObject(with: id).department = old
                let project = Project(context: context)
                project.title = "P"
                try context.save()
                let child = context.newChildContext()
                child.mergePolicy = MergePolicy(merge: type)
                let person = try child.existingObject(with: id)
                person.department = try child.existingObject(with: above.objectID)
                person.projects.insert(try child.existingObject(with: project.objectID))
                context.delete(above)
                context.delete(project)
                guard type == .error else {
                    try child.save()
                    let isTheirs = type == .mergeByPropertyStoreTrump || type == .rollback
                    #expect(person.department?.name == (isTheirs ? "old" : nil) && person.projects.isEmpty)
                    try context.save()
                    #expect(try context.existingObject(with: id).department === (isTheirs ? old : nil))
                    return
                }
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.code == .referentialIntegrity)
                #expect(error?.issues.map(\.propertyName) == ["department", "projects"])
                #expect(
                    error?.issues.allSatisfy { $0.objectID?.uriRepresentation == id.uriRepresentation }
                        == true)
                #expect(
                    error?.issues.first?.message.contains(
                        "Department \(above.objectID.uriRepresentation.lastPathComponent)") == true)
                person.department = nil
                person.projects.remove(try child.existingObject(with: project.objectID))
                try child.save()
            }
        }
    }

    @Test func whatTheParentTookBackIsTold() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let above = Department(context: context)
                above.name = "D"
                let child = context.newChildContext()
                let department = try child.existingObject(with: above.objectID)
                try child.existingObject(with: id).department = department
                context.rollback()
                let dangling = #expect(throws: SaveError.self) { try child.save() }
                #expect(dangling?.code == .referentialIntegrity && dangling?.issues.count == 1)
                department.name = "E"
                let gone = #expect(throws: SaveError.self) { try child.save() }
                #expect(gone?.code == .conflict && gone?.conflicts.first?.isDeleted == true)
                child.mergePolicy = .mergeByPropertyObjectTrump
                try child.save()
                try context.save()
                #expect(try context.existingObject(with: id).department?.name == "E")
            }
        }
    }
}
