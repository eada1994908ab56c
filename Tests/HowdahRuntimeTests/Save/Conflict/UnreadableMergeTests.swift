import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Values of the store that the class cannot read, met by a policy: it fails as a fetch does, and shows nothing else.
@Suite struct UnreadableMergeTests {
    @Test(arguments: MergePolicyTests.types, [false, true])
    func aStoredValueThatIsTakenFails(type: MergePolicy.MergeType, isEnum: Bool) async throws {
        try await withStore(DeclaredLetters.model()) { container, sql in
            let id = try await container.perform { context in
                let letter = Letter(context: context)
                (letter.subject, letter.weight) = ("read", .light)
                try context.save()
                return letter.objectID
            }
            try sql.rows("ALTER TABLE letter DROP CONSTRAINT letter_status_allowed_check")
            let setting = isEnum ? "status = 'lost'" : "basics = '{\"theme\": 5}'"
            try await container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let letter = try context.existingObject(with: id)
                if isEnum { letter.status = .sent } else { letter.basics.theme = "here" }
                letter.subject = "here"
                try sql.rows("UPDATE letter SET \(setting), _version = _version + 1")
                if type == .mergeByPropertyObjectTrump || type == .overwrite {
                    // What is here is stored, over whatever is there.
                    try context.save()
                    return
                }
                let error = #expect(throws: FetchError.self) { try context.save() }
                #expect(error?.code == (isEnum ? .unknownCase : .invalidValue))
                #expect(error?.message.contains(isEnum ? "Letter.status" : "Letter.basics") == true)
                #expect(error?.objectURI == id.uriRepresentation.absoluteString)
                #expect(letter.subject == "here" && context.hasChanges)
                context.rollback()
            }
            let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
            #expect(try sql.value("SELECT subject FROM letter") == (isOurs ? "here" : "read"))
        }
    }
}
