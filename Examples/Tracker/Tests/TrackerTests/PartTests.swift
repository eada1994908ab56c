import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import Tracker

extension TrackerTests {
    /// Comments, labels, attachments and the board.
    @Suite struct PartTests {
        @Test("Comments, labels and watchers of an issue")
        func parts() async throws {
            try await withTracker { tracker in
                let (client, issue) = (tracker.client, try await tracker.issue())
                #expect(try await client.post(issue + "/comments", ["text": "Seen"]).status == 201)
                #expect(try await client.post(issue + "/comments", ["text": ""]).status == 422)
                let comments = try await client.get(issue + "/comments").decoded(Page<CommentDocument>.self)
                #expect(comments.items.map(\.text) == ["Seen"] && comments.items.map(\.author) == ["ada"])
                for number in 1...3 {
                    let text = ["text": "Comment \(number)"]
                    #expect(try await client.post(issue + "/comments", text).status == 201)
                }
                var (texts, path) = ([String](), issue + "/comments?limit=3")
                while true {
                    let page = try await client.get(path)
                    texts += try page.decoded(Page<CommentDocument>.self).items.map(\.text)
                    guard let link = page.headers["link"] else { break }
                    path = String(link.dropFirst().prefix { $0 != ">" })
                }
                #expect(texts == ["Seen", "Comment 1", "Comment 2", "Comment 3"])
                #expect(try await client.get(issue + "/comments?limit=0").status == 400)
                let estimate: [String: any Sendable] = [
                    "value": 1, "unit": String(repeating: "h", count: 21),
                ]
                let unit = ["estimate": estimate]
                #expect(try await client.send("PATCH", issue, unit, ["If-Match": "*"]).status == 422)
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for name in ["ui", "ui", "ui", "api%20v2"] {
                        group.addTask { try await client.send("PUT", issue + "/labels/" + name).status }
                    }
                    for try await status in group { #expect(status == 204) }
                }
                let labels = try await client.get(issue + "/labels").decoded(Page<String>.self)
                #expect(labels.items == ["api v2", "ui"])
                #expect(try await client.send("DELETE", issue + "/labels/ui").status == 204)
                #expect(try await client.send("PUT", issue + "/watchers/me").status == 204)
            }
        }

        @Test("Of many uploads of one name at once, one wins as a whole")
        func uploadsAtOnce() async throws {
            try await withTracker { tracker in
                let (client, issue) = (tracker.client, try await tracker.issue())
                func upload(_ number: Int, _ headers: [String: String]) async throws -> Client.Answer {
                    var request = client.request(
                        "PUT", issue + "/attachments/race",
                        headers.merging(["Content-Type": "x/\(number)"]) { $1 })
                    request.httpBody = Data(repeating: UInt8(number), count: 700_000)
                    return try await client.send(request)
                }
                func race(_ headers: [String: String]) async throws -> [Client.Answer] {
                    try await withThrowingTaskGroup(of: Client.Answer.self) { group in
                        for number in 1...8 { group.addTask { try await upload(number, headers) } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                }
                let first = try await race(["If-None-Match": "*"])
                #expect(first.map(\.status).sorted() == [204] + Array(repeating: 412, count: 7))
                let tag = try await client.get(issue + "/attachments/race").headers["etag"] ?? ""
                #expect(first.contains { $0.headers["etag"] == tag })
                let second = try await race(["If-Match": tag])
                #expect(
                    second.map(\.status).sorted() == [204] + Array(repeating: 412, count: 7),
                    "\(second.map { String(decoding: $0.body, as: UTF8.self) })")
                let third = try await race([:])
                #expect(third.allSatisfy { $0.status == 204 })
                #expect(Set(third.map { $0.headers["etag"] }).count == 8)
                let file = try await client.get(issue + "/attachments/race")
                #expect(file.headers["content-type"] == "x/\(file.body[0])")
                #expect(Set(file.body).count == 1 && file.body.count == 700_000)
                let left = try await tracker.container.perform {
                    try $0.count(for: FetchRequest<Tracker.Attachment>())
                }
                #expect(left == 1)
            }
        }

        @Test("An upload that is refused leaves the file before, or none")
        func refusedUpload() async throws {
            try await withTracker { tracker in
                let (client, issue) = (tracker.client, try await tracker.issue())
                let large = Data(count: 100_000_001)
                func upload(_ name: String, _ file: Data, _ type: String) async throws -> Int {
                    var request = client.request(
                        "PUT", issue + "/attachments/" + name, ["Content-Type": type])
                    request.httpBody = file
                    return try await client.send(request).status
                }
                #expect(try await upload("notes", Data("text".utf8), "text/plain") == 204)
                #expect(try await upload("notes", large, "image/png") == 413)
                #expect(try await upload("new", large, "image/png") == 413)
                let notes = try await client.get(issue + "/attachments/notes")
                #expect(notes.text == "text" && notes.headers["content-type"] == "text/plain")
                #expect(try await client.get(issue + "/attachments/new").status == 404)
                let names = try await client.get(issue + "/attachments").decoded(Page<String>.self)
                #expect(names.items == ["notes"])
            }
        }

        @Test("A file is sent and read in parts")
        func attachments() async throws {
            try await withTracker { tracker in
                let client = tracker.client
                let address = try await tracker.issue() + "/attachments/log.bin"
                let file = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 977) })
                var request = client.request("PUT", address, ["Content-Type": "application/x-log"])
                request.httpBody = file
                #expect(try await client.send(request).status == 204)
                let whole = try await client.get(address)
                #expect(whole.body == file && whole.headers["content-type"] == "application/x-log")
                for (range, expected) in [
                    ("bytes=0-9", 0..<10), ("bytes=2999990-", 2_999_990..<3_000_000),
                    ("bytes=-5", 2_999_995..<3_000_000), ("bytes=1000000-9999999", 1_000_000..<3_000_000),
                ] {
                    let part = try await client.get(address, headers: ["Range": range])
                    #expect(part.status == 206)
                    #expect(part.body == file[expected])
                    #expect(
                        part.headers["content-range"]
                            == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/3000000")
                }
                #expect(try await client.get(address, headers: ["Range": "bytes=3000000-"]).status == 416)
                let tag = whole.headers["etag"] ?? ""
                #expect(whole.headers["x-content-type-options"] == "nosniff")
                #expect(whole.headers["content-disposition"] == "attachment")
                for (known, status) in [(tag, 206), ("\"r0\"", 200)] {
                    let headers = ["Range": "bytes=0-9", "If-Range": known]
                    #expect(try await client.get(address, headers: headers).status == status)
                }
                for headers in [["If-Match": "\"r99999\""], ["If-None-Match": "*"]] {
                    var request = client.request("PUT", address, headers)
                    request.httpBody = Data([1])
                    #expect(try await client.send(request).status == 412)
                }
                let refused = try await client.send("DELETE", address, [:], ["If-Match": "\"r99999\""])
                #expect(refused.status == 412)
                #expect(try await client.get(address).body == file)
                #expect(try await client.get(address, headers: ["If-None-Match": tag]).status == 304)
                #expect(try await client.send("DELETE", address).status == 204)
                #expect(try await client.get(address).status == 404)
            }
        }

        @Test("An issue moves within its column and to another one")
        func moves() async throws {
            try await withTracker { tracker in
                let client = tracker.client
                let board = try await client.get("/board/CORE").decoded(Page<ColumnDocument>.self)
                #expect(board.items.map(\.status) == ["open", "active", "done"])
                #expect(board.items.map { $0.issues.map(\.number) } == [[1, 2, 3, 4, 5, 6], [], []])
                let ids = board.items[0].issues.map(\.id)
                for (id, place) in [
                    (ids[5], "open/0"), (ids[0], "active/0"), (ids[1], "active/0"), (ids[2], "open/99"),
                ] {
                    #expect(try await client.send("PUT", "/board/CORE/\(place)", ["issue": id]).status == 204)
                }
                let now = try await client.get("/board/CORE").decoded(Page<ColumnDocument>.self)
                #expect(now.items.map { $0.issues.map(\.number) } == [[6, 4, 5, 3], [2, 1], []])
                #expect(try await client.get("/issues/\(ids[0])").json["status"] as? String == "active")
                #expect(try await client.send("PUT", "/board/CORE/lost/0", ["issue": ids[0]]).status == 422)
                #expect(try await client.send("PUT", "/board/SITE/open/0", ["issue": ids[0]]).status == 422)
            }
        }
    }
}
