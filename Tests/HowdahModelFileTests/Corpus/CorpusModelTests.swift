import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahTesting
import PQClient
import Testing

@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusModelTests {
    /// The current version of each bundle; at night all of them.
    static let versions: [Corpus.Version] = Corpus.files.flatMap { project, url -> [Corpus.Version] in
        guard let file = try? ModelFile(at: url) else { return [] }
        return file.versions.compactMap { name in
            let isCurrent = name == file.currentVersion
            return isCurrent || Corpus.isNightly
                ? Corpus.Version(file: url, name: name, project: project, isCurrent: isCurrent) : nil
        }
    }

    @Test func everyVersionIsReadLaidOutAndCreated() throws {
        #expect(Self.versions.count >= (Corpus.isNightly ? 282 : 30))
        let database = try EphemeralPostgres.shared().createDatabase()
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        for version in Self.versions {
            do {
                let contents = try ModelFile(at: version.file).contents(version: version.name)
                let model = contents.model
                for warning in contents.warnings { print("\(version): \(warning)") }
                let copy = try ManagedObjectModel(canonicalJSON: model.canonicalJSON)
                #expect(copy == model, "\(version)")
                #expect(copy.versionChecksum == model.versionChecksum, "\(version)")
                let schema = try StoreSchema(model, schemaName: "model")
                try connection.begin()
                try connection.executeScript(SchemaCreation(schema).statements.joined(separator: ";\n"))
                try connection.rollback()
            } catch {
                Issue.record("\(version): \(error)")
            }
        }
    }
}
