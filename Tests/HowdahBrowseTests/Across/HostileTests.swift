import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Texts and names that try to become markup, and the header fields that keep them from it.
@Suite struct HostileTests {
    private static let attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"

    /// A model whose names are unusual, as far as the model allows.
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Überblick",
                properties: [
                    .attribute(
                        AttributeDescription(
                            "straße", .string, default: .string(Self.attack), regex: "<script>|.*")),
                    .relationship("nächste", to: "Überblick", inverse: "vorige"),
                    .relationship("vorige", to: "Überblick", inverse: "nächste", toMany: true),
                ],
                fetchIndexes: [])
        ])
    }

    /// Code that is copied shows what it does: characters that nobody sees are spelled out.
    @Test func theSwiftOfAPageSpellsOutWhatIsInvisible() throws {
        var view = ObjectsView(entity: "Employee")
        view.filter = "name == \"\u{202E}\u{7}\\\""
        #expect(
            try #require(SwiftCode(view: view, guide: ModelGuide(model: Shop.model())).text).contains(
                ##"request.predicate = .format("name == \"\u{202e}\u{7}\\\"")"##))
    }

    @Test func everyPageEscapesEveryValueAndHasEveryField() async throws {
        try await withTestStore(model()) { container in
            try await container.perform { context in
                let first = context.insert("Überblick")
                first["straße"] = Self.attack
                let second = context.insert("Überblick")
                second["straße"] = Self.attack
                second["nächste"] = first
                try context.save()
            }
            let site = BrowseSite(container) { _ in .read }
            let name = FormText.encoded("Überblick")
            let attack = FormText.encoded(Self.attack)
            let list = try await site.text("/objects/\(name)")
            let keys = Set(list.matches(of: /\/(\d+)"/).map { String($0.1) })
            #expect(keys.count == 2)
            var targets = [
                "/", "/browse.css", "/favicon.svg", "/diagram", "/diagram.svg", "/migrations", "/doctor",
                "/activity", "/sql",
                "/sql?query=\(attack)", "/structure/\(name)", "/objects/\(name)", "/objects/\(attack)",
                "/structure/\(attack)", "/object/\(attack)/1", "/objects/\(name)?where=\(attack)",
                "/objects/\(name)?where=\(FormText.encoded("straße == '\(Self.attack.replacing("'", with: "\\'"))'"))",
                "/objects/\(name)?sort=\(attack)", "/objects/\(name)?column=\(attack)",
                "/objects/\(name)?after=\(attack)", "/objects/\(name)?of=\(attack)/1/\(attack)",
                "/objects/\(name)?rows=\(attack)", "/\(attack)", "/export/\(name).csv",
                "/export/\(name).jsonl",
                "/export/\(attack).csv",
            ]
            for key in keys {
                targets += ["/object/\(name)/\(key)", "/json/\(name)/\(key)", "/delete/\(name)/\(key)"]
                targets.append("/value/\(name)/\(key)/\(FormText.encoded("straße"))")
            }
            for target in targets {
                let response = await site.respond(to: BrowseRequest(target: target))
                let text = try await response.text()
                if response.header("Content-Type")?.hasPrefix("text/html") == true {
                    let text = text.replacing(
                        "<script src=\"\(Links(prefix: "").script)\" data-root=\"\" defer></script>",
                        with: "",
                        maxReplacements: 1)
                    #expect(!text.contains("<script") && !text.contains("<img src=x"), "\(target)")
                    #expect(!text.contains("onerror=alert(2)>"), "\(target)")
                }
                let policy = try #require(response.header("Content-Security-Policy"))
                #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("script-src 'unsafe"))
                #expect(response.header("X-Content-Type-Options") == "nosniff", "\(target)")
                #expect(response.header("Referrer-Policy") == "same-origin", "\(target)")
                #expect(response.header("X-Frame-Options") == "DENY", "\(target)")
                #expect(response.header("Cache-Control") != nil, "\(target)")
                for (name, value) in response.headers {
                    #expect(!value.contains { $0.isNewline }, "\(target) \(name)")
                }
            }
        }
    }

    @Test func noPageHasThePassword() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            let role = "browse_\(UUID().uuidString.lowercased().prefix(8))"
            try sql.rows("CREATE ROLE \(role) LOGIN SUPERUSER PASSWORD 'gEheim-42'")
            var parts = try #require(URLComponents(string: database.url))
            (parts.user, parts.password) = (role, "gEheim-42")
            if let items = parts.queryItems { parts.queryItems = items.filter { $0.name != "user" } }
            let gate = BrowseGate(port: 8_124)
            let site = try await BrowseSite.opening(try #require(parts.string), gate: gate)
            for target in [
                "/", "/activity", "/doctor", "/migrations", "/sql", "/diagram", "/objects/Employee",
                "/nowhere",
                "/objects/Employee?where=%3D", "/structure/Employee",
            ] {
                let text = try await site.respond(to: gate.request(target)).text()
                #expect(!text.contains("gEheim"), "\(target)")
                #expect(!text.contains(gate.session), "\(target)")
            }
            await site.close()
            try sql.rows("DROP ROLE \(role)")
        }
    }
}
