import Howdah

extension Project {
    /// Creates a project with an empty board.
    convenience init(key: String, title: String, team: Team, context: ManagedObjectContext) {
        self.init(context: context)
        (self.key, self.title, self.team) = (key, title, team)
        for (position, status) in Issue.statuses.enumerated() {
            let column = Column(context: context)
            (column.position, column.status, column.project) = (Int16(position), status, self)
        }
    }

    /// Creates an issue with the next number. The project has to be locked.
    func addIssue(title: String, status: String = "open", author: User) throws -> Issue {
        guard let context = managedObjectContext else { throw ProblemDetails.notFound }
        let issue = Issue(context: context)
        (issue.number, issue.project, issue.author) = (nextNumber, self, author)
        (issue.title, issue.createdAt) = (title, .now)
        nextNumber += 1
        try issue.move(to: status)
        return issue
    }
}
