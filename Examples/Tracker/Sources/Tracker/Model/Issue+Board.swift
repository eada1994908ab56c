import Foundation
import Howdah

extension Issue {
    static let statuses = ["open", "active", "done"]

    /// Moves the issue to a place in the column of a status. The project has to be locked.
    func move(to status: String, at place: Int? = nil) throws {
        guard let context = managedObjectContext, let project = project?.objectID else { return }
        let columns = try context.fetch(
            Column.self, where: #Predicate { $0.project?.objectID == project && $0.status == status })
        guard let column = columns.first else {
            throw ProblemDetails(
                422, "unknownStatus", "The board has no such column. Choose another status.", at: "/status")
        }
        self.status = status
        self.column?.issues.remove(self)
        column.issues.insert(self, at: min(place ?? column.issues.count, column.issues.count))
    }
}
