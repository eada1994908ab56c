import Foundation
import HowdahModel
import HowdahModelFile
import Testing

/// A model is the same whether it was declared, built of values, or read from a file.
struct SamenessTests {
    /// What of each entity is stored otherwise, as text, so that a failure tells where to look.
    private func difference(_ one: ManagedObjectModel, _ other: ManagedObjectModel) -> [String] {
        let (hashes, others) = (one.entityVersionHashes, other.entityVersionHashes)
        return Set(hashes.keys).union(others.keys).filter { hashes[$0] != others[$0] }.sorted().map { name in
            "\(name): \(String(describing: one[name])) \(String(describing: other[name]))"
        }
    }

    private func readBack(_ text: String, as name: String) throws -> ModelFile.Contents {
        let folder = FileManager.default.temporaryDirectory.appending(path: "same-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return try ModelFile(at: file).contents()
    }

    @Test func aDeclaredModelIsTheOneInXcodesFile() throws {
        let (declared, built) = (try Magazines.declared(), try Magazines.built())
        let xml = String(decoding: ModelText.file(Magazines.xml), as: UTF8.self)
        let read = try readBack(xml, as: "Shop.xcdatamodel/contents")
        #expect(read.warnings == [])
        #expect(difference(declared, built) == [])
        #expect(difference(declared, read.model) == [])
        #expect(Set([declared, built, read.model].map(\.versionChecksum)).count == 1)
    }

    @Test(arguments: [Magazines.declared, Letterboxes.declared])
    func aDeclaredModelIsTheOneInItsText(_ make: @Sendable () throws -> ManagedObjectModel) throws {
        let declared = try make()
        let read = try readBack(declared.canonicalJSON, as: "Shop.json")
        #expect(read.warnings == [])
        #expect(read.model == declared)
        #expect(read.model.versionChecksum == declared.versionChecksum)
    }

    @Test func whatOnlyHowdahHasIsTheSameDeclaredAndBuilt() throws {
        let (declared, built) = (try Letterboxes.declared(), try Letterboxes.built())
        #expect(difference(declared, built) == [])
        #expect(declared.versionChecksum == built.versionChecksum)
    }

    /// The comparison sees a difference in each of these.
    @Test(arguments: [
        ("pages &gt; 10", "pages &gt; 11"), ("value=\"number\"", "value=\"code\""),
        ("\"articles.@count\"", "\"pages\""),
        ("maxValueString=\"20\"", "maxValueString=\"21\""), ("ordered=\"YES\"", "ordered=\"NO\""),
        ("order=\"descending\"", "order=\"ascending\""), ("\"0.5\"", "\"0.25\""), ("Cascade", "Deny"),
    ])
    func aDifferenceIsSeen(_ text: String, _ other: String) throws {
        try #require(Magazines.xml.contains(text))
        let changed = Magazines.xml.replacing(text, with: other)
            .replacing(
                "Integer 64\" derived=\"YES\" derivationExpression=\"pages\"",
                with: "Integer 16\" optional=\"YES\" derived=\"YES\" derivationExpression=\"pages\"")
        let model = try ModelText.read(changed).model
        #expect(model.versionChecksum != (try Magazines.declared().versionChecksum))
    }
}
