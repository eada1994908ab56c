import Foundation
import Howdah

/// Two teams with projects and issues.
enum Seed {
    private static let subjects = [
        "The cursor jumps when a line wraps", "Export ends after 10,000 rows", "Crash on an empty file",
        "The search ignores accents", "Dates of next year are red", "Sign-in fails behind the proxy",
    ]

    static func insert(into context: ManagedObjectContext) throws {
        let crew = try team("Crew", ["ada": "lovelace", "grace": "hopper"], context)
        let guests = try team("Guests", ["mallory": "outsider"], context)
        let core = Project(key: "CORE", title: "Core", team: crew.team, context: context)
        let site = Project(key: "SITE", title: "Site", team: crew.team, context: context)
        let other = Project(key: "OTHER", title: "Of guests", team: guests.team, context: context)
        let crash = Label(context: context)
        (crash.name, crash.project) = ("crash", core)
        try context.save()
        for (number, subject) in subjects.enumerated() {
            let issue = try core.addIssue(title: subject, author: crew.users[0])
            issue.priority = Int16(number % 5 + 1)
            issue.estimate = number % 2 == 0 ? Estimate(unit: "hours", value: Double(number) + 0.5) : nil
            issue.watchers.insert(crew.users[1])
            if subject.contains("Crash") { issue.labels.insert(crash) }
        }
        _ = try site.addIssue(title: "The imprint has the old address", author: crew.users[0])
        _ = try other.addIssue(title: "A secret of the guests", author: guests.users[0])
        try context.save()
    }

    private static func team(
        _ name: String, _ passwords: KeyValuePairs<String, String>, _ context: ManagedObjectContext
    ) throws -> (team: Team, users: [User]) {
        let team = Team(context: context)
        team.name = name
        let users = try passwords.map { login, password in
            let user = User(context: context)
            (user.login, user.team) = (login, team)
            try user.setPassword(password)
            return user
        }
        return (team, users)
    }
}

extension TrackerApp {
    /// Fills an empty store.
    static func seed() async throws {
        let container = try await container()
        try await container.perform { try Seed.insert(into: $0) }
        await container.close()
    }
}
