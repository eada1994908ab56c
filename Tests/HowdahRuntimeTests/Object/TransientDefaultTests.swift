import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What no row brings has the declared default in objects that were read.
@Suite struct TransientDefaultTests {
    enum State: String, AttributeEnum { case draft, sent }

    @Test func aFetchedObjectHasTheDeclaredDefault() async throws {
        try await withTestStore(ManagedObjectModel(Ticket.self)) { container in
            let id = try await container.perform { context in
                let ticket = Ticket(context: context)
                ticket.number = 1
                #expect(ticket.state == .sent && ticket.note == "hey" && ticket.other == nil)
                try context.save()
                return ticket.objectID
            }
            try await container.perform { context in
                let fault = context.object(with: id)
                #expect(fault.isFault && fault.state == .sent)
                let ticket = try #require(try context.fetch(Ticket.self).first)
                #expect(ticket === fault && ticket.number == 1)
                #expect(ticket.state == .sent && ticket.note == "hey" && ticket.other == nil)
                #expect(!ticket.hasChanges)
                ticket.state = .draft
                try context.save()
                #expect(ticket.state == .draft)
            }
        }
    }
}

@Entity final class Ticket: ManagedObject {
    var number: Int
    @Attribute(.transient) var state: TransientDefaultTests.State = .sent
    @Attribute(.transient) var note: String = "hey"
    @Attribute(.transient) var other: String?
}
