import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@Entity final class Reader: ManagedObject {
    var name: String
    var age: Int
    var tags: [String]
    @Attribute(.transient) var note: String?
    @Relationship(inverse: "reader") var loans: ToMany<Loan>

    var initial: String { String(name.prefix(1)) }
}

@Entity final class Loan: ManagedObject {
    var title: String
    var days: Int
    @Attribute(.transient) var remark: String?
    @Relationship(inverse: "loans") var reader: Reader?
}

/// What does not fit the model is answered with the key path and the name that was probably meant, wherever it stands.
@Suite struct WrongNameTests {
    private typealias Request = FetchRequest<Reader>

    /// Where in a request a mistake stands, and which parts of the answer say so.
    private struct Case {
        let place: String
        let parts: [String]
        let request: Request

        init(_ place: String, _ parts: String..., change: (inout Request) throws -> Void) rethrows {
            var request = Request()
            try change(&request)
            (self.place, self.parts, self.request) = (place, parts, request)
        }

        init(_ format: String, _ parts: String...) {
            var request = Request()
            request.predicate = .format(format)
            (place, self.parts, self.request) = (format, parts, request)
        }

        init(_ place: String, where predicate: Predicate<Reader>, _ parts: String...) {
            (self.place, self.parts) = (place, parts)
            request = Request(where: predicate)
        }

        init(_ place: String, typed: PredicateTree, _ parts: String...) {
            var request = Request()
            request.predicate = typed
            (self.place, self.parts, self.request) = (place, parts, request)
        }
    }

    private static func grouped(by key: String, _ others: ResultColumn<Reader>...) -> (inout Request) -> Void
    {
        { request in
            request.propertiesToFetch = [.property(key)] + others
            request.propertiesToGroupBy = [.property(key)]
        }
    }

    private static func having(_ format: String) -> (inout Request) -> Void {
        { request in
            request.propertiesToFetch = ["name", .sum("age", as: "total")]
            request.propertiesToGroupBy = ["name"]
            request.havingPredicate = .format(format)
        }
    }

    private static var reader: KeyPathExpression<Reader, Reader> { KeyPathExpression(Reader.self) }

    private static var missingKeys: [Case] {
        [
            Case("nmae == 'a'", "Reader", "'nmae'", "Did you mean 'name'"),
            Case("ANY loans.titel == 'a'", "Loan", "'titel'", "loans.titel", "Did you mean 'title'"),
            Case("loans.@sum.dyas > 1", "Loan", "'dyas'", "loans.@sum.dyas", "Did you mean 'days'"),
            Case(
                "SUBQUERY(loans, $l, $l.titel == 'a').@count > 0", "Loan", "'titel'", "Did you mean 'title'"),
            Case("sort", "Reader", "'nmae'", "Did you mean 'name'") { $0.sortDescriptors = [.key("nmae")] },
            Case("fetch", "Reader", "'nmae'", "Did you mean 'name'") { $0.propertiesToFetch = ["nmae"] },
            Case("fetch sum", "Reader", "'aeg'", "Did you mean 'age'") {
                $0.propertiesToFetch = [.sum("aeg", as: "total")]
            },
            Case("group", "Reader", "'nmae'", "Did you mean 'name'", change: grouped(by: "nmae")),
            Case("having", "'totla'", "Did you mean 'total'", change: having("totla > 1")),
            Case("prefetch", "Reader.laons", "Did you mean 'loans'") {
                $0.relationshipKeyPathsForPrefetching = ["laons"]
            },
            Case("prefetch deep", "Loan.raeder", "'loans.raeder'", "Did you mean 'reader'") {
                $0.relationshipKeyPathsForPrefetching = ["loans.raeder"]
            },
            Case(
                "#Predicate", where: #Predicate { $0.initial == "a" }, "Reader",
                "computed property"),
            Case("typed", typed: reader.initial == "a", "Reader", "computed property"),
            Case("sort typed", "Reader", "computed property") {
                $0.sortDescriptors = [.ascending(\.initial)]
            },
        ]
    }

    private static var transientProperties: [Case] {
        [
            Case("note == 'a'", "Reader.note", "not stored", "Filter after the fetch"),
            Case("ANY loans.remark == 'a'", "Loan.remark", "not stored"),
            Case("#Predicate", where: #Predicate { $0.note == "a" }, "Reader.note", "not stored"),
            Case("typed", typed: reader.note == "a", "Reader.note", "not stored"),
            Case("typed any", typed: reader.loans.remark.any == "a", "Loan.remark", "not stored"),
            Case("sort", "Reader.note", "not stored") { $0.sortDescriptors = [.key("note")] },
            Case("fetch", "Reader.note") { $0.propertiesToFetch = ["note"] },
            Case("group", "Reader.note", "not stored", change: grouped(by: "note")),
            Case("having", "'note'", "Did you mean", change: having("note == 'a'")),
            Case("prefetch", "Reader.note", "attribute") {
                $0.relationshipKeyPathsForPrefetching = ["note"]
            },
        ]
    }

    private static var wrongTypes: [Case] {
        [
            Case("age == 'a'", "Reader.age", "String"),
            Case("age BEGINSWITH 'a'", "Reader.age"),
            Case("name > 5", "Reader.name"), Case("loans > 5", "loans"),
            Case("name.first == 'a'", "name", "'first'"),
            Case("loans.@sum.title > 1", "Loan.title"), Case("tags == 'a'", "Reader.tags", "CONTAINS"),
            Case("sort behind", "name", "'first'") { $0.sortDescriptors = [.key("name.first")] },
            Case("fetch sum", "'name'", "numbers") { $0.propertiesToFetch = [.sum("name", as: "total")] },
            Case("fetch behind", "name", "'first'") { $0.propertiesToFetch = ["name.first"] },
            Case("group behind", "name", "'first'", change: grouped(by: "name.first")),
            Case("having", "total", change: having("total == 'a'")),
            Case("prefetch", "Reader.name", "attribute") {
                $0.relationshipKeyPathsForPrefetching = ["name"]
            },
        ]
    }

    private static var manyForOne: [Case] {
        [
            Case("loans.title == 'a'", "loans.title", "to-many", "ANY"),
            Case("name == loans.title", "loans.title", "to-many", "ANY"),
            Case("typed", typed: .format("loans.days + 1 > 2"), "loans.days", "sum:"),
            Case("sort", "loans.title", "to-many") { $0.sortDescriptors = [.key("loans.title")] },
            Case("fetch", "loans.title", "many") { $0.propertiesToFetch = ["loans.title"] },
            Case("fetch whole", "loans", "many") { $0.propertiesToFetch = ["loans"] },
            Case("group", "loans.title", "many", change: grouped(by: "loans.title")),
            Case("having", "'loans.title'", change: having("loans.title == 'a'")),
        ]
    }

    @Test func theAnswerNamesTheKeyPathAndTheRemedy() async throws {
        try await withTestStore(ManagedObjectModel(Reader.self, Loan.self)) { container in
            for one in Self.missingKeys + Self.transientProperties + Self.wrongTypes + Self.manyForOne {
                let request = one.request
                let parts = one.parts
                try await container.perform { context in
                    for asObjects in [true, false] {
                        let isOfRows =
                            !request.propertiesToGroupBy.isEmpty
                            || request.propertiesToFetch.contains { $0.aggregate != nil }
                        if asObjects ? isOfRows : !request.relationshipKeyPathsForPrefetching.isEmpty {
                            continue
                        }
                        let before = container.statementLog.count
                        do {
                            if asObjects {
                                _ = try context.fetch(request)
                            } else {
                                _ = try context.fetchDictionaries(request)
                            }
                            Issue.record("\(one.place), as objects \(asObjects): no error")
                        } catch {
                            let text = "\(error)"
                            for part in parts where !text.contains(part) {
                                Issue.record("\(one.place), as objects \(asObjects): no \(part) in: \(text)")
                            }
                            #expect(error is FetchError || error is PredicateTreeError)
                        }
                        #expect(container.statementLog.count == before, "\(one.place)")
                        context.clearFailure()
                    }
                }
            }
        }
    }
}
