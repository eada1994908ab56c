import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import Tracker

/// All tests start servers, so they run one after the other.
@Suite(.serialized) struct TrackerTests {}

extension TrackerTests {
    @Suite struct IssueTests {
        @Test("Preconditions, rules and rights have their statuses")
        func statuses() async throws {
            try await withTracker { tracker in
                let (client, issue) = (tracker.client, try await tracker.issue())
                let first = try await client.get(issue)
                let tag = try #require(first.headers["etag"])
                #expect(try await client.get(issue, headers: ["If-None-Match": tag]).status == 304)
                #expect(try await client.send("PATCH", issue, ["priority": 1]).status == 428)
                #expect(
                    try await client.send("PATCH", issue, ["priority": 9], ["If-Match": tag]).status == 422)
                let wrong = try await client.send("PATCH", issue, ["priority": "1"], ["If-Match": tag])
                #expect(wrong.status == 400)
                let places = try #require(try wrong.json["errors"] as? [[String: Any]])
                #expect(places.map { $0["pointer"] as? String } == ["/priority"])
                let whole: [String: any Sendable] = [
                    "title": "Whole", "status": "done", "dueOn": "2027-01-02T03:04:05Z",
                    "estimate": ["value": 2.5, "unit": "days"] as [String: any Sendable],
                ]
                let made = try await client.post("/projects/CORE/issues", whole)
                #expect(try made.status == 201 && made.json["status"] as? String == "done")
                #expect(try made.json["dueOn"] as? String == "2027-01-02T03:04:05Z")
                #expect(try (made.json["estimate"] as? [String: Any])?["unit"] as? String == "days")
                let nowhere = try await client.post("/projects/CORE/issues", ["title": "x", "status": "x"])
                let refused = try #require(try nowhere.json["errors"] as? [[String: Any]])
                #expect(nowhere.status == 422 && refused.map { $0["pointer"] as? String } == ["/status"])
                let other = try await client.send("PUT", issue, ["priority": 1])
                #expect(other.status == 405 && other.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH")
                let options = try await client.send(client.request("OPTIONS", issue))
                #expect(options.status == 204 && options.headers["allow"] == other.headers["allow"])
                let changed = try await client.send("PATCH", issue, ["priority": 5], ["If-Match": tag])
                #expect(changed.status == 200)
                #expect(try changed.json["priority"] as? Int == 5)
                #expect(try await client.get(issue, headers: ["If-None-Match": tag]).status == 200)

                let stale = try await client.send("PATCH", issue, ["priority": 4], ["If-Match": tag])
                #expect(stale.status == 412)
                #expect(try stale.json["properties"] as? [String] == ["priority"])
                #expect((try stale.json["current"] as? [String: Any])?["priority"] as? Int == 5)
                #expect(stale.headers["etag"] == changed.headers["etag"])
                #expect(stale.headers["content-type"] == ProblemDetails.mediaType)
                #expect(
                    try await client.send("PATCH", issue, [String: String](), ["If-Match": tag]).status == 412
                )
                let both: [String: any Sendable] = ["priority": 5, "title": "Other", "status": "done"]
                let partly = try await client.send("PATCH", issue, both, ["If-Match": tag])
                #expect(try partly.json["properties"] as? [String] == ["status", "title"])
                var clearing = client.request(
                    "PATCH", issue,
                    ["Content-Type": "application/json", "If-Match": changed.headers["etag"] ?? ""])
                clearing.httpBody = Data(#"{"title": null}"#.utf8)
                #expect(try await client.send(clearing).status == 422)
                #expect(
                    try await client.send("PATCH", issue, ["priority": 5], ["If-Match": "*"]).status == 200)
                #expect(try await client.send(client.request("HEAD", issue)).status == 200)

                #expect(try await client.get("/issues/Issue-p999999").status == 404)
                #expect(try await client.get("/issues/User-p1").status == 404)
                #expect(try await client.get("/nowhere").status == 404)
                let again = try await client.post("/projects", ["key": "CORE", "title": "Again"])
                #expect(again.status == 409)
                var guest = client
                guest.token = nil
                let unknown = try await guest.get(issue)
                #expect(unknown.status == 401)
                #expect(unknown.headers["content-type"] == ProblemDetails.mediaType)
                try await guest.logIn("mallory", "outsider")
                #expect(try await guest.get(issue).status == 404)
                #expect(try await guest.get("/projects/CORE/issues").status == 404)
                #expect(try await guest.post("/login", ["login": "ada", "password": "x"]).status == 401)
                for query in ["?preview=2", "?Preview=1", "?preview=1&x=1", "?x"] {
                    #expect(try await client.send("DELETE", issue + query).status == 400)
                    #expect(try await client.send("DELETE", "/projects/CORE" + query).status == 400)
                }
                #expect(try await client.send("DELETE", issue + "?preview=1").status == 200)
                #expect(try await client.send("DELETE", "/projects/CORE?preview=1").status == 200)
                for address in [issue, "/projects/CORE"] {
                    let refused = try await client.send("DELETE", address, [:], ["If-Match": "\"r99999\""])
                    #expect(refused.status == 412)
                    #expect(try await client.get(address).status == 200)
                }
                let present = try await client.get(issue).headers["etag"] ?? ""
                #expect(try await client.send("DELETE", issue, [:], ["If-Match": present]).status == 204)
                #expect(try await client.get(issue).status == 404)
            }
        }

        @Test("A request that is sent again creates one issue")
        func idempotency() async throws {
            try await withTracker { tracker in
                let headers = ["Idempotency-Key": "4711"]
                let answers = try await withThrowingTaskGroup(of: Client.Answer.self) { group in
                    for _ in 0..<8 {
                        group.addTask { [client = tracker.client] in
                            try await client.post(
                                "/projects/CORE/issues", ["title": "Once"], headers: headers)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.filter { $0.status == 201 }.count == 1)
                #expect(answers.filter { $0.status == 200 }.count == 7)
                #expect(Set(answers.map { $0.headers["location"] }).count == 1)
                let other = try await tracker.client.post(
                    "/projects/CORE/issues", ["title": "Other"], headers: headers)
                #expect(other.status == 422)
                let more: [String: any Sendable] = ["title": "Once", "priority": 1]
                let client = tracker.client
                #expect(try await client.post("/projects/CORE/issues", more, headers: headers).status == 422)
                // The issue may change in between.
                let (issue, tag) = (answers[0].headers["location"] ?? "", answers[0].headers["etag"] ?? "")
                #expect(
                    try await client.send("PATCH", issue, ["title": "Two"], ["If-Match": tag]).status == 200)
                let again = try await client.post(
                    "/projects/CORE/issues", ["title": "Once"], headers: headers)
                #expect(again.status == 200 && again.headers["location"] == issue)
                let empty = ["Idempotency-Key": ""]
                #expect(try await client.post("/projects/CORE/issues", more, headers: empty).status == 400)
            }
        }

        @Test("Many wrong logins stop no other request")
        func logins() async throws {
            try await withTracker { tracker in
                let client = tracker.client
                let (logins, slowest) = try await withThrowingTaskGroup(of: (Int, Duration?).self) { group in
                    for number in 0..<24 {
                        group.addTask {
                            let login = [
                                "login": number.isMultiple(of: 2) ? "ada" : "nobody", "password": "x",
                            ]
                            return (try await client.post("/login", login).status, nil)
                        }
                    }
                    group.addTask {
                        var slowest = Duration.zero
                        for _ in 0..<10 {
                            let start = ContinuousClock.now
                            let status = try await client.get("/livez").status
                            #expect(status == 200)
                            slowest = max(slowest, start.duration(to: .now))
                        }
                        return (200, slowest)
                    }
                    return try await group.reduce(into: ([Int](), Duration.zero)) { sum, answer in
                        if let slowest = answer.1 { sum.1 = slowest } else { sum.0.append(answer.0) }
                    }
                }
                #expect(Set(logins) == [401, 429])
                // A login takes a second and more in a debug build, and all of them a multiple of it.
                #expect(slowest < .seconds(3))
                for body in ["login=ada", "", "{}"] {
                    var request = client.request(
                        "POST", "/admin/login", ["Content-Type": "application/x-www-form-urlencoded"])
                    request.httpBody = Data(body.utf8)
                    #expect(try await client.send(request).status == 400)
                }
                #expect(try await client.get("/projects").status == 200)
            }
        }

        @Test("A user who was deleted, or moved to another team, is nobody, and their streams end")
        func formerUsers() async throws {
            try await withTracker { tracker in
                let (client, names) = (tracker.client, ["deleted", "moved"])
                try await tracker.container.perform { context in
                    let project = try context.fetch(Project.self, where: #Predicate { $0.key == "CORE" })[0]
                    for name in names {
                        let user = User(context: context)
                        (user.login, user.team) = (name, project.team)
                        try user.setPassword("secret")
                    }
                    try context.save()
                }
                var former: [Client] = []
                for name in names {
                    var other = client
                    other.token = nil
                    try await other.logIn(name, "secret")
                    #expect(try await other.get("/projects").status == 200)
                    former.append(other)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for other in former {
                        group.addTask {
                            for try await _ in other.parts(of: other.request("GET", "/projects/CORE/events"))
                            {}
                        }
                    }
                    try await tracker.container.perform { context in
                        let users = try context.fetch(
                            User.self, where: #Predicate { names.contains($0.login) },
                            sortedBy: .ascending(\.login))
                        context.delete(users[0])
                        let other = Team(context: context)
                        other.name = "Another team"
                        users[1].team = other
                        try context.save()
                    }
                    for other in former {
                        try await wait("A former user is still let in.") {
                            try await other.get("/projects").status == 401
                        }
                    }
                    // Else the limit of the suite ends this.
                    try await group.waitForAll()
                }
                #expect(try await client.get("/projects").status == 200)
            }
        }

        @Test("Changes of any version are made again after a conflict")
        func anyVersion() async throws {
            try await withTracker { tracker in
                let (client, issue) = (tracker.client, try await tracker.issue())
                try await withThrowingTaskGroup(of: [Int].self) { group in
                    for number in 0..<2 {
                        for path in [issue, "/projects/CORE"] {
                            group.addTask {
                                var statuses: [Int] = []
                                for round in 0..<20 {
                                    let title = ["title": "\(number) \(round)"]
                                    statuses.append(
                                        try await client.send("PATCH", path, title, ["If-Match": "*"]).status)
                                }
                                return statuses
                            }
                        }
                    }
                    for try await statuses in group { #expect(Set(statuses) == [200]) }
                }
            }
        }

        @Test("A deletion beside moves of the same issue waits for them")
        func deletionBesideMoves() async throws {
            try await withTracker(servers: 2) { tracker in
                let client = tracker.client
                for round in 0..<6 {
                    let made = try await client.post("/projects/CORE/issues", ["title": "\(round)"])
                    let id = try #require(try made.json["id"] as? String)
                    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                        for number in 0..<6 {
                            let other = Client(tracker.servers[number % 2], token: client.token)
                            group.addTask {
                                if number == 3 {
                                    return try await other.send("DELETE", "/issues/\(id)").status
                                }
                                if number > 3 {
                                    return try await other.send("PUT", "/board/CORE/active/0", ["issue": id])
                                        .status
                                }
                                let status = ["status": number == 0 ? "done" : "active"]
                                return try await other.send(
                                    "PATCH", "/issues/\(id)", status, ["If-Match": "*"]
                                ).status
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(Set(statuses).isSubset(of: [200, 204, 404]) && statuses.contains(204))
                }
            }
        }

        @Test("Two clients edit one issue, and no change is lost")
        func edits() async throws {
            try await withTracker(servers: 2) { tracker in
                let (issue, rounds) = (try await tracker.issue(), 500)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for server in tracker.servers {
                        group.addTask { [token = tracker.client.token] in
                            let client = Client(server, token: token)
                            for _ in 0..<rounds { try await addOne(to: issue, client) }
                        }
                    }
                    try await group.waitForAll()
                }
                let text = try await tracker.client.get(issue).json["text"] as? String
                #expect(text?.count == 2 * rounds)
            }
        }

        /// Adds a character to the text, as often as the server refuses the version.
        private func addOne(to issue: String, _ client: Client) async throws {
            var answer = try await client.get(issue)
            var text = try answer.json["text"] as? String ?? ""
            while true {
                let tag = answer.headers["etag"] ?? ""
                answer = try await client.send("PATCH", issue, ["text": text + "x"], ["If-Match": tag])
                if answer.status == 200 { return }
                try #require(answer.status == 412, "\(answer.text)")
                text = (try answer.json["current"] as? [String: Any])?["text"] as? String ?? ""
            }
        }
    }
}
