import Foundation
import Howdah
import HowdahTesting
import Testing

// snippet
enum CoursesV1: VersionedSchema {
    @Entity final class Course: ManagedObject {
        var name: String
        var first_day: Date?
    }

    static var model: ManagedObjectModel { get throws { try ManagedObjectModel(Course.self) } }
}

enum CoursesV2: VersionedSchema {
    @Entity final class Course: ManagedObject {
        @Attribute(.unique) var name: String
        var first_day: Date?
    }

    static var model: ManagedObjectModel { get throws { try ManagedObjectModel(Course.self) } }
}

enum CoursesV3: VersionedSchema {
    @Entity final class Course: ManagedObject {
        @Attribute(.unique) var name: String
        @Attribute(renamingIdentifier: "first_day") var firstDay: Date?
    }

    static var model: ManagedObjectModel { get throws { try ManagedObjectModel(Course.self) } }
}
// end

// snippet
enum CoursesPlan: SchemaMigrationPlan {
    static let stages: [MigrationStage] = [
        .custom(
            from: CoursesV1.self, to: CoursesV2.self,
            willMigrate: { context in
                var names: Set<String> = []
                for course in try context.fetch("Course") {
                    guard let name = course["name"] as? String else { continue }
                    if !names.insert(name).inserted { context.delete(course) }
                }
                try context.save()
            }),
        .lightweight(CoursesV2.self, to: CoursesV3.self),
    ]
}
// end

/// The code of the part of `docs/from-core-data.md` about versions as classes.
@Suite struct FromCoreDataSchemaTests {
    @Test func equalNamesGoBeforeTheyAreUnique() async throws {
        let first = try CoursesV1.model
        let day = Date(timeIntervalSince1970: 1_700_000_000)
        try await withTemporaryDatabase(for: first) { database in
            let before = try await PersistentContainer.open(database.url, model: first)
            try await before.perform { context in
                for name in ["Sailing", "Knots", "Sailing"] {
                    let course = CoursesV1.Course(context: context)
                    course.name = name
                    course.first_day = day
                }
                try context.save()
            }
            await before.close()
            let url = database.url
            // snippet
            let container = try await PersistentContainer.open(
                url, model: CoursesV3.model, migrating: CoursesPlan.self)
            // end
            let found = try await container.perform { context in
                try context.fetch(CoursesV3.Course.self, sortedBy: .ascending(\.name)).map {
                    $0.firstDay == day ? $0.name : "another day"
                }
            }
            await container.close()
            #expect(found == ["Knots", "Sailing"])
        }
    }
}
