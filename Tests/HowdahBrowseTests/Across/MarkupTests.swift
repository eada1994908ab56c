import Foundation
import HowdahBrowse
import HowdahModel
import HowdahRuntime
import Testing

/// The markup of every page.
@Suite struct MarkupTests {
    @Test func everyPageIsWellFormedAndLabelled() async throws {
        try await Shop.withSite { site, container in
            try await container.perform { context in
                let employee = context.insert("Manager")
                employee["name"] = "Ada"
                employee["notes"] = String(repeating: "long ", count: 1_000)
                employee["photo"] = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
                employee["address"] = ["street": "Main Street", "city": "Ulm"]
                try context.save()
            }
            let list = try await site.text("/objects/Project")
            let project = try #require(list.firstMatch(of: /\/object\/Project\/(\d+)/)?.1)
            let managers = try await site.text("/objects/Manager?where=name%20%3D%3D%20%22Ada%22")
            let manager = try #require(managers.firstMatch(of: /\/object\/Manager\/(\d+)/)?.1)
            #expect(managers.contains("<summary>Main Street, Ulm</summary>"))
            for target in [
                "/", "/objects/Employee", "/objects/Employee?where=address.city%20%3D%3D%20%22Ulm%22",
                "/objects/Employee?where=nme%20%3D%3D%201",
                "/objects/Employee?sort=-name&rows=100&column=name",
                "/objects/Employee?of=Project/\(project)/members", "/object/Project/\(project)",
                "/object/Manager/\(manager)", "/structure/Manager", "/structure/Department", "/diagram",
                "/migrations", "/doctor", "/activity", "/sql", "/nowhere", "/objects/Employee?sort=secret",
            ] {
                let text = try await site.respond(to: BrowseRequest(target: target)).text()
                #expect(MarkupCheck(text).faults == [], "\(target)")
            }
        }
    }

    @Test func theCheckFindsFaults() {
        let page = "<html lang=\"en\"><title></title><main id=\"a\"><h1></h1><p><div></div></p><th></th><img>"
        let faults = MarkupCheck(page + "<input id=\"a\" onclick=\"x\"></main></b></html>").faults
        #expect(
            faults == [
                "<div> in <p>", "<th> without scope", "<img> without alt", "id a twice",
                "script or style in <input>", "</b> in html", "no label for a",
            ])
    }
}
