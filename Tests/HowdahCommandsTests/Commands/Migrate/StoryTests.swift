import Foundation
import HowdahTesting
import LocalPostgres
import TestSupport
import Testing

/// The stories in the folder `migrations`, as its page tells them.
@Suite struct StoryTests {
    /// A store that one of the stories is told with.
    private struct Story {
        let place: String
        let tool: ToolFolder
        let database: TemporaryDatabase

        init(_ name: String) throws {
            place = Repository.root.appending(path: "migrations/\(name)").path(percentEncoded: false)
            tool = try ToolFolder()
            database = try EphemeralPostgres.shared().createDatabase()
        }

        func run(
            _ arguments: String..., input: String? = nil, program: String = "howdah"
        ) throws -> Tool.Outcome {
            try Tool.run(
                arguments + ["--database", database.url], in: tool, input: input.map { "\(place)/\($0)" },
                program: program)
        }

        func apply(_ model: String, _ version: String) throws {
            let done = try run(
                "migrate", "apply", "--model", "\(place)/\(model)", "--version", version, "--quiet")
            #expect(done.status == 0, "\(done)")
        }

        func read(_ file: String, _ model: String, _ version: String) throws {
            let done = try run(
                "data", "import", "--model", "\(place)/\(model)", "--version", version, input: file)
            #expect(done.status == 0, "\(done)")
        }

        /// A store of two versions with their data; inference does not lead to the last one, because of `place`.
        func begin(_ model: String, _ versions: [(name: String, lines: String)], upTo place: String) throws {
            for version in versions {
                try apply(model, version.name)
                try read(version.lines, model, version.name)
            }
            let refused = try run("migrate", "apply", "--model", "\(self.place)/\(model)")
            #expect(refused.status == 3 && refused.complaint.contains(place), "\(refused)")
        }

        /// The whole store as lines; the model's tables are as they have to be.
        func contents(_ model: String, _ version: String) throws -> [String] {
            let checked = try run("migrate", "verify")
            #expect(checked.status == 0, "\(checked)")
            let written = try run("data", "export", "--model", "\(place)/\(model)", "--version", version)
            #expect(written.status == 0, "\(written)")
            return written.output.split(separator: "\n").map(String.init)
        }
    }

    @Test func flightDataBecomeObjects() throws {
        let (story, model) = (try Story("aircraft-logbook"), "Logbook.xcdatamodeld")
        try story.begin(
            model, [("Logbook", "entries.jsonl"), ("Logbook 2", "flights.jsonl")],
            upTo: "Aircraft.flightData")
        let plan = try story.run("migrate", "plan", "--plan", "\(story.place)/plan.yaml")
        #expect(plan.status == 2 && plan.output.contains("flight data as objects"), "\(plan)")
        let done = try story.run("migrate", "apply", "--plan", "\(story.place)/plan.yaml", "--quiet")
        #expect(done.status == 0, "\(done)")
        let lines = try story.contents(model, "Logbook 3")
        let tracks = lines.filter { $0.contains(#""@entity":"FlightData""#) }
        #expect(
            tracks.count == 2 && tracks.contains { $0.contains("EDMA 48.42 10.93") && $0.contains("D-EABC") })
        #expect(tracks.contains { $0.contains(#""track":"""#) && $0.contains("D-1234") }, "\(lines)")
        #expect(lines.count { $0.contains(#""@entity":"LogEntry""#) } == 4)
        #expect(lines.contains { $0.contains(#""primary":"white","secondary":"blue","tertiary":"red""#) })
        try story.database.drop()
    }

    @Test func anImageBecomesAnObjectAndThenOneOfMany() throws {
        let (story, model) = (try Story("notes-with-images"), "Notes.xcdatamodeld")
        try story.begin(model, [("Notes", "notes.jsonl"), ("Notes 2", "images.jsonl")], upTo: "Note.image")
        let rehearsed = try story.run(
            "migrate", "rehearse", "--live", "--plan", "\(story.place)/plan.yaml", "--quiet")
        #expect(rehearsed.status == 0, "\(rehearsed)")
        let done = try story.run("migrate", "apply", "--plan", "\(story.place)/plan.yaml", "--quiet")
        #expect(done.status == 0 && done.output.hasPrefix("migrated: 2 stages"), "\(done)")
        let lines = try story.contents(model, "Notes 4")
        let images = lines.filter { $0.contains(#""@entity":"Image""#) }
        #expect(images.count == 2 && images.contains { $0.contains("iVBORw0KGgo=") }, "\(lines)")
        #expect(images.contains { $0.contains("R0lGODlh") && $0.contains(#""number":3"#) }, "\(lines)")
        try story.database.drop()
    }

    @Test func artistsComeOutOfTheirTracksJSONOnce() throws {
        let (story, model) = (try Story("tracks-to-artists"), "Sources/Tracks.xcdatamodeld")
        try story.apply(model, "Tracks")
        try story.read("tracks.jsonl", model, "Tracks")
        let plan = try story.run("migrate", "plan", program: "TracksToArtists")
        #expect(plan.status == 2 && plan.output.contains("Track"), "\(plan)")
        let done = try story.run("migrate", "apply", "--quiet", program: "TracksToArtists")
        #expect(done.status == 0, "\(done)")
        let lines = try story.contents(model, "Tracks 2")
        #expect(
            lines.filter { $0.contains(#""@entity":"Artist""#) } == [
                #"{"@entity":"Artist","identifier":"a1","imageURL":"https://people.example/a1","name":"Ada","tracks":[{"@ref":{"number":1}},{"@ref":{"number":2}}]}"#,
                #"{"@entity":"Artist","identifier":"g7","imageURL":null,"name":"Grace","tracks":[{"@ref":{"number":2}}]}"#,
            ])
        #expect(lines.count { $0.contains(#""@entity":"Track""#) } == 4)
        #expect(try story.run("migrate", "status", program: "TracksToArtists").status == 0)
        try story.database.drop()
    }
}
