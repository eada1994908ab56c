import Foundation
import HowdahModel
import HowdahModelFile
import Testing

/// Files and bundles in a temporary folder.
struct ModelFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "model-file-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func place(_ text: String, at path: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func placeVersion(_ name: String, entity: String, in bundle: String) throws {
        let text = String(decoding: ModelText.file("<entity name=\"\(entity)\"/>"), as: UTF8.self)
        try place(text, at: "\(bundle).xcdatamodeld/\(name).xcdatamodel/contents")
    }

    private func placeCurrent(_ name: String, in bundle: String) throws {
        try place(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>
            """, at: "\(bundle).xcdatamodeld/.xccurrentversion")
    }

    private func error(_ path: String, version: String? = nil) -> ModelFileError? {
        do {
            _ = try ModelFile(at: folder.appending(path: path)).contents(version: version)
            return nil
        } catch {
            return error
        }
    }

    @Test func aBundleHasVersionsAndACurrentOne() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, entity) in [("Shop 10", "Ten"), ("Shop 2", "Two"), ("Shop", "One")] {
            try placeVersion(name, entity: entity, in: "Shop")
        }
        try placeCurrent("Shop 2", in: "Shop")
        let file = try ModelFile(at: folder.appending(path: "Shop.xcdatamodeld"))
        #expect(file.versions == ["Shop", "Shop 2", "Shop 10"])
        #expect(file.currentVersion == "Shop 2")
        #expect(try file.contents().model["Two"] != nil)
        #expect(try file.contents(version: "Shop 10").model["Ten"] != nil)
        #expect(try file.contents(version: "Shop.xcdatamodel").model["One"] != nil)
        #expect(error("Shop.xcdatamodeld", version: "Shop 3")?.code == .unknownVersion)
    }

    @Test func aBundleOfOneNeedsNoCurrentVersionAndOneOfTwoDoes() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try placeVersion("V1", entity: "A", in: "Old")
        #expect(error("Old.xcdatamodeld") == nil)
        try placeVersion("V2", entity: "B", in: "Old")
        #expect(error("Old.xcdatamodeld")?.code == .unknownVersion)
        #expect(error("Old.xcdatamodeld")?.message.contains("V1, V2") == true)
        try placeCurrent("V3", in: "Old")
        #expect(error("Old.xcdatamodeld")?.code == .unknownVersion)
    }

    @Test func aVersionWithoutContentsIsSaidToBeEmpty() throws {
        try placeVersion("One", entity: "A", in: "Half")
        try placeCurrent("One", in: "Half")
        try place("", at: "Half.xcdatamodeld/Two.xcdatamodel/layout")
        let error = try #require(self.error("Half.xcdatamodeld", version: "Two"))
        #expect(error.message.hasPrefix("The folder contains no model"), "\(error)")
        #expect(error.path?.hasSuffix("Two.xcdatamodel") == true)
    }

    @Test func otherFormsAreReadOrNamed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = String(decoding: ModelText.file("<entity name=\"A\"/>"), as: UTF8.self)
        try place(text, at: "Bare.xcdatamodel/contents")
        #expect(error("Bare.xcdatamodel") == nil)
        #expect(error("Bare.xcdatamodel/contents") == nil)
        let model = try ManagedObjectModel(contentsOf: folder.appending(path: "Bare.xcdatamodel"))
        try place(model.canonicalJSON, at: "bare.json")
        #expect(try ManagedObjectModel(contentsOf: folder.appending(path: "bare.json")) == model)

        try place("bplist00", at: "Legacy.xcdatamodel/elements")
        #expect(error("Legacy.xcdatamodel")?.code == .unsupportedFormat)
        try place("bplist00", at: "L.xcdatamodeld/L.xcdatamodel/elements")
        #expect(error("L.xcdatamodeld")?.code == .unsupportedFormat)
        try place("x", at: "Compiled.mom")
        #expect(error("Compiled.mom")?.code == .unsupportedFormat)
        try place("x", at: "Empty.xcdatamodeld/notes.txt")
        #expect(error("Empty.xcdatamodeld")?.code == .malformed)
        #expect(error("nothing.xcdatamodeld")?.code == .unreadable)
        #expect(error("Compiled.xcdatamodel")?.code == .unreadable)
        for json in ["", "{", "[]", "{\"format\": 9, \"entities\": []}", "{\"format\": 1}"] {
            try place(json, at: "wrong.json")
            #expect(error("wrong.json") != nil, "\(json)")
        }
        #expect(error("wrong.json")?.message.contains("entities") == true)
    }
}
