import Foundation
import Howdah

/// A job whose class computes two of its values.
@Entity final class MailJob: ManagedObject {
    @Attribute(.unique) var code: String?
    var kind: String = "mail"
    @Attribute(minimum: 0) var number: Int = 0
    @Attribute(maximumLength: 8) var note: String?
    var payload: Data?
    var runAt: Date = Date()
    var token: UUID = UUID()
    var title: String

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(MailJob.self) }
}
