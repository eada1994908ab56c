import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Versions that leave the process: what a server sends as an ETag and gets back with If-Match.
@Suite struct VersionTests {
    @Test func aStaleVersionIsAConflictWithTheChangedProperties() async throws {
        try await withTestStore(Forum.model()) { container in
            let (id, first) = try await container.perform { context in
                let page = context.insert("Page")
                page["text"] = "one"
                #expect(page.version == nil)
                try context.save()
                return (page.objectID, try #require(page.version))
            }
            let second = try await container.perform { context in
                let page = try context.existingObject(with: id, version: first)
                page["text"] = "two"
                #expect(page.version == first)
                try context.save()
                return try #require(page.version)
            }
            #expect(first != second)
            for type in MergePolicy.MergeType.allCases {
                try await container.perform { context in
                    context.mergePolicy = MergePolicy(merge: type)
                    let page = try context.existingObject(with: id, version: first)
                    page["text"] = "stale"
                    let error = #expect(throws: SaveError.self) { try context.save() }
                    let conflict = try #require(error?.conflicts.first)
                    #expect(
                        error?.code == .conflict && conflict.objectID == id && conflict.properties == ["text"]
                    )
                    #expect(conflict.values["text"]?.stored as? String == "two")
                    #expect(conflict.values["text"]?.local as? String == "stale")
                    let problem = ProblemDetails(try #require(error), hasPrecondition: true)
                    #expect(problem.status == 412 && problem.errors.map(\.pointer) == ["/text"])
                    #expect(problem.errors.map(\.object) == [id.pathComponent])
                    #expect(try !String(decoding: problem.json(), as: UTF8.self).contains("stale"))
                    // The right version afterwards replaces the one that was named before.
                    _ = try context.existingObject(with: id, version: second)
                    page["text"] = "two"
                    try context.save()
                }
            }
            // Nothing would be lost.
            try await container.perform { context in
                _ = try context.existingObject(with: id, version: first)
                try context.save()
            }
            try await container.perform { context in
                context.delete(try context.existingObject(with: id, version: first))
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
            }
            try await container.perform { context in
                #expect(try context.existingObject(with: id)["text"] as? String == "two")
                let document = try context.graphDocument(of: context.fetch("Page"))
                let version = try #require(document.version)
                #expect(throws: FetchError.self) { try context.existingObject(with: id, version: version) }
            }
        }
    }

    @Test func aChangeAfterTheCallIsAConflictToo() async throws {
        try await withStore(Forum.model()) { container, sql in
            let id = try await container.perform { context in
                let (page, user) = (context.insert("Page"), context.insert("User"))
                user["email"] = "a@x"
                try context.save()
                return page.objectID
            }
            try await container.perform { context in
                let version = try #require(try context.existingObject(with: id).version)
                _ = try context.existingObject(with: id, version: version)
                // The page itself stays as it is; what is saved relies on it.
                context.insert("User")["email"] = "b@x"
                try sql.rows("UPDATE page SET text = 'elsewhere', _version = _version + 1")
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.conflicts.map(\.objectID) == [id])
            }
        }
    }

    /// No policy, refresh or empty save makes a named version be forgotten.
    @Test func aNamedVersionIsComparedInAnyCase() async throws {
        try await withStore(Forum.model()) { container, sql in
            let (id, first) = try await container.perform { context in
                let page = context.insert("Page")
                try context.save()
                return (page.objectID, try #require(page.version))
            }
            func elsewhere() throws {
                try sql.rows("UPDATE page SET text = 'elsewhere', _version = _version + 1")
            }
            for type in MergePolicy.MergeType.allCases {
                let url = sql.url
                try await container.perform { context in
                    context.mergePolicy = MergePolicy(merge: type)
                    let page = try context.existingObject(with: id)
                    _ = try context.existingObject(with: id, version: try #require(page.version))
                    page["text"] = "mine"
                    try PlainSQL(url: url).rows("UPDATE page SET text = 'theirs', _version = _version + 1")
                    #expect(throws: SaveError.self, "\(type)") { try context.save() }
                    context.rollback()
                }
                #expect(try sql.value("SELECT text FROM page") == "theirs", "\(type)")
            }
            try elsewhere()
            try await container.perform { context in
                let page = try context.existingObject(with: id, version: first)
                try context.refresh(page, mergeChanges: false)
                context.insert("User")["email"] = "a@x"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.conflicts.first?.isOfNamedVersion == true)
                context.rollback()
            }
            try await container.perform { context in
                let page = try context.existingObject(with: id, version: first)
                try context.save()
                page["text"] = "late"
                let error = #expect(throws: SaveError.self) { try context.save() }
                let text = "\(try #require(error))"
                #expect(text.contains("has another version in the store than the one passed to"))
                context.rollback()
            }
            try await container.perform { context in
                let new = context.insert("Page")
                new["slug"] = "new"
                try context.obtainPermanentIDs(for: [new])
                _ = try context.existingObject(with: new.objectID, version: first)
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
                // A rollback drops the expectation with the changes.
                _ = try context.existingObject(with: id, version: first)
                context.rollback()
                context.insert("User")["email"] = "b@x"
                try context.save()
            }
        }
    }

    @Test func aVersionNamedInAChildIsComparedByItsParent() async throws {
        try await withStore(Forum.model()) { container, sql in
            let id = try await container.perform { context in
                let page = context.insert("Page")
                try context.save()
                return page.objectID
            }
            let url = sql.url
            try await container.perform { context in
                context.mergePolicy = .overwrite
                let child = context.newChildContext()
                let page = try child.existingObject(with: id)
                _ = try child.existingObject(with: id, version: try #require(page.version))
                page["text"] = "mine"
                try child.save()
                try PlainSQL(url: url).rows("UPDATE page SET text = 'theirs', _version = _version + 1")
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
            }
            #expect(try sql.value("SELECT text FROM page") == "theirs")
        }
    }

    /// What stores nothing, or is rolled back, uses up no named version.
    @Test func aNamedVersionOutlivesWhatIsNotStored() async throws {
        struct Stop: Error {}
        try await withStore(Forum.model()) { container, sql in
            let id = try await container.perform { context in
                let page = context.insert("Page")
                page["text"] = "one"
                try context.save()
                return page.objectID
            }
            let url = sql.url
            func elsewhere() throws {
                try PlainSQL(url: url).rows("UPDATE page SET text = 'elsewhere', _version = _version + 1")
            }
            let before: [(String, @Sendable (ManagedObjectContext, ManagedObject) throws -> Void)] = [
                (
                    "an equal value",
                    { context, page in
                        page["text"] = page["text"]
                        try context.save()
                    }
                ),
                (
                    "a value that is changed back",
                    { context, page in
                        let text = page["text"]
                        page["text"] = "other"
                        page["text"] = text
                        try context.save()
                    }
                ),
            ]
            for (name, body) in before {
                for isChild in [false, true] {
                    try await container.perform { root in
                        root.mergePolicy = .overwrite
                        let context = isChild ? root.newChildContext() : root
                        context.mergePolicy = .overwrite
                        let page = try context.existingObject(with: id)
                        _ = try context.existingObject(with: id, version: try #require(page.version))
                        try body(context, page)
                        try PlainSQL(url: url).rows(
                            "UPDATE page SET text = 'elsewhere', _version = _version + 1")
                        page["text"] = "mine"
                        #expect(throws: SaveError.self, "\(name)") {
                            try context.save()
                            try root.save()
                        }
                        root.rollback()
                    }
                    #expect(try sql.value("SELECT text FROM page") == "elsewhere", "\(name)")
                }
            }
            // A transaction that is rolled back leaves the changes unsaved, and the version named.
            let background = container.newBackgroundContext()
            await #expect(throws: Stop.self) {
                try await background.perform(isolation: .readCommitted) { context in
                    context.mergePolicy = .overwrite
                    let page = try context.existingObject(with: id)
                    _ = try context.existingObject(with: id, version: try #require(page.version))
                    page["text"] = "rolled back"
                    try context.save()
                    throw Stop()
                }
            }
            try elsewhere()
            let error = await #expect(throws: SaveError.self) {
                try await background.perform { try $0.save() }
            }
            #expect(error?.code == .conflict && error?.conflicts.first?.version != nil)
            #expect(try sql.value("SELECT text FROM page") == "elsewhere")
        }
    }

    /// The stale one of two named versions counts, and unsaved values of a parent have no version.
    @Test func parentsAndChildrenThatNameVersions() async throws {
        try await withStore(Forum.model()) { container, sql in
            let id = try await container.perform { context in
                let page = context.insert("Page")
                page["text"] = "one"
                try context.save()
                return page.objectID
            }
            let url = sql.url
            try await container.perform { context in
                context.mergePolicy = .overwrite
                let page = try context.existingObject(with: id)
                let first = try #require(page.version)
                try PlainSQL(url: url).rows("UPDATE page SET text = 'elsewhere', _version = _version + 1")
                try context.refresh(page, mergeChanges: false)
                _ = try context.existingObject(with: id, version: first)
                page["text"] = "stale"
                let child = context.newChildContext()
                child.mergePolicy = .overwrite
                let copy = try child.existingObject(with: id)
                _ = try child.existingObject(with: id, version: try #require(copy.version))
                copy["text"] = "of the child"
                try child.save()
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
            }
            #expect(try sql.value("SELECT text FROM page") == "elsewhere")
            try await container.perform { context in
                let page = try context.existingObject(with: id)
                let child = context.newChildContext()
                let copy = try child.existingObject(with: id)
                copy["text"] = "of the child"
                page["text"] = "of the parent"
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.conflicts.first?.values["text"]?.stored as? String == "of the parent")
                #expect(error?.conflicts.first != nil && error?.conflicts.first?.version == nil)
            }
        }
    }

    @Test func aDocumentChangesWithItsMembersAndTheirRows() async throws {
        try await withTestStore(Forum.model()) { container in
            let ids = try await container.perform { context in
                let user = context.insert("User")
                (user["email"], user["name"]) = ("ada@x", "Ada")
                let post = context.insert("Post")
                (post["number"], post["text"], post["author"]) = (Int32(1), "first", user)
                try context.save()
                return (user.objectID, post.objectID)
            }
            @Sendable func read() async throws -> (GraphDocument, ObjectVersion?) {
                try await container.perform { context in
                    let user = try context.existingObject(with: ids.0)
                    return (
                        try context.graphDocument(of: [user], keyPaths: ["name", "posts.text"]), user.version
                    )
                }
            }
            var seen: Set<ObjectVersion> = []
            let (first, row) = try await read()
            #expect(try await read().0.version == first.version)
            seen.insert(try #require(first.version))
            let changes: [@Sendable (ManagedObjectContext) throws -> Void] = [
                { context in
                    let post = context.insert("Post")
                    (post["number"], post["author"]) = (Int32(2), try context.existingObject(with: ids.0))
                },
                { context in try context.existingObject(with: ids.1)["text"] = "changed" },
                // Not shown in the document, but a version of a row in it.
                { context in try context.existingObject(with: ids.1)["section"] = "other" },
                { context in try context.existingObject(with: ids.1)["author"] = nil },
            ]
            for change in changes {
                try await container.perform { context in
                    try change(context)
                    try context.save()
                }
                let (document, now) = try await read()
                #expect(seen.insert(try #require(document.version)).inserted)
                // The owner's row has not changed: its version alone would give a wrong 304.
                #expect(now == row)
            }
            try await container.perform { context in
                let user = try context.existingObject(with: ids.0)
                let json = try context.encodeGraph(of: [user])
                #expect(try context.graphDocument(of: [user]).json == json)
                user["name"] = "unsaved"
                #expect(try context.graphDocument(of: [user]).version == nil)
            }
        }
    }

    @Test func idsInURLsAreCheckedAgainstTheEntity() async throws {
        try await withTestStore(Forum.model()) { container in
            let (user, admin) = try await container.perform { context in
                let (user, admin) = (context.insert("User"), context.insert("Admin"))
                (user["email"], admin["email"]) = ("a", "b")
                #expect(user.objectID.pathComponent.hasPrefix("User-t"))
                try context.save()
                return (user.objectID, admin.objectID)
            }
            #expect(user.pathComponent.hasPrefix("User-p") && admin.pathComponent.hasPrefix("Admin-p"))
            #expect(container.objectID(pathComponent: user.pathComponent) == user)
            for text in ["Users-p1", "User-t1", "User", "User-p1;", "x-howdah://a/User/p1", ""] {
                let id: ObjectID<ManagedObject>? = container.objectID(pathComponent: text)
                #expect(id == nil, "\(text)")
            }
        }
    }
}
