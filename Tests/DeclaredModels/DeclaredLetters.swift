// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Howdah

/// Letters with attributes of kinds that Core Data does not have.
public enum DeclaredLetters {
    public static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Letter.self) }
}

public enum LetterStatus: String, AttributeEnum { case draft, sent, answered = "re:answered" }
public enum LetterUrgency: Int, AttributeEnum { case low = 1, high = 5, extreme = 1_000 }
public enum LetterWeight: Int64, AttributeEnum { case light = 0, heavy }
public enum LetterDistance: Int, AttributeEnum { case near = 0, far = 100_000 }

@Composite public struct LetterStamp {
    public var urgency: LetterUrgency
    public var status: LetterStatus?

    public init(urgency: LetterUrgency, status: LetterStatus?) {
        self.urgency = urgency
        self.status = status
    }
}

@Entity public final class Letter: ManagedObject {
    public var subject: String
    public var status: LetterStatus = .draft
    public var urgency: LetterUrgency?
    public var weight: LetterWeight
    public var distance: LetterDistance? = .near
    public var stamp: LetterStamp?
    @Relationship(inverse: "replies") public var original: Letter?
    @Relationship(inverse: "original") public var replies: ToMany<Letter>
}
