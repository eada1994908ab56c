import Foundation
import Howdah
import HowdahTesting
import Testing

/// The first version of the reports, as stores were made with it.
private enum ReportsV1: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Report",
                    properties: [
                        .attribute("title", .string, optional: false), .attribute("draft", .string),
                        .relationship("author", to: "Writer", inverse: "reports"),
                    ]),
                EntityDescription(
                    "Writer",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .relationship("reports", to: "Report", inverse: "author", toMany: true),
                    ]),
            ])
        }
    }
}

/// The second one has another name for the title, and nothing else.
private enum ReportsV2: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Report",
                    properties: [
                        .attribute("heading", .string, optional: false, renamingIdentifier: "title"),
                        .attribute("draft", .string),
                        .relationship("author", to: "Writer", inverse: "reports"),
                    ]),
                EntityDescription(
                    "Writer",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .relationship("reports", to: "Report", inverse: "author", toMany: true),
                    ]),
            ])
        }
    }
}

// snippet
@Entity(abstract: true) class Document: ManagedObject {
    @Attribute(renamingIdentifier: "title") var headline: String  // was title, then heading
}

@Entity final class Report: Document {
    var pages: Int = 1
    @Relationship(inverse: "reports", renamingIdentifier: "author") var writers: OrderedToMany<Writer>
}

@Entity final class Writer: ManagedObject {
    var name: String
    @Relationship(inverse: "writers") var reports: ToMany<Report>
}
// end

/// The code of the part of `docs/from-core-data.md` about migrations that are inferred.
@Suite struct FromCoreDataInferenceTests {
    /// From the first version to the last one at once, and through the one between.
    @Test(arguments: [false, true]) func lightweight(_ isThroughTheSecond: Bool) async throws {
        let first = try ReportsV1.model
        try await withTemporaryDatabase(for: first) { database in
            let before = try await PersistentContainer.open(database.url, model: first)
            try await before.perform { context in
                let writer = context.insert("Writer")
                writer["name"] = "Ann"
                let report = context.insert("Report")
                report["title"] = "Rain"
                report["draft"] = "It rained."
                report["author"] = writer
                try context.save()
            }
            await before.close()
            let url = database.url
            if isThroughTheSecond {
                var options = StoreOptions()
                options.shouldMigrateStoreAutomatically = true
                let between = try await PersistentContainer.open(
                    url, model: ReportsV2.model, options: options)
                await between.close()
            }
            // snippet
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            options.confirmedDrops = ["Report.draft"]  // its values go
            let container = try await PersistentContainer.open(
                url, model: .init(Document.self, Report.self, Writer.self), options: options)
            // end
            let found = try await container.perform { context in
                try context.fetch(Report.self).map {
                    "\($0.headline) \($0.pages) \($0.writers.map(\.name))"
                }
            }
            await container.close()
            #expect(found == ["Rain 1 [\"Ann\"]"])
        }
    }
}
