import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct DeletePreviewTests {
    /// The preview says what the save then does, for every shape and rule.
    @Test func itSaysWhatTheSaveDoes() async throws {
        let model = try RuleShape.model(triggers: false)
        let schema = try StoreSchema(model)
        try await withStore(model) { container, plain in
            let sql = try RuleSession(plain.url)
            var number = 0
            for shape in RuleShape.allCases {
                for rule in RuleShape.rules {
                    for victim in shape.victims {
                        number += 1
                        let store = RuleStore(
                            shape: shape, rule: rule, container: container, sql: sql, url: plain.url,
                            schema: schema, tag: "\(number)/")
                        try await check(store, victim)
                    }
                }
            }
        }
    }

    /// The object that may not go is named, not one above it, loaded or not.
    @Test(arguments: [false, true]) func whatDeniesIsNamed(propagates: Bool) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Node",
                properties: [
                    .relationship("kids", to: "Node", inverse: "parent", toMany: true, deleteRule: .cascade),
                    .relationship("parent", to: "Node", inverse: "kids"),
                    .relationship("blocks", to: "Node", inverse: "blocker", toMany: true, deleteRule: .deny),
                    .relationship("blocker", to: "Node", inverse: "blocks"),
                ])
        ])
        try await withStore(model) { container, _ in
            for isStored in [true, false] {
                let (root, kid) = try await container.perform { context in
                    let (root, kid) = (context.insert("Node"), context.insert("Node"))
                    kid["parent"] = root
                    if isStored { context.insert("Node")["blocker"] = kid }
                    try context.save()
                    return (root.objectID, kid.objectID)
                }
                try await container.perform { context in
                    context.propagatesDeletesAtEndOfEvent = propagates
                    if !isStored { context.insert("Node")["blocker"] = context.object(with: kid) }
                    let object = try context.existingObject(with: root)
                    let preview = try context.previewDelete(object)
                    context.delete(object)
                    let error = saveError { try context.save() }
                    #expect(error?.code == .referentialIntegrity)
                    for issues in [preview.issues, error?.issues ?? []] {
                        #expect(issues.map(\.objectID) == [kid] && issues.first?.propertyName == "blocks")
                        #expect(issues.first?.message.contains("while 1 object remains") == true)
                    }
                }
            }
        }
    }

    @Test func whatASaveDeletedIsDeletedAlready() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let employee = try context.existingObject(with: id)
                context.delete(employee)
                try context.save()
                context.delete(employee)
                #expect(try context.previewDelete(employee).description.isEmpty)
                #expect(!context.hasChanges)
            }
        }
    }

    nonisolated(nonsending) private func check(_ store: RuleStore, _ victim: String) async throws {
        let comment = Comment(rawValue: "\(store.shape) \(store.rule.rawValue) \(victim)")
        let ids = try await store.fill()
        let before = try store.stored(ids)
        let id = try #require(ids[victim])
        let (preview, error) = try await store.container.perform { context in
            let object = context.object(with: id)
            let preview = try context.previewDelete(object)
            #expect(!object.isDeleted && !context.hasChanges, comment)
            #expect(try store.stored(ids) == before, comment)
            context.delete(object)
            #expect(try context.previewDelete([]).description == preview.description, comment)
            return (preview, saveError { try context.save() })
        }
        #expect(preview.isAllowed == (error == nil), comment)
        let places = { (issues: [ValidationIssue]) in
            issues.map { "\($0.entityName).\($0.propertyName ?? "")" }
        }
        #expect(places(preview.issues) == places(error?.issues ?? []), comment)
        if error != nil { return }
        let after = try store.stored(ids)
        let names = Dictionary(uniqueKeysWithValues: ids.map { ($1, $0) })
        let gone = Set(preview.deleted.values.joined().compactMap { names[$0] })
        #expect(gone == before.objects.subtracting(after.objects), comment)
        let lost = before.links.subtracting(after.links)
        let survivors = lost.flatMap { [$0.owner, $0.item] }.filter(after.objects.contains)
        let named = Set(
            (preview.nullified + preview.unlinked).flatMap { $0.objectIDs.compactMap { names[$0] } })
        #expect(named.isSubset(of: survivors), comment)
        // Items whose own column is cleared are all named.
        if store.shape.place == .item {
            #expect(named == Set(lost.map(\.item)).intersection(after.objects), comment)
        }
    }

    @Test func aTreeCostsAStatementPerEdgeAndLevel() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Folder",
                properties: [
                    .relationship("files", to: "File", inverse: "folder", toMany: true, deleteRule: .cascade),
                    .relationship("owner", to: "Person", inverse: "folders"),
                ]),
            EntityDescription("File", properties: [.relationship("folder", to: "Folder", inverse: "files")]),
            EntityDescription(
                "Person",
                properties: [
                    .relationship(
                        "folders", to: "Folder", inverse: "owner", toMany: true, deleteRule: .cascade),
                    .relationship("cards", to: "Card", inverse: "holder", toMany: true),
                ]),
            EntityDescription("Card", properties: [.relationship("holder", to: "Person", inverse: "cards")]),
        ])
        try await withTestStore(model) { container in
            let id = try await container.perform { context in
                let person = context.insert("Person")
                for _ in 0..<3 {
                    let folder = context.insert("Folder")
                    folder["owner"] = person
                    for _ in 0..<4 { context.insert("File")["folder"] = folder }
                }
                context.insert("Card")["holder"] = person
                try context.save()
                return person.objectID
            }
            try await container.perform { context in
                let person = context.object(with: id)
                // One of its files is not stored yet.
                let folder = try #require(
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Folder")).first)
                folder["owner"] = person
                context.insert("File")["folder"] = folder
                container.statementLog.start()
                let preview = try context.previewDelete(person)
                #expect(container.statementLog.count == 3)
                #expect(
                    preview.description == """
                        delete File: 13
                        delete Folder: 3
                        delete Person: 1
                        nullify Card.holder: 1
                        """)
                #expect(preview.deleted["Person"] == [id])
                #expect(preview.deleted["File"]?.filter(\.isTemporaryID).count == 1)
                #expect(context.deletedObjects.isEmpty)
                context.rollback()
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "File")) == 12)
            }
        }
    }
}
