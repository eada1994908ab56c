import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import Testing

/// A subclass of another module's class: its slots begin where the superclass's end.
@Entity final class Contractor: Worker {
    var firm: String
    private(set) var rate: Double = 1.5
    @Relationship(inverse: nil) var sponsor: Person?

    func raise() { rate *= 2 }
}

/// Nobody marked it.
private final class Forgotten: ManagedObject {}

private final class ForgottenWorker: Worker {}

@Suite struct SubclassTests {
    @Test func aClassThatWasForgottenIsNamed() throws {
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel(Person.self, Forgotten.self)
        }
        #expect(
            error.message.contains("Forgotten: The class declares no entity. Mark Forgotten with @Entity"))
    }

    @Test func aSubclassThatWasForgottenIsNamed() throws {
        for classes in [false, true] {
            let error = try #require(throws: ModelError.self) {
                classes
                    ? try ManagedObjectModel(Person.self, Worker.self, ForgottenWorker.self)
                    : try ManagedObjectModel(ForgottenWorker.self, Person.self, Worker.self)
            }
            #expect(
                error.message.contains(
                    "ForgottenWorker: The class declares no entity and inherits that of Worker. Mark ForgottenWorker with "
                        + "@Entity."), "\(error.message)")
        }
    }

    @Test func aSubclassOfAnotherModuleWorks() async throws {
        let model = try ManagedObjectModel(Person.self, Worker.self, Boss.self, Contractor.self)
        try await withTemporaryStore(model) { container in
            try await container.perform { context in
                let boss = Boss(context: context)
                boss.name = "B"
                let contractor = Contractor(context: context)
                (contractor.name, contractor.firm, contractor.wage) = ("C", "F", 7)
                contractor.raise()
                contractor.boss = boss
                contractor.sponsor = boss
                try context.save()
            }
            try await container.perform { context in
                let found = try context.fetch(
                    Contractor.self, where: #Predicate { $0.rate > 2 && $0.boss?.name == "B" },
                    sortedBy: .ascending(\.name), .ascending(\.rate), .ascending(\.sponsor, \.name))
                let contractor = try #require(found.first)
                #expect(found.count == 1)
                #expect(contractor.firm == "F" && contractor.rate == 3 && contractor.wage == 7)
                #expect(contractor.sponsor === contractor.boss)
                #expect(contractor.boss?.team.objects == [contractor])
                contractor.firm = "G"
                contractor.boss = nil
                #expect(contractor.changedPropertyNames == ["boss", "firm"])
                try context.save()
                #expect(try context.fetch(Worker.self, sortedBy: .ascending(\.name)).map(\.wage) == [0, 7])
            }
        }
    }
}
