import Foundation
import HowdahBrowse
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport

/// A model with what the pages distinguish: hierarchies, composites, blobs, links, masked values.
enum Shop {
    static func model() throws -> ManagedObjectModel {
        let address = CompositeDescription(
            "Address",
            [AttributeDescription("street", .string), AttributeDescription("city", .string)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Department",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("employees", to: "Employee", inverse: "department", toMany: true),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Employee",
                properties: [
                    .attribute("name", .string), .attribute("salary", .decimal),
                    .attribute("isActive", .boolean, optional: false, default: true),
                    .attribute("address", .composite(address)), .attribute("photo", .binary),
                    .attribute("notes", .string),
                    .attribute(
                        AttributeDescription(
                            "secret", .string, userInfo: ["howdah.sensitive": "true"])),
                    .relationship("department", to: "Department", inverse: "employees"),
                    .relationship("projects", to: "Project", inverse: "members", toMany: true),
                ]),
            EntityDescription(
                "Manager", superentity: "Employee", properties: [.attribute("level", .integer32)]),
            EntityDescription(
                "Project",
                properties: [
                    .attribute("title", .string),
                    .relationship("members", to: "Employee", inverse: "projects", toMany: true),
                ]),
        ])
    }

    /// Runs `body` with a site over a new store with some objects.
    nonisolated(nonsending)
        static func withSite(
            _ body: (BrowseSite, PersistentContainer) async throws -> Void
        ) async throws
    {
        try await withTestStore(try model()) { container in
            try await fill(container)
            try await body(BrowseSite(container) { _ in .read }, container)
        }
    }

    /// Saves two departments, 250 employees of whom every tenth is a manager, and a project.
    static func fill(_ container: PersistentContainer) async throws {
        try await container.perform { context in
            let departments = ["Research", "Sales"].map { name in
                let department = context.insert("Department")
                department["name"] = name
                return department
            }
            let project = context.insert("Project")
            project["title"] = "Apollo"
            var members: [ManagedObject] = []
            for number in 1...250 {
                let employee = context.insert(number % 10 == 0 ? "Manager" : "Employee")
                employee["name"] = "Person \(1_000 + number)"
                employee["salary"] = Decimal(number)
                employee["secret"] = "hidden \(number)"
                if number <= 200 { employee["department"] = departments[number % 2] }
                if number <= 3 { members.append(employee) }
            }
            project["members"] = members
            try context.save()
        }
        try await container.perform { context in
            _ = try context.withConnection { try $0.query("ANALYZE", cached: false) }
        }
    }
}

extension BrowseSite {
    /// Returns the text of the response to a GET.
    func text(_ target: String, status: Int = 200) async throws -> String {
        let response = await respond(to: BrowseRequest(target: target))
        let text = try await response.text()
        if response.status != status { throw UnexpectedStatus(status: response.status, text: text) }
        return text
    }
}

extension BrowseResponse {
    /// The whole body as text.
    func text() async throws -> String {
        switch body {
        case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .stream(let parts):
            var all: [UInt8] = []
            for try await part in parts { all += part }
            return String(decoding: all, as: UTF8.self)
        }
    }
}

struct UnexpectedStatus: Error {
    let status: Int
    let text: String
}
