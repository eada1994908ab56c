import DeclaredModels
import Foundation
import Howdah
import Testing

/// What an enum's attribute is in the model and in memory, without a store.
@Suite struct EnumModelTests {
    private func attribute(_ name: String) throws -> AttributeDescription {
        let letter = try #require(DeclaredLetters.model()["Letter"])
        return try #require(letter.properties.first { $0.name == name }?.attribute)
    }

    @Test func theColumnIsTheRawValues() throws {
        #expect(try attribute("status").type == .string)
        #expect(try attribute("urgency").type == .integer16)
        #expect(try attribute("weight").type == .integer64)
        #expect(try attribute("distance").type == .integer32)
    }

    @Test func theRawValuesAreTheAllowedOnes() throws {
        #expect(try attribute("status").allowedValues == ["draft", "sent", "re:answered"])
        #expect(try attribute("urgency").allowedValues == [1, 5, 1_000])
        #expect(try attribute("distance").allowedValues == [0, 100_000])
        #expect(try attribute("subject").allowedValues == [])
        let elements = try #require(attribute("stamp").type.composite?.elements)
        #expect(elements.map(\.allowedValues) == [[1, 5, 1_000], ["draft", "sent", "re:answered"]])
    }

    @Test func aCaseIsADefault() throws {
        #expect(try attribute("status").defaultValue == "draft")
        #expect(try attribute("distance").defaultValue == 0)
        #expect(try attribute("urgency").defaultValue == nil)
        #expect(try attribute("weight").defaultValue == nil)
    }

    @Test func aCaseMoreIsAnotherModel() throws {
        var entity = try #require(DeclaredLetters.model()["Letter"])
        let place = try #require(entity.properties.firstIndex { $0.name == "status" })
        var status = try #require(entity.properties[place].attribute)
        status.allowedValues.append("lost")
        entity.properties[place] = .attribute(status)
        let wider = try ManagedObjectModel(entities: [entity])
        #expect(try wider.versionChecksum != DeclaredLetters.model().versionChecksum)
    }

    @Test func valuesThatNoCaseHasDoNotFit() {
        #expect(LetterStatus._make("sent") == .sent)
        #expect(LetterStatus._make("lost") == nil)
        #expect(LetterStatus?._make("lost") == nil)
        #expect(LetterStatus?._make(.null) == .some(nil))
        #expect(LetterUrgency._make(5) == .high)
        #expect(LetterUrgency._make(2) == nil)
        #expect(LetterUrgency._make("high") == nil)
    }
}
