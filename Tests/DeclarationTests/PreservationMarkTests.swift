import Howdah
import Testing

enum Standing: String, AttributeEnum { case good, bad, unknown }

@Entity final class PreservedGuest: ManagedObject {
    @Attribute(.unique, .preserveValueOnDeletion, maximumLength: 40) var email: String
    @Attribute(.preserveValueOnDeletion, unknown: Standing.unknown) var standing: Standing
    var note: String?
}

@Suite struct PreservationMarkTests {
    @Test("The option is the model's setting, and not a part of the checksum")
    func theOptionIsTheSetting() throws {
        let model = try ManagedObjectModel(PreservedGuest.self)
        let attributes = model.entities[0].properties.compactMap(\.attribute)
        #expect(attributes.map(\.preservesValueInHistoryOnDeletion) == [true, true, false])
        var plain = model.entities
        plain[0].properties = attributes.map { attribute in
            var attribute = attribute
            attribute.preservesValueInHistoryOnDeletion = false
            return .attribute(attribute)
        }
        #expect(try ManagedObjectModel(entities: plain).versionChecksum == model.versionChecksum)
        #expect(model.warnings.isEmpty)
    }
}
