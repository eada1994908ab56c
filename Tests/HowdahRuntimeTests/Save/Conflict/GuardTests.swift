import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@Suite struct GuardTests {
    @Test func aGuardedObjectConflictsThoughItIsNotChanged() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let people = try ids.map { try context.existingObject(with: $0) }
                context.detectConflicts(for: people[0])
                people[1].lastName = "x"
                try store.execute(
                    "UPDATE employee SET visits = 9, _version = _version + 1 WHERE first_name = 'E0'")
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict)
                let conflict = try #require(error?.conflicts.first)
                #expect(error?.conflicts.count == 1 && conflict.properties == ["visits"])
                #expect(conflict.changedProperties.isEmpty && !conflict.isDeletedHere)
                #expect(
                    conflict.description.hasSuffix("not changed here, but guarded by detectConflicts(for:)"))
                context.mergePolicy = .mergeByPropertyObjectTrump
                try context.save()
                #expect(people[0].visits == 9 && people[1].lastName == "x")
                // Guarding lasts for one save, and moves no version.
                try store.execute(
                    "UPDATE employee SET visits = 10, _version = _version + 1 WHERE first_name = 'E0'")
                people[1].lastName = "y"
                context.mergePolicy = .error
                try context.save()
                people[1].lastName = "z"
                context.refresh(people[0])
                context.detectConflicts(for: people[0])
                try context.save()
                let session = try store.session()
                defer { session.close() }
                let versions = try session.query("SELECT _version FROM employee WHERE first_name = 'E0'")
                #expect(versions.row(0)[0].int64 == 3)
            }
        }
    }

    /// Kept as it is here, the object is stored like that, and so are its later changes.
    @Test(arguments: [0, 1]) func aGuardedObjectThatAPolicyKeepsIsStored(levels: Int) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.newBackgroundContext().perform { root in
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                func save() throws {
                    try context.save()
                    if levels > 0 { try root.save() }
                }
                (context.mergePolicy, root.mergePolicy) = (.overwrite, .overwrite)
                let people = try ids.map { try context.existingObject(with: $0) }
                let before = people[0].visits
                context.detectConflicts(for: people[0])
                people[1].lastName = "x"
                try store.execute(
                    "UPDATE employee SET visits = 77, _version = _version + 1 WHERE first_name = 'E0'")
                if levels > 0 { try root.mergeChanges(from: SaveNotice(updated: [ids[0].typed()])) }
                try save()
                let session = try store.session()
                defer { session.close() }
                func stored() throws -> String {
                    let query = "SELECT CAST(visits AS text) FROM employee WHERE first_name = 'E0'"
                    let result = try session.query(query)
                    return result.row(0)[0].string()
                }
                #expect(try stored() == "\(before)" && people[0].visits == before)
                for visits in [before + 1, before + 2] {
                    people[0].visits = visits
                    #expect(context.hasChanges && people[0].isUpdated)
                    try save()
                    #expect(try stored() == "\(visits)")
                }
            }
        }
    }

    /// Workers that skip what others have locked share the rows without waiting or taking one twice.
    @Test func aQueueIsSharedByLocks() async throws {
        try await CompanyStore.with(connections: 6) { store in
            _ = try await store.hire(60)
            let taken = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        var names: [String] = []
                        while true {
                            let batch = try await store.container.perform(isolation: .readCommitted) {
                                context in
                                var request = FetchRequest<Employee>()
                                request.predicate = .format("visits == 0")
                                request.fetchLimit = 3
                                request.rowLock = .update.skippingLocked
                                let jobs = try context.fetch(request)
                                for job in jobs { job.visits += 1 }
                                try context.save()
                                return jobs.map(\.firstName)
                            }
                            if batch.isEmpty { return names }
                            names += batch
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(taken.count == 60 && Set(taken).count == 60)
        }
    }

    @Test func lockedRowsFailWhereNobodyWantsToWait() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform(isolation: .readCommitted) { context in
                let person = try context.existingObject(with: id)
                let session = try store.session()
                defer { session.close() }
                try session.begin()
                _ = try session.query("UPDATE employee SET visits = 5, _version = _version + 1")
                var request = FetchRequest<Employee>()
                request.rowLock = .noKeyUpdate.skippingLocked
                try #expect(context.fetch(request).isEmpty)
                try session.commit()
                request.rowLock = .noKeyUpdate
                try #expect(context.fetch(request) == [person])
                #expect(person.visits == 5, "what was locked is what is seen")
                person.visits = 6
                try context.save()
            }
        }
    }

    @Test func whatIsDeletedHereIsToldFromWhatIsGuarded() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                context.delete(try context.existingObject(with: id))
                try store.execute("UPDATE employee SET visits = 9, _version = _version + 1")
                let error = #expect(throws: SaveError.self) { try context.save() }
                let conflict = try #require(error?.conflicts.first)
                #expect(conflict.isDeletedHere && conflict.description.hasSuffix("deleted here"))
            }
        }
    }

    /// Locked by somebody else, and not to be waited for: a fetch, one with `lock_timeout`, and a save.
    @Test(.needsSession) func rowsThatCannotBeLockedAreToldWithTheRemedy() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let session = try store.session()
            defer { session.close() }
            try session.begin()
            _ = try session.query("UPDATE employee SET visits = 5")
            let impatient = try await PersistentContainer.open(
                store.url + "&options=-c%20lock_timeout%3D20ms", model: Company.model())
            for isWaiting in [false, true] {
                let error = await #expect(throws: FetchError.self) {
                    try await impatient.perform(isolation: .readCommitted) { context in
                        var request = FetchRequest<Employee>()
                        request.rowLock = isWaiting ? .update : .update.failingIfLocked
                        _ = try context.fetch(request)
                    }
                }
                #expect(error?.code == .locked && error?.databaseError?.sqlState == SQLState.lockNotAvailable)
                #expect(error?.message.contains("Rows of Employee are locked") == true)
                #expect(error?.message.contains("skippingLocked") == true)
            }
            let error = await #expect(throws: SaveError.self) {
                try await impatient.perform { context in
                    try context.existingObject(with: id).visits = 6
                    try context.save()
                }
            }
            #expect(error?.code == .locked && error?.databaseError?.sqlState == SQLState.lockNotAvailable)
            #expect(error?.message.contains("Rows of Employee") == true)
            await impatient.close()
        }
    }

    /// Within the transaction the caller may go on, with other rows.
    @Test func aTransactionOutlivesALockThatIsNotToBeHad() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let session = try store.session()
            defer { session.close() }
            try session.begin()
            _ = try session.query("UPDATE employee SET visits = 5 WHERE _id = \(ids[0].key)")
            let visits = try await store.container.perform(isolation: .readCommitted) { context in
                try context.existingObject(with: ids[1]).visits = 1
                try context.save()
                var request = FetchRequest<Employee>()
                request.rowLock = .update.failingIfLocked
                let error = #expect(throws: FetchError.self) { try context.fetch(request) }
                #expect(error?.code == .locked)
                request.rowLock = .update.skippingLocked
                let rest = try context.fetch(request)
                #expect(rest.map(\.objectID) == [ids[1]])
                // The lock outlasts the savepoint.
                #expect(throws: PostgresError.self) {
                    try store.execute(
                        "SELECT 1 FROM employee WHERE _id = \(ids[1].key) FOR UPDATE NOWAIT")
                }
                rest[0].visits += 1
                try context.save()
                return rest[0].visits
            }
            #expect(visits == 2)
        }
    }

    /// Where a failure is passed over, what fails because of it says which it was.
    @Test func theFirstFailureOfATransactionIsTold() async throws {
        try await CompanyStore.with { store in
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform(isolation: .readCommitted) { context in
                    #expect(throws: FetchError.self) { try context.fetch(Employee.self, sql: "SELECT 1 / 0") }
                    _ = try context.fetch(Employee.self)
                }
            }
            #expect(error?.databaseError?.sqlState == SQLState.inFailedTransaction)
            #expect(error?.databaseError?.firstState == "22012")
            #expect(error?.description.contains("22012") == true)
        }
    }

    @Test func lockingNeedsATransaction() async throws {
        try await CompanyStore.with { store in
            var request = FetchRequest<Employee>()
            request.rowLock = .share.failingIfLocked
            let copy = request
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { _ = try $0.fetch(copy) }
            }
            #expect(error?.code == .invalidRequest)
            let none = try await store.container.perform(isolation: .serializable) {
                try $0.fetch(copy).count
            }
            #expect(none == 0)
        }
    }

    @Test func refetchedObjectsAreRefreshedOnDemand() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(2)
            try await store.container.perform { context in
                var request = FetchRequest<Employee>()
                request.sortDescriptors = [.key("firstName")]
                let people = try context.fetch(request)
                people[1].lastName = "mine"
                try store.execute("UPDATE employee SET visits = 9, _version = _version + 1")
                _ = try context.fetch(request)
                #expect(people[0].visits == 0)
                request.shouldRefreshRefetchedObjects = true
                _ = try context.fetch(request)
                #expect(people.map(\.visits) == [9, 0] && people[1].lastName == "mine")
            }
        }
    }
}
