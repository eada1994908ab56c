import Howdah
import HowdahTesting
import Testing

/// Requests that lock are refused where nothing would be locked.
@Suite struct LockedBatchTests {
    private static func expectRefusal(_ word: String, _ body: () throws -> some Any) {
        #expect {
            _ = try body()
        } throws: { error in
            guard let error = error as? FetchError else { return false }
            return error.code == .invalidRequest && error.message.contains(word)
        }
    }

    @Test(arguments: [RowLock.update, .noKeyUpdate, .share.failingIfLocked])
    func batchesAndCountsTakeNoLock(lock: RowLock) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            for isolation in [nil, Isolation.readCommitted] {
                try await store.container.perform(isolation: isolation) { (context) throws in
                    var request = FetchRequest<Employee>()
                    request.rowLock = lock
                    Self.expectRefusal("rowLock") {
                        try context.execute(BatchUpdateRequest(request, set: ["visits": 1]))
                    }
                    Self.expectRefusal("rowLock") { try context.execute(BatchDeleteRequest(request)) }
                    var byID = BatchDeleteRequest<Employee>(objectIDs: ids)
                    byID.fetchRequest.rowLock = lock
                    Self.expectRefusal("rowLock") { try context.execute(byID) }
                    Self.expectRefusal("rowLock") { try context.count(for: request) }
                    request.resultType = .count
                    Self.expectRefusal("rowLock") { try context.execute(request) }
                    #expect(try context.count(Employee.self, matching: .format("visits == 0")) == 3)
                }
            }
            let child = store.container.newBackgroundContext().newChildContext()
            try await child.perform { child in
                var request = FetchRequest<Employee>()
                request.rowLock = lock
                Self.expectRefusal("rowLock") { try child.count(for: request) }
            }
        }
    }
}
