import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import Tracker

extension TrackerTests {
    @Suite struct BoardTests {
        @Test("50 subscribers of two servers end with the same board, though one server is killed")
        func sameBoard() async throws {
            try await withTracker(servers: 2) { tracker in
                let browsers = (0..<50).map { _ in BoardClient(tracker.servers, token: tracker.client.token) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, browser) in browsers.enumerated() {
                        group.addTask { await browser.follow("CORE", from: place) }
                    }
                    try await wait("The streams do not begin.") {
                        for browser in browsers where await browser.columns.count < 3 { return false }
                        return true
                    }
                    try await change(200, tracker)
                    let board = try await tracker.client.get("/board/CORE").decoded(Page<ColumnDocument>.self)
                    let expected = Dictionary(uniqueKeysWithValues: board.items.map { ($0.status, $0) })
                    for browser in browsers {
                        try await wait("A subscriber has another board.") {
                            await browser.columns == expected
                        }
                    }
                    group.cancelAll()
                }
                // Those of the second server came back to the first one.
                for browser in browsers.enumerated() where browser.offset % 2 == 1 {
                    #expect(await browser.element.connections >= 2)
                }
            }
        }

        /// Moves and edits issues, and kills the second server on the way.
        private func change(_ count: Int, _ tracker: TrackerUnderTest) async throws {
            let client = tracker.client
            let board = try await client.get("/board/CORE").decoded(Page<ColumnDocument>.self)
            let ids = board.items.flatMap(\.issues).map(\.id)
            for number in 0..<count {
                let id = ids[number % ids.count]
                if number == count / 2 { tracker.servers[1].send(SIGKILL) }
                if number.isMultiple(of: 2) {
                    let place = "\(Tracker.Issue.statuses[number / 2 % 3])/\(number % 3)"
                    let answer = try await client.send("PUT", "/board/CORE/\(place)", ["issue": id])
                    try #require(answer.status == 204)
                } else {
                    let tag = try await client.get("/issues/\(id)").headers["etag"] ?? ""
                    let answer = try await client.send(
                        "PATCH", "/issues/\(id)", ["title": "Title \(number)"], ["If-Match": tag])
                    try #require(answer.status == 200)
                }
            }
        }

        @Test("A client that comes back is sent what it does not have")
        func resumes() throws {
            func part(_ text: String) -> Board.Part { Board.Part(json: text, digest: text) }
            let first = Board(columns: [part("a1"), part("b1")])
            let second = Board(columns: [part("a1"), part("b2")])
            var stream = EventStream(lastEventID: nil)
            #expect(
                stream.text(of: first)
                    == "id: a1.0\nevent: column\ndata: a1\n\nid: a1.b1\nevent: column\ndata: b1\n\n")
            #expect(stream.text(of: first) == ":\n\n")
            var again = EventStream(lastEventID: "a1.b1")
            #expect(again.text(of: second) == "id: a1.b2\nevent: column\ndata: b2\n\n")
            var half = EventStream(lastEventID: "a1.0")
            #expect(half.text(of: first) == "id: a1.b1\nevent: column\ndata: b1\n\n")
            var strange = EventStream(lastEventID: "nonsense")
            #expect(strange.text(of: first).contains("data: a1"))
        }
    }
}
