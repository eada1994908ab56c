import Foundation
import HowdahModel
import Testing

@testable import HowdahModelFile

/// Reads models from texts in tests.
enum ModelText {
    /// A model file around some elements.
    static func file(_ elements: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" \
            systemVersion="22A1" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
            userDefinedModelVersionIdentifier="">
            \(elements)
            </model>
            """.utf8)
    }

    static func read(_ elements: String) throws(ModelFileError) -> (
        model: ManagedObjectModel, warnings: [ModelFileWarning]
    ) {
        var reader = ModelReader()
        let model = try reader.model(of: ModelElement(reading: file(elements)))
        return (model, reader.warnings)
    }

    /// The model of elements that give no warning.
    static func model(_ elements: String) throws -> ManagedObjectModel {
        let (model, warnings) = try read(elements)
        #expect(warnings.isEmpty)
        return model
    }

    /// The one attribute of an entity, and the warnings.
    static func attribute(_ xml: String) throws -> (AttributeDescription, [String]) {
        let (model, warnings) = try read("<entity name=\"A\"><attribute name=\"x\" \(xml)/></entity>")
        return (try #require(model["A"]?.properties.first?.attribute), warnings.map(\.message))
    }

    static func error(_ elements: String) -> ModelFileError? {
        do {
            _ = try read(elements)
            return nil
        } catch {
            return error
        }
    }
}
