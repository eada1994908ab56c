// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
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

public struct LetterSettings: AttributeJSON {
    public struct Window: Codable, Hashable, Sendable {
        public var width: Int = 0
        public var ratio: Double?
        public var title: String?
        public init(width: Int = 0, ratio: Double? = nil, title: String? = nil) {
            (self.width, self.ratio, self.title) = (width, ratio, title)
        }
    }

    public var theme: String = "light"
    public var isWide: Bool?
    public var window: Window?
    public var price: Decimal?
    public var since: Date?
    public var colours: [String] = []

    public init() {}
    public init(theme: String, isWide: Bool?, window: Window?) {
        (self.theme, self.isWide, self.window) = (theme, isWide, window)
    }
}

@Entity public final class Letter: ManagedObject {
    public var subject: String
    public var status: LetterStatus = .draft
    public var urgency: LetterUrgency?
    public var weight: LetterWeight
    public var distance: LetterDistance? = .near
    public var stamp: LetterStamp?
    public var settings: LetterSettings?
    public var basics: LetterSettings = LetterSettings()
    @Relationship(inverse: "replies") public var original: Letter?
    @Relationship(inverse: "original") public var replies: ToMany<Letter>
}
