import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct ConflictTests {
    /// How a save of many objects reaches the server: alone, as an array, under locks, in a larger transaction.
    enum Path: CaseIterable {
        case single, several, array, locked, nested
    }

    @Test(arguments: Path.allCases)
    func aLostUpdateNamesObjectAndProperties(path: Path) async throws {
        try await withStore(Company.model()) { container, sql in
            let ids = try await container.perform { context in
                let employees = (0..<20).map { index in
                    let employee = Employee(context: context)
                    employee.firstName = "\(index)"
                    return employee
                }
                try context.save()
                return employees.map(\.objectID)
            }
            let victim = ids[path == .single ? 0 : 3]
            let handle = container.newBackgroundContext()
            try await handle.perform(isolation: path == .nested ? .readCommitted : nil) { context in
                let employees: [Employee] = try ids.map { try context.existingObject(with: $0) }
                try sql.rows(
                    "UPDATE employee SET last_name = 'theirs', _version = _version + 1 WHERE _id = \(victim.key)"
                )
                switch path {
                case .single: employees[0].visits = 1
                case .several: for employee in employees.prefix(5) { employee.visits = 1 }
                case .array, .nested: for employee in employees { employee.visits = 1 }
                case .locked:
                    for employee in employees { employee.visits = 1 }
                    employees[9].salary = 3
                }
                let changed = employees.filter(\.isUpdated)
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .conflict)
                #expect(error.conflicts.map { $0.objectID.key } == [victim.key])
                #expect(error.conflicts.first?.entityName == "Employee")
                #expect(error.conflicts.first?.properties == ["lastName"])
                #expect(error.conflicts.first?.changedProperties == ["visits"])
                #expect(error.conflicts.first?.isDeleted == false)
                #expect("\(error)".contains("lastName") && !"\(error)".contains("theirs"))
                // Nothing was stored, and all is still pending.
                #expect(context.updatedObjects == changed)
                #expect(changed.allSatisfy { $0.version == 1 })
                #expect(try sql.value("SELECT sum(visits)::text FROM employee") == "0")
                // Taking the stored row in and trying again works.
                let stale: Employee = try context.existingObject(with: victim)
                context.refresh(stale)
                stale.visits = 1
                try context.save()
                #expect(stale.lastName == "theirs")
            }
            #expect(try sql.value("SELECT last_name FROM employee WHERE _id = \(victim.key)") == "theirs")
            #expect(try sql.value("SELECT visits::text FROM employee WHERE _id = \(victim.key)") == "1")
        }
    }

    @Test(arguments: [false, true])
    func aRowDeletedElsewhereIsAConflict(isDeletedHereToo: Bool) async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "x"
                try context.save()
                try sql.rows("DELETE FROM employee")
                if isDeletedHereToo { context.delete(employee) } else { employee.visits = 1 }
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .conflict)
                #expect(error.conflicts.map(\.isDeleted) == [true])
                #expect(error.conflicts.first?.objectID == employee.objectID.untyped)
                context.rollback()
                #expect(!context.hasChanges)
            }
        }
    }

    @Test func deletingAnObjectThatChangedElsewhereIsAConflict() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "x"
                try context.save()
                try sql.rows("UPDATE employee SET visits = 9, _version = 2")
                context.delete(employee)
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .conflict && error.conflicts.first?.properties == ["visits"])
                #expect(context.deletedObjects == [employee])
                // Deleted unread, any version will do.
                context.rollback()
                context.refresh(employee)
                context.delete(employee)
                try context.save()
            }
            #expect(try sql.value("SELECT count(*)::text FROM employee") == "0")
        }
    }

    @Test(arguments: [Path.single, .several, .array, .nested], [false, true])
    func deletedLeavesThatChangedElsewhereAreConflicts(path: Path, isGone: Bool) async throws {
        try await withStore(Company.model()) { container, sql in
            let ids = try await container.perform { context in
                let department = Department(context: context)
                department.name = "d"
                let rooms = (0..<20).map { index in
                    let room = Room(context: context)
                    room.number = Int32(index)
                    room.department = department
                    return room
                }
                try context.save()
                return rooms.map(\.objectID)
            }
            let handle = container.newBackgroundContext()
            try await handle.perform(isolation: path == .nested ? .readCommitted : nil) { context in
                let rooms = try ids.prefix(path == .single ? 1 : path == .several ? 5 : 20)
                    .map { try context.existingObject(with: $0) }
                let victim = rooms[rooms.count / 2]
                let key = victim.objectID.key
                try sql.rows(
                    isGone
                        ? "DELETE FROM room WHERE _id = \(key)"
                        : "UPDATE room SET number = 77, _version = _version + 1 WHERE _id = \(key)")
                for room in rooms { context.delete(room) }
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .conflict)
                #expect(error.conflicts.map { $0.objectID.key } == [key])
                #expect(error.conflicts.first?.isDeleted == isGone)
                #expect(error.conflicts.first?.properties == (isGone ? [] : ["number"]))
                #expect(context.deletedObjects.count == rooms.count)
                #expect(try sql.value("SELECT count(*)::text FROM room") == (isGone ? "19" : "20"))
            }
        }
    }

    @Test(arguments: [1, 20])
    func unreadLeavesAreDeletedInAnyVersionButMustBeThere(count: Int) async throws {
        try await withStore(Company.model()) { container, sql in
            let ids = try await container.perform { context in
                let department = Department(context: context)
                department.name = "d"
                let rooms = (0..<count + 1).map { index in
                    let room = Room(context: context)
                    room.number = Int32(index)
                    room.department = department
                    return room
                }
                try context.save()
                return rooms.map(\.objectID)
            }
            try sql.rows("UPDATE room SET _version = 5")
            try await container.perform { context in
                for id in ids.dropLast() { context.delete(context.object(with: id)) }
                try context.save()
            }
            #expect(try sql.value("SELECT count(*)::text FROM room") == "1")
            try await container.perform { context in
                for id in count == 1 ? ids.prefix(1) : ids[...] { context.delete(context.object(with: id)) }
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .conflict && error.conflicts.count == count)
                #expect(error.conflicts.allSatisfy { $0.isDeleted })
            }
            #expect(try sql.value("SELECT count(*)::text FROM room") == "1")
        }
    }

    @Test func concurrentIncrementsOfOneRowAreAllCounted() async throws {
        try await withStore(Company.model()) { container, sql in
            let id = try await container.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "counter"
                try context.save()
                return employee.objectID
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<25 {
                            try await container.perform(retrying: .conflicts(upTo: 1_000)) { context in
                                let employee: Employee = try context.existingObject(with: id)
                                employee.visits += 1
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try sql.rows("SELECT visits::text, _version::text FROM employee") == [["200", "201"]])
        }
    }
}

extension ObjectID {
    fileprivate var untyped: ObjectID<ManagedObject> {
        ObjectID<ManagedObject>(storeIdentifier: storeIdentifier, entityName: entityName, key: key)
    }
}
