import Foundation
import HowdahModelFile
import HowdahSchema
import HowdahTesting
import ModelCorpus
import PQClient
import TestSupport
import Testing

@testable import HowdahModel

@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusModelTests {
    @Test func everyVersionIsReadLaidOutAndCreated() throws {
        #expect(Corpus.versions.count >= (TestTier.isNightly ? 282 : 30))
        let database = try EphemeralPostgres.shared().createDatabase()
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        for version in Corpus.versions {
            do {
                let contents = try ModelFile(at: version.file).contents(version: version.name)
                let model = contents.model
                for warning in contents.warnings { print("\(version): \(warning)") }
                let copy = try ManagedObjectModel(canonicalJSON: model.canonicalJSON)
                #expect(copy == model, "\(version)")
                let other = try JSONDecoder().decode(CanonicalJSON.self, from: JSONEncoder().encode(model))
                #expect(model.canonicalJSON == other.text, "\(version)")
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
