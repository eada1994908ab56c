import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// An object that notes its author, which only the context knows.
@Entity final class AuthoredNote: ManagedObject {
    var author: String?

    override func willSave() {
        if isInserted { author = managedObjectContext?.userInfo["author"] as? String }
    }
}

/// Values of the program's own that a context carries.
@Suite struct UserInfoTests {
    @Test func hooksReadUserInfoOfTheirContext() async throws {
        try await withTestStore(ManagedObjectModel(AuthoredNote.self)) { container in
            let handle = container.newBackgroundContext()
            try await handle.perform { context in
                #expect(context.userInfo.isEmpty)
                context.userInfo = ["author": "Ada", "attempts": 1]
                _ = AuthoredNote(context: context)
                try context.save()
                _ = AuthoredNote(context: context)
                context.rollback()
                context.reset()
                #expect(context.userInfo["author"] as? String == "Ada")
                #expect(context.newChildContext().userInfo.isEmpty)
            }
            try await handle.perform { context in
                #expect(context.userInfo["attempts"] as? Int == 1)
                let authors = try context.fetch(AuthoredNote.self).map { $0.author }
                #expect(authors == ["Ada"])
            }
            try await container.perform { #expect($0.userInfo.isEmpty) }
        }
    }
}
