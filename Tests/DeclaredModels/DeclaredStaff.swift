// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import Howdah

/// A hierarchy, open to subclasses of other modules, with setters and initial values of its own.
public enum DeclaredStaff {
    public static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Person.self, Worker.self, Boss.self)
    }
}

@Entity open class Person: ManagedObject {
    public var name: String
    @Relationship(inverse: "admirers") public var friend: Person?
    @Relationship(inverse: "friend") public var admirers: ToMany<Person>
}

@Entity open class Worker: Person {
    public var wage: Int = 0
    @Relationship(inverse: "team") public var boss: Boss?
}

@Entity public final class Boss: Worker {
    public var title: String?
    @Relationship(inverse: "boss") public var team: ToMany<Worker>
}

/// A ledger's line: written once, read by everybody.
@Entity public class Entry: ManagedObject {
    public private(set) var amount: Int
    public private(set) var note: String?
    public private(set) var token: UUID = UUID()
    public var bookedAt: Date = Date(timeIntervalSince1970: 1_000)
    public var `default`: Bool = true
    public var value: Double = -1.5
    @Relationship(inverse: "entries") public private(set) var book: Book?

    public func fill(amount: Int, note: String?, book: Book?) {
        self.amount = amount
        self.note = note
        self.book = book
    }
}

@Entity public final class Correction: Entry {
    public private(set) var reason: String = "typing \"error\""
}

@Entity("Ledger", unique: [["title", "year"]], table: "ledgers") public final class Book: ManagedObject {
    @Attribute(column: "book_title", minimumLength: 1, maximumLength: 80) public var title: String
    @Attribute(minimum: 1900) public var year: Int16
    @Attribute(.transient) public var isOpen: Bool = true
    public var homepage: URL?
    public var seal: Data?
    @Relationship(deleteRule: .cascade, inverse: "book") public var entries: ToMany<Entry>
    @Attribute(derived: "entries.@count") public var size: Int
    @Attribute(derived: "canonical:(title)") public var titleKey: String

    /// Computed and type properties are none of the entity's.
    public var label: String { "\(title) \(year)" }
    public static let shelf = 3
}

extension DeclaredStaff {
    public static func ledger() throws -> ManagedObjectModel {
        try ManagedObjectModel(Entry.self, Correction.self, Book.self)
    }
}
